package report

import (
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/param"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// card sums up one model at the top of the page.
type card struct {
	paired.Summary
	MeanText, WorstText string
	Holds               bool // the claim holds in every case
}

func newCard(s paired.Summary) card {
	return card{s, numeral.Percent(s.Mean), numeral.Percent(s.Worst), s.Cases > 0 && s.Within == s.Cases}
}

// group is the rows of a table that share their first cell.
type group[R any] struct {
	Head string
	Rows []R
}

// grouped puts neighbours with the same head together.
func grouped[R any](rows []R, head func(R) string) []group[R] {
	var groups []group[R]
	for _, r := range rows {
		if n := len(groups); n == 0 || groups[n-1].Head != head(r) {
			groups = append(groups, group[R]{Head: head(r)})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, r)
	}
	return groups
}

// tableRow is a case as the comparison table shows it.
type tableRow struct {
	Program, Machine string
	Processors       int
	Simulated        float64
	Cells            []tableCell
}

// tableCell is one prediction; its class colours what its mark and words say.
type tableCell struct {
	Missing            bool
	EInstr, Error      float64
	Interval           string
	Class, Mark, Words string
	Limit              string
}

func tableRows(c *paired.Comparison) []tableRow {
	list := make([]tableRow, len(c.Cases))
	for n, k := range c.Cases {
		row := tableRow{Program: k.Simulated.Program, Machine: k.Simulated.Machine,
			Processors: k.Simulated.Processors, Simulated: k.Simulated.EInstr}
		for i, r := range k.Predicted {
			cell := tableCell{Missing: true}
			if e, ok := k.Error(i); ok {
				cell = newCell(r, e)
			}
			row.Cells = append(row.Cells, cell)
		}
		list[n] = row
	}
	return list
}

func newCell(r paired.Row, e float64) tableCell {
	cell := tableCell{EInstr: r.EInstr, Error: e, Limit: r.Limit}
	if r.HasInterval() {
		cell.Interval = fmt.Sprintf("%s to %s ns", numeral.Digits(r.Lo, 4), numeral.Digits(r.Hi, 4))
	}
	switch {
	case math.Abs(e) <= paired.Claim:
		cell.Class, cell.Mark, cell.Words = "within", "✓", "within 5 %"
	case math.Abs(e) <= 2*paired.Claim:
		cell.Class, cell.Mark, cell.Words = "near", "✗", "beyond 5 %"
	default:
		cell.Class, cell.Mark, cell.Words = "far", "✗✗", "beyond 10 %"
	}
	return cell
}

// estimateCell is one parameter of a trace.
type estimateCell struct{ Text, Interval string }

// traceColumn is a column of the table of programs.
type traceColumn struct {
	name, head string
	cell       func(t Trace, name string) estimateCell
}

var traceColumns = []traceColumn{
	{"instructions", "instructions", Trace.estimate}, {"references", "references", Trace.estimate}, {"footprint", "footprint", Trace.estimate},
	{"gamma", "γ", Trace.estimate}, {"alpha", "α", Trace.estimate}, {"beta", "β", Trace.estimate},
	{fitError, "fit error [points]", func(t Trace, name string) estimateCell {
		return estimateCell{Text: t.both(name), Interval: "at most " + t.both(fitWorst)}
	}},
}

// known reports whether t has a value for the column.
func (c traceColumn) known(t Trace) bool { return !math.IsNaN(t.value(c.name)) }

// estimate is the parameter called name.
func (t Trace) estimate(name string) estimateCell {
	if t.Params != nil {
		if p, ok := t.Params.Lookup(name); ok {
			return newEstimate(p)
		}
	}
	return estimateCell{Text: numeral.Unknown}
}

// both is an error of the law as published, and of the capped one.
func (t Trace) both(name string) string { return t.points(name) + ", " + t.points(name+cappedFit) }

// programTable is the traces of which something is known, and what is known of some.
type programTable struct {
	Heads    []string
	Groups   []group[programRow]
	Locality bool // it has the parameters of the power law
}

type programRow struct {
	program    string
	Processors int
	Cells      []estimateCell
}

func newProgramTable(traces []Trace) *programTable {
	var t programTable
	var columns []traceColumn
	for _, c := range traceColumns {
		if slices.ContainsFunc(traces, c.known) {
			columns, t.Heads = append(columns, c), append(t.Heads, c.head)
			t.Locality = t.Locality || c.name == "alpha"
		}
	}
	var rows []programRow
	for _, trace := range traces {
		if !slices.ContainsFunc(columns, func(c traceColumn) bool { return c.known(trace) }) {
			continue
		}
		row := programRow{program: trace.Program, Processors: trace.Processors}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(trace, c.name))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	t.Groups = grouped(rows, func(r programRow) string { return r.program })
	return &t
}

// undetermined is the ratio of interval to value from which the report prints "not determined". Some curves are no
// power laws.
const undetermined = 100

func newEstimate(p param.Param) estimateCell {
	text := func(v float64) string { return numeral.Digits(v, 4) }
	if p.Value == math.Trunc(p.Value) && p.Value >= 1000 {
		text = numeral.Count
	}
	c := estimateCell{Text: text(p.Value)}
	if p.HasInterval() && p.Lo < p.Hi {
		c.Interval = text(p.Lo) + " – " + text(p.Hi)
		if p.Hi-p.Lo > undetermined*math.Abs(p.Value) {
			c.Text, c.Interval = numeral.Digits(p.Value, 2), "not determined: interval over 100 times the value"
		}
	}
	if p.Unit != "1" {
		c.Text += " " + columns.Clean(p.Unit)
	}
	return c
}
