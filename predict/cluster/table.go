package cluster

import (
	"math"
	"strings"

	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Table has a row for each prediction. Times are in nanoseconds per instruction. The interval of E(Instr) is
// lo to hi. It is the interval that the model varies, parameters_lo to parameters_hi, widened by the model's
// error, model_below and model_above.
func Table(all []model.Prediction, facts []trace.Arg) *store.Table {
	nanos := func(name string, of func(model.Prediction) unit.Seconds) store.Column {
		return store.ColumnOf(all, name, "ns", func(p model.Prediction) float64 { return 1e9 * float64(of(p)) })
	}
	return &store.Table{Name: "prediction", Meta: facts, Columns: []store.Column{
		store.ColumnOf(all, "program", "", func(p model.Prediction) string { return p.Program }),
		store.ColumnOf(all, "trace", "", func(p model.Prediction) string { return p.Trace }),
		store.ColumnOf(all, "machine", "", func(p model.Prediction) string { return p.Machine }),
		store.ColumnOf(all, "target", "", func(p model.Prediction) string { return p.Target }),
		store.ColumnOf(all, "processors", "", func(p model.Prediction) int32 { return int32(p.Processors) }),
		store.ColumnOf(all, "model", "", func(p model.Prediction) string { return p.Model }),
		nanos("e_instr", func(p model.Prediction) unit.Seconds { return p.EInstr }),
		nanos("lo", func(p model.Prediction) unit.Seconds { return ifKnown(p.FullInterval(), p.FullInterval().Lo) }),
		nanos("hi", func(p model.Prediction) unit.Seconds { return ifKnown(p.FullInterval(), p.FullInterval().Hi) }),
		nanos("parameters_lo", func(p model.Prediction) unit.Seconds { return ifKnown(p.Interval, p.Interval.Lo) }),
		nanos("parameters_hi", func(p model.Prediction) unit.Seconds { return ifKnown(p.Interval, p.Interval.Hi) }),
		store.ColumnOf(all, "model_below", "%", func(p model.Prediction) float64 { return percentIfKnown(p.ModelMargin, p.ModelMargin.Below) }),
		store.ColumnOf(all, "model_above", "%", func(p model.Prediction) float64 { return percentIfKnown(p.ModelMargin, p.ModelMargin.Above) }),
		nanos("ideal", func(p model.Prediction) unit.Seconds { return p.Split.Ideal }),
		nanos("latency", func(p model.Prediction) unit.Seconds { return p.Split.Latency }),
		nanos("contention", func(p model.Prediction) unit.Seconds { return p.Split.Contention }),
		nanos("sync", func(p model.Prediction) unit.Seconds { return p.Split.Sync }),
		store.ColumnOf(all, "utilization", "", func(p model.Prediction) float64 { return p.Utilization }),
		store.ColumnOf(all, "limit", "", func(p model.Prediction) string { return p.Limit }),
		store.ColumnOf(all, "interval", "", func(p model.Prediction) string { return p.FullInterval().Covers }),
		store.ColumnOf(all, "warnings", "", warnings),
		store.ColumnOf(all, "machine_sha256", "", func(p model.Prediction) string { return p.MachineSHA }),
	}}
}

// TermsTable has a row for each term of each prediction.
func TermsTable(all []model.Prediction, facts []trace.Arg) *store.Table {
	type row struct {
		model.Prediction
		model.Term
	}
	var rows []row
	for _, p := range all {
		for _, t := range p.Terms {
			rows = append(rows, row{p, t})
		}
	}
	return &store.Table{Name: "terms", Meta: facts, Columns: []store.Column{
		store.ColumnOf(rows, "program", "", func(r row) string { return r.Program }),
		store.ColumnOf(rows, "machine", "", func(r row) string { return r.Machine }),
		store.ColumnOf(rows, "processors", "", func(r row) int32 { return int32(r.Processors) }),
		store.ColumnOf(rows, "model", "", func(r row) string { return r.Model }),
		store.ColumnOf(rows, "term", "", func(r row) string { return r.Symbol }),
		store.ColumnOf(rows, "value", "", func(r row) float64 { return r.Value }),
		store.ColumnOf(rows, "unit", "", func(r row) string { return r.Unit }),
		store.ColumnOf(rows, "meaning", "", func(r row) string { return r.What }),
	}}
}

func ifKnown(i model.Interval, s unit.Seconds) unit.Seconds {
	if !i.Known() {
		return unit.Seconds(math.NaN())
	}
	return s
}

func percentIfKnown(b model.ModelMargin, share float64) float64 {
	if !b.Known() {
		return math.NaN()
	}
	return 100 * share
}

// warnings joins the warnings of p with semicolons. Semicolons inside become commas.
func warnings(p model.Prediction) string {
	var list []string
	for _, w := range p.Warnings {
		list = append(list, strings.ReplaceAll(w.Error(), ";", ","))
	}
	return strings.Join(list, "; ")
}
