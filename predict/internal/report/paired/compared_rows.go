package paired

import (
	"fmt"
	"slices"
	"strings"

	"spoor/predict/internal/report/numeral"
	"spoor/traces/store"
)

// machineDigests returns the digests of the machines of a table, "" for each row of an older version.
func machineDigests(t *store.Table) []string {
	if all, err := store.Data[string](t, "machine_sha256"); err == nil {
		return all
	}
	return make([]string, t.Rows())
}

// differs returns an error if two rows of one case are of different descriptions of a machine.
func (r Row) differs(s Row) error {
	if r.MachineSHA == "" || s.MachineSHA == "" || r.MachineSHA == s.MachineSHA {
		return nil
	}
	return fmt.Errorf("%s, %s: the tables are of two different descriptions of machine %s (%.12s and %.12s); predict and simulate again with one",
		r.Program, numeral.Plural(r.Processors, "processor"), r.Machine, r.MachineSHA, s.MachineSHA)
}

// doubts returns why results of one case may not belong together: other traces, or unknown machines.
func doubts(pairs [][2]Row) (all []string) {
	traces, old := []string{}, 0
	for _, p := range pairs {
		a, b := p[0], p[1]
		if a.MachineSHA == "" || b.MachineSHA == "" {
			old++
		}
		scaled := strings.Contains(strings.Join(append(a.Warnings, b.Warnings...), ";"), " scaled from ")
		if a.Trace != "" && b.Trace != "" && a.Trace != b.Trace && !scaled {
			note := fmt.Sprintf("%s: the tables are of two different traces, %.12s and %.12s", a.Program+", "+numeral.Plural(a.Processors, "processor"), a.Trace, b.Trace)
			if !slices.Contains(traces, note) {
				traces = append(traces, note)
			}
		}
	}
	all = append(all, traces...)
	if old > 0 {
		all = append(all, fmt.Sprintf("%s of tables without digests of their machines, from an older version: whether the machine files were equal is not known", numeral.Plural(old, "pair")))
	}
	return all
}

// Difference compares the results of two tables of one kind: simulations by their times, or predictions of one model by
// E(Instr). Its rows are the cases that both have.
func Difference(first, second []Row) (t *store.Table, notes []string, err error) {
	type place struct {
		Key
		model string
	}
	type line struct{ a, b Row }
	have := map[place]Row{}
	for _, r := range first {
		at := place{r.Key(), r.Model}
		if _, twice := have[at]; twice {
			return nil, nil, fmt.Errorf("the first table has two rows of %s, %s; leave one of them out", r.Program, r.Place())
		}
		have[at] = r
	}
	var lines []line
	var pairs [][2]Row
	notes = append(onlyIn("first", first, second), onlyIn("second", second, first)...)
	for _, r := range second {
		a, ok := have[place{r.Key(), r.Model}]
		if !ok {
			continue
		}
		if err := a.differs(r); err != nil {
			return nil, nil, err
		}
		lines, pairs = append(lines, line{a, r}), append(pairs, [2]Row{a, r})
	}
	value := func(r Row) float64 {
		if r.Model != "" {
			return r.EInstr
		}
		return r.Time
	}
	unit := "s"
	if len(lines) > 0 && lines[0].a.Model != "" {
		unit = "ns"
	}
	text := func(name string, of func(l line) string) store.Column { return store.ColumnOf(lines, name, "", of) }
	return &store.Table{Name: "difference", Columns: []store.Column{
		text("program", func(l line) string { return l.a.Program }), text("machine", func(l line) string { return l.a.Machine }),
		store.ColumnOf(lines, "processors", "", func(l line) int32 { return int32(l.a.Processors) }),
		text("model", func(l line) string { return l.a.Model }),
		store.ColumnOf(lines, "first", unit, func(l line) float64 { return value(l.a) }),
		store.ColumnOf(lines, "second", unit, func(l line) float64 { return value(l.b) }),
		store.ColumnOf(lines, "difference", "%", func(l line) float64 { return 100 * (value(l.b) - value(l.a)) / value(l.a) })}}, append(notes, doubts(pairs)...), nil
}
