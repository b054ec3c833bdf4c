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
		column(rows, "operation", "", func(r Row) string { return r.Name }),
		column(rows, "rows", "", func(r Row) int64 { return r.Case.Rows }),
		column(rows, "cols", "", func(r Row) int64 { return r.Case.Cols }),
		column(rows, "mesh", "", func(r Row) string { return fmt.Sprintf("%dx%d", r.Case.MeshRows, r.Case.MeshCols) }),
		column(rows, "d", "", func(r Row) int64 { return r.Case.D }),
		column(rows, "model", "", func(r Row) string { return r.Model }),
		column(rows, "messages", "", func(r Row) float64 { return r.Messages }),
		column(rows, "bytes", "B", func(r Row) float64 { return r.Bytes }),
		column(rows, "lines", "", func(r Row) float64 { return r.Lines }),
		column(rows, "time", "s", func(r Row) float64 { return float64(r.Time) }),
		column(rows, "lo", "s", func(r Row) float64 { return float64(r.Lo) }),
		column(rows, "hi", "s", func(r Row) float64 { return float64(r.Hi) }),
		column(rows, "limit", "", func(r Row) string { return r.Limit }),
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
		column(all, "operation", "", func(t term) string { return t.Name }),
		column(all, "rows", "", func(t term) int64 { return t.Case.Rows }),
		column(all, "cols", "", func(t term) int64 { return t.Case.Cols }),
		column(all, "d", "", func(t term) int64 { return t.Case.D }),
		column(all, "model", "", func(t term) string { return t.Model }),
		column(all, "term", "", func(t term) string { return t.Terms[t.i].Symbol }),
		column(all, "of", "", func(t term) string { return strings.TrimPrefix(t.Terms[t.i].What, "of ") }),
		column(all, "time", "s", func(t term) float64 { return t.Terms[t.i].Value }),
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
		column(rows, "proc", "", func(r TrafficRow) int32 { return int32(r.Proc) }),
		column(rows, "model", "", func(r TrafficRow) string { return r.Model }),
		column(rows, "sends", "", func(r TrafficRow) float64 { return r.Sent.Messages }),
		column(rows, "sent", "B", func(r TrafficRow) float64 { return r.Sent.Bytes }),
		column(rows, "sent_lines", "", func(r TrafficRow) float64 { return r.Sent.Lines }),
		column(rows, "sending", "s", func(r TrafficRow) float64 { return float64(r.Sent.Time) }),
		column(rows, "receives", "", func(r TrafficRow) float64 { return r.Received.Messages }),
		column(rows, "received_lines", "", func(r TrafficRow) float64 { return r.Received.Lines }),
		column(rows, "receiving", "s", func(r TrafficRow) float64 { return float64(r.Received.Time) }),
		column(rows, "at_least", "s", func(r TrafficRow) float64 { return float64(r.AtLeast()) }),
		column(rows, "in_step", "s", func(r TrafficRow) float64 { return float64(r.InStep()) }),
		column(rows, "apart", "s", func(r TrafficRow) float64 { return float64(r.Apart()) }),
		column(rows, "lo", "s", func(r TrafficRow) float64 { return float64(r.Lo()) }),
		column(rows, "hi", "s", func(r TrafficRow) float64 { return float64(r.Sent.Hi + r.Received.Hi) }),
	}}
}

// CrossoverTable has a row for every size and model.
func CrossoverTable(rows []Crossover, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "crossover", Meta: facts, Columns: []store.Column{
		column(rows, "rows", "", func(x Crossover) int64 { return x.Case.Rows }),
		column(rows, "cols", "", func(x Crossover) int64 { return x.Case.Cols }),
		column(rows, "mesh", "", func(x Crossover) string { return fmt.Sprintf("%dx%d", x.Case.MeshRows, x.Case.MeshCols) }),
		column(rows, "model", "", func(x Crossover) string { return x.Model }),
		column(rows, "crossover", "", func(x Crossover) int64 { return x.D }),
		column(rows, "ratio_before", "", func(x Crossover) float64 { return x.Before }),
		column(rows, "ratio", "", func(x Crossover) float64 { return x.At }),
		column(rows, "sure", "", func(x Crossover) int64 { return x.Sure }),
	}}
}

// DistributionTable has a row for every size of blocks.
func DistributionTable(rows []Distribution, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "block-cyclic", Meta: facts, Columns: []store.Column{
		column(rows, "block", "", func(d Distribution) int64 { return d.Block }),
		column(rows, "imbalance", "%", func(d Distribution) float64 { return 100 * d.Imbalance() }),
		column(rows, "items", "", func(d Distribution) float64 { return d.Most }),
		column(rows, "sent", "B", func(d Distribution) float64 { return d.Prediction.Bytes }),
		column(rows, "lines", "", func(d Distribution) float64 { return d.Prediction.Lines }),
		column(rows, "time", "s", func(d Distribution) float64 { return float64(d.Prediction.Time) }),
		column(rows, "lo", "s", func(d Distribution) float64 { return float64(d.Prediction.Lo) }),
		column(rows, "hi", "s", func(d Distribution) float64 { return float64(d.Prediction.Hi) }),
		column(rows, "limit", "", func(d Distribution) string { return d.Prediction.Limit }),
	}}
}

func column[R any, T int32 | int64 | float64 | string](rows []R, name, unit string, of func(R) T) store.Column {
	data := make([]T, len(rows))
	for i, r := range rows {
		data[i] = of(r)
	}
	return store.Column{Name: name, Unit: unit, Data: data}
}
