package main

import (
	"fmt"
	"math"
	"strings"
)

// lawError sums up errors of the published model with one law on one kind of machine.
type lawError struct{ rows, sum, worst, logarithms float64 }

// add adds a row that sums up some cases.
func (e *lawError) add(r row) {
	n := r.number("rows")
	e.rows += n
	e.sum += n * r.number("mean_error")
	e.worst = max(e.worst, r.number("worst_error"))
	e.logarithms += n * math.Log(r.number("factor"))
}

func (e *lawError) String() string {
	return fmt.Sprintf("%s / %s, %.2f", short(e.sum/e.rows), short(e.worst), math.Exp(e.logarithms/e.rows))
}

// lawKinds are the kinds of machines as laws.sh and as pages have them.
var lawKinds = []struct{ target, name string }{{"smp", "SMPs"}, {"cow", "workstations"}, {"clump", "clusters of SMPs"}}

// lawErrors prints the errors of the published model over all programs, with each law, with and without the barrier term and the raise.
func lawErrors(m *markdown, rows []row) {
	rows = having(rows, "factor")
	if len(rows) == 0 {
		return
	}
	sums := map[string]*lawError{}
	for _, r := range rows {
		key := r.text("model") + r.text("machine")
		if sums[key] == nil {
			sums[key] = &lawError{}
		}
		sums[key].add(r)
	}
	heads := []string{"law", "barrier term", "remote accesses"}
	for _, k := range lawKinds {
		heads = append(heads, k.name)
	}
	m.heads(heads...)
	for _, model := range distinct(rows, func(r row) string { return r.text("model") }) {
		m.row(append(lawLabels(model), lawCells(model, sums)...)...)
	}
}

// lawLabels returns the law of a model, if the barrier term is in, and the raise.
func lawLabels(model string) []string {
	law, raise, _ := strings.Cut(model, " +")
	law, barriers := strings.CutSuffix(law, " without barriers")
	label := "`" + law + "`"
	if law == "table3" {
		label = "recalled Table 3"
	}
	term := "yes"
	if barriers {
		term = "no"
	}
	if raise != "" {
		raise = "+" + strings.Replace(raise, "%", " %", 1)
	}
	return []string{label, term, raise}
}

func lawCells(model string, sums map[string]*lawError) (cells []string) {
	for _, k := range lawKinds {
		cell := "-"
		if e := sums[model+k.target]; e != nil {
			cell = e.String()
		}
		cells = append(cells, cell)
	}
	return cells
}
