package message

import (
	"fmt"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Row is a prediction with its case.
type Row struct {
	Case Case
	Prediction
}

// Table has a row for every prediction.
func Table(rows []Row, facts []trace.Arg) *store.Table {
	var all []Prediction
	for _, r := range rows {
		all = append(all, r.Prediction)
	}
	return &store.Table{Name: "message", Meta: append(Facts(all), facts...), Columns: []store.Column{
		store.ColumnOf(rows, "operation", "", func(r Row) string { return r.Name }),
		store.ColumnOf(rows, "rows", "", func(r Row) int64 { return r.Case.Rows }),
		store.ColumnOf(rows, "cols", "", func(r Row) int64 { return r.Case.Cols }),
		store.ColumnOf(rows, "mesh", "", func(r Row) string { return fmt.Sprintf("%dx%d", r.Case.MeshRows, r.Case.MeshCols) }),
		store.ColumnOf(rows, "d", "", func(r Row) int64 { return r.Case.D }),
		store.ColumnOf(rows, "model", "", func(r Row) string { return r.Model }),
		store.ColumnOf(rows, "messages", "", func(r Row) float64 { return r.Messages }),
		store.ColumnOf(rows, "bytes", "B", func(r Row) float64 { return r.Bytes }),
		store.ColumnOf(rows, "lines", "", func(r Row) float64 { return r.Lines }),
		store.ColumnOf(rows, "time", "s", func(r Row) float64 { return float64(r.Time) }),
		store.ColumnOf(rows, "lo", "s", func(r Row) float64 { return float64(r.Lo) }),
		store.ColumnOf(rows, "hi", "s", func(r Row) float64 { return float64(r.Hi) }),
		store.ColumnOf(rows, "limit", "", func(r Row) string { return r.Limit }),
	}}
}

// TermsTable has a row for every term of every prediction.
func TermsTable(rows []Row, facts []trace.Arg) *store.Table {
	type term struct {
		Row
		i int
	}
	var all []term
	for _, r := range rows {
		for i := range r.Terms {
			all = append(all, term{r, i})
		}
	}
	return &store.Table{Name: "terms", Meta: facts, Columns: []store.Column{
		store.ColumnOf(all, "operation", "", func(t term) string { return t.Name }),
		store.ColumnOf(all, "rows", "", func(t term) int64 { return t.Case.Rows }),
		store.ColumnOf(all, "cols", "", func(t term) int64 { return t.Case.Cols }),
		store.ColumnOf(all, "d", "", func(t term) int64 { return t.Case.D }),
		store.ColumnOf(all, "model", "", func(t term) string { return t.Model }),
		store.ColumnOf(all, "term", "", func(t term) string { return t.Terms[t.i].Symbol }),
		store.ColumnOf(all, "of", "", func(t term) string { return strings.TrimPrefix(t.Terms[t.i].What, "of ") }),
		store.ColumnOf(all, "time", "s", func(t term) float64 { return t.Terms[t.i].Value }),
	}}
}

// Facts returns what the intervals cover, and the warnings.
func Facts(all []Prediction) []trace.Arg {
	var warnings []string
	for _, w := range Warnings(all) {
		warnings = append(warnings, strings.ReplaceAll(w.Error(), ";", ","))
	}
	covers := ""
	if len(all) > 0 {
		covers = all[0].Covers
	}
	return []trace.Arg{{Key: "interval", Value: covers}, {Key: "warnings", Value: strings.Join(warnings, "; ")}}
}

// TrafficRow is the cost of a processor's messages by a model.
type TrafficRow struct {
	Share
	Model string
}

// TrafficTable has a row for every processor and model.
func TrafficTable(rows []TrafficRow, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "message traffic", Meta: facts, Columns: []store.Column{
		store.ColumnOf(rows, "proc", "", func(r TrafficRow) int32 { return int32(r.Proc) }),
		store.ColumnOf(rows, "model", "", func(r TrafficRow) string { return r.Model }),
		store.ColumnOf(rows, "sends", "", func(r TrafficRow) float64 { return r.Sent.Messages }),
		store.ColumnOf(rows, "sent", "B", func(r TrafficRow) float64 { return r.Sent.Bytes }),
		store.ColumnOf(rows, "sent_lines", "", func(r TrafficRow) float64 { return r.Sent.Lines }),
		store.ColumnOf(rows, "sending", "s", func(r TrafficRow) float64 { return float64(r.Sent.Time) }),
		store.ColumnOf(rows, "receives", "", func(r TrafficRow) float64 { return r.Received.Messages }),
		store.ColumnOf(rows, "received_lines", "", func(r TrafficRow) float64 { return r.Received.Lines }),
		store.ColumnOf(rows, "receiving", "s", func(r TrafficRow) float64 { return float64(r.Received.Time) }),
		store.ColumnOf(rows, "at_least", "s", func(r TrafficRow) float64 { return float64(r.atLeast()) }),
		store.ColumnOf(rows, "in_step", "s", func(r TrafficRow) float64 { return float64(r.inStep()) }),
		store.ColumnOf(rows, "apart", "s", func(r TrafficRow) float64 { return float64(r.apart()) }),
		store.ColumnOf(rows, "lo", "s", func(r TrafficRow) float64 { return float64(r.lo()) }),
		store.ColumnOf(rows, "hi", "s", func(r TrafficRow) float64 { return float64(r.Sent.Hi + r.Received.Hi) }),
	}}
}

// CrossoverTable has a row for every size and model.
func CrossoverTable(rows []Crossover, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "crossover", Meta: facts, Columns: []store.Column{
		store.ColumnOf(rows, "rows", "", func(x Crossover) int64 { return x.Case.Rows }),
		store.ColumnOf(rows, "cols", "", func(x Crossover) int64 { return x.Case.Cols }),
		store.ColumnOf(rows, "mesh", "", func(x Crossover) string { return fmt.Sprintf("%dx%d", x.Case.MeshRows, x.Case.MeshCols) }),
		store.ColumnOf(rows, "model", "", func(x Crossover) string { return x.Model }),
		store.ColumnOf(rows, "crossover", "", func(x Crossover) int64 { return x.D }),
		store.ColumnOf(rows, "ratio_before", "", func(x Crossover) float64 { return x.Before }),
		store.ColumnOf(rows, "ratio", "", func(x Crossover) float64 { return x.At }),
		store.ColumnOf(rows, "sure", "", func(x Crossover) int64 { return x.Sure }),
	}}
}

// DistributionTable has a row for every size of blocks.
func DistributionTable(rows []Distribution, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "block-cyclic", Meta: facts, Columns: []store.Column{
		store.ColumnOf(rows, "block", "", func(d Distribution) int64 { return d.Block }),
		store.ColumnOf(rows, "imbalance", "%", func(d Distribution) float64 { return 100 * d.imbalance() }),
		store.ColumnOf(rows, "items", "", func(d Distribution) float64 { return d.Most }),
		store.ColumnOf(rows, "sent", "B", func(d Distribution) float64 { return d.Prediction.Bytes }),
		store.ColumnOf(rows, "lines", "", func(d Distribution) float64 { return d.Prediction.Lines }),
		store.ColumnOf(rows, "time", "s", func(d Distribution) float64 { return float64(d.Prediction.Time) }),
		store.ColumnOf(rows, "lo", "s", func(d Distribution) float64 { return float64(d.Prediction.Lo) }),
		store.ColumnOf(rows, "hi", "s", func(d Distribution) float64 { return float64(d.Prediction.Hi) }),
		store.ColumnOf(rows, "limit", "", func(d Distribution) string { return d.Prediction.Limit }),
	}}
}
