package windtunnel

import (
	"strings"

	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Table has a row for every size on every number of hosts of every kind.
func Table(p Prediction, facts []trace.Arg) *store.Table {
	type row struct {
		Point
		Offer
	}
	var rows []row
	for _, pt := range p.Points {
		for _, o := range pt.Offers {
			rows = append(rows, row{pt, o})
		}
	}
	cycles := func(name string, of func(Time) unit.Cycles) store.Column {
		return store.ColumnOf(rows, name, "cycles", func(r row) float64 { return float64(of(r.Time)) })
	}
	return &store.Table{Name: "windtunnel", Meta: p.facts(facts), Columns: []store.Column{
		store.ColumnOf(rows, "targets", "", func(r row) int32 { return int32(r.Targets) }),
		store.ColumnOf(rows, "hosts", "", func(r row) int32 { return int32(r.Hosts) }),
		store.ColumnOf(rows, "per_host", "", func(r row) int32 { return int32(r.Targets / r.Hosts) }),
		store.ColumnOf(rows, "host", "", func(r row) string { return r.Host }),
		cycles("time", Time.total),
		cycles("processing", Time.processing),
		cycles("switch", func(t Time) unit.Cycles { return t.Switch }),
		cycles("interference", Time.Interference),
		cycles("overhead", func(t Time) unit.Cycles { return t.Overhead }),
		store.ColumnOf(rows, "limit", "", func(r row) string { return r.Time.Limit() }),
		store.ColumnOf(rows, "speedup", "", func(r row) float64 { return r.Speedup }),
		store.ColumnOf(rows, "lo", "", func(r row) float64 { return r.Lo }),
		store.ColumnOf(rows, "hi", "", func(r row) float64 { return r.Hi }),
		store.ColumnOf(rows, "cost", "$", func(r row) float64 { return float64(r.Cost) }),
		store.ColumnOf(rows, "costup", "", func(r row) float64 { return r.Costup }),
		store.ColumnOf(rows, "cost_performance", "$", func(r row) float64 { return float64(r.CostPerformance) }),
		store.ColumnOf(rows, "effective", "", func(r row) string {
			switch {
			case r.Hosts == 1:
				return "-"
			case r.Effective:
				return "yes"
			}
			return "no"
		}),
	}}
}

// facts returns the metadata that holds for all of p.
func (p Prediction) facts(more []trace.Arg) []trace.Arg {
	var warnings []string
	for _, w := range p.Warnings {
		warnings = append(warnings, strings.ReplaceAll(w.Error(), ";", ","))
	}
	return append([]trace.Arg{{Key: "program", Value: p.Program}, {Key: "trace", Value: p.Trace}, {Key: "model", Value: p.Model}, {Key: "prices", Value: p.Prices},
		{Key: "interval", Value: p.Covers}, {Key: "warnings", Value: strings.Join(warnings, "; ")}}, more...)
}

// SummaryTable has a row for each number of the summary.
func SummaryTable(p Prediction, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "summary", Meta: p.facts(facts), Columns: []store.Column{
		store.ColumnOf(p.Summary, "quantity", "", func(q Quantity) string { return q.Name }),
		store.ColumnOf(p.Summary, "host", "", func(q Quantity) string { return q.Host }),
		store.ColumnOf(p.Summary, "value", "", func(q Quantity) float64 { return q.Value }),
		store.ColumnOf(p.Summary, "unit", "", func(q Quantity) string { return q.Unit }),
		store.ColumnOf(p.Summary, "meaning", "", func(q Quantity) string { return q.What }),
	}}
}

// TermsTable has a row for each input.
func TermsTable(p Prediction, facts []trace.Arg) *store.Table {
	return &store.Table{Name: "terms", Meta: p.facts(facts), Columns: []store.Column{
		store.ColumnOf(p.Terms, "term", "", func(t model.Term) string { return t.Symbol }),
		store.ColumnOf(p.Terms, "value", "", func(t model.Term) float64 { return t.Value }),
		store.ColumnOf(p.Terms, "unit", "", func(t model.Term) string { return t.Unit }),
		store.ColumnOf(p.Terms, "meaning", "", func(t model.Term) string { return t.What }),
	}}
}

// ComparisonTable has a row for every comparison. Errors are in percent of the measurement. With
// cross-validation it has the half that a row is predicted from.
func ComparisonTable(rows []Comparison, facts []trace.Arg) *store.Table {
	columns := []store.Column{
		store.ColumnOf(rows, "placement", "", func(c Comparison) string { return c.Placement }),
		store.ColumnOf(rows, "hosts", "", func(c Comparison) int32 { return int32(c.Hosts) }),
		store.ColumnOf(rows, "model", "", func(c Comparison) string { return c.Model }),
		store.ColumnOf(rows, "processing_measured", "", func(c Comparison) float64 { return c.Processing.Measured }),
		store.ColumnOf(rows, "processing_predicted", "", func(c Comparison) float64 { return c.Processing.Predicted }),
		store.ColumnOf(rows, "processing_error", "%", func(c Comparison) float64 { return 100 * c.Processing.Error() }),
		store.ColumnOf(rows, "measured", "", func(c Comparison) float64 { return c.Whole.Measured }),
		store.ColumnOf(rows, "predicted", "", func(c Comparison) float64 { return c.Whole.Predicted }),
		store.ColumnOf(rows, "lo", "", func(c Comparison) float64 { return c.Lo }),
		store.ColumnOf(rows, "hi", "", func(c Comparison) float64 { return c.Hi }),
		store.ColumnOf(rows, "error", "%", func(c Comparison) float64 { return 100 * c.Whole.Error() }),
	}
	if len(rows) > 0 && rows[0].Half > 0 {
		columns = append(columns, store.ColumnOf(rows, "half", "", func(c Comparison) int32 { return int32(c.Half) }))
	}
	return &store.Table{Name: "windtunnel_measured", Meta: facts, Columns: columns}
}

// ErrorsTable summarizes comparisons.
func ErrorsTable(all []Errors) *store.Table {
	return &store.Table{Name: "errors", Columns: []store.Column{
		store.ColumnOf(all, "placement", "", func(e Errors) string { return e.Placement }),
		store.ColumnOf(all, "model", "", func(e Errors) string { return e.Model }),
		store.ColumnOf(all, "rows", "", func(e Errors) int32 { return int32(e.Rows) }),
		store.ColumnOf(all, "worst of processing", "%", func(e Errors) float64 { return 100 * e.WorstProcessing }),
		store.ColumnOf(all, "mean", "%", func(e Errors) float64 { return 100 * e.Mean }),
		store.ColumnOf(all, "worst", "%", func(e Errors) float64 { return 100 * e.Worst }),
		store.ColumnOf(all, "hosts", "", func(e Errors) int32 { return int32(e.Hosts) }),
		store.ColumnOf(all, "inside", "", func(e Errors) int32 { return int32(e.Inside) }),
	}}
}
