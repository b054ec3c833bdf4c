package report

import (
	"fmt"
	"math"
	"slices"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// messagePath is what had to take as long as it did, of predict replay --path.
var messagePath = tablePlot{
	id: "message-path", heading: "Critical path", tables: []string{"critical path"},
	note: "The chain of work and messages that determines the run time, by cause and by processor. A message on its way counts for the processor that waits for it.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			steps, err := pathSteps(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			for _, g := range grouped(steps, func(s pathStep) string { return s.run }) {
				figures = append(figures, chart.Figure{Heading: g.Head, Title: "Critical path, " + g.Head, Chart: pathChart(g.Rows)})
			}
		}
		return figures, nil
	},
}

// pathStep is a piece of a critical path, or the sum of such.
type pathStep struct {
	run              string
	processors, proc int
	part             int // of sliceParts
	time             float64
}

func pathSteps(t found) ([]pathStep, error) {
	r := columns.Reader{Table: t.Table}
	program, machine, processors, proc := r.Text("program"), r.Text("machine"), r.Whole("processors"), r.Whole("proc")
	part, time := r.Text("part"), r.Measured("time", "s")
	if r.Err != nil {
		return nil, r.Err
	}
	steps := make([]pathStep, len(proc))
	for i := range steps {
		known := slices.IndexFunc(sliceParts, func(p messagePart) bool { return p.column == part[i] })
		if known < 0 || processors[i] < 1 || processors[i] > math.MaxInt32 || proc[i] < 0 || proc[i] >= processors[i] || !(time[i] >= 0) || math.IsInf(time[i], 0) {
			return nil, fmt.Errorf("row %d has %v s of part %q, processor %d of %d", i, time[i], columns.Clean(part[i]), proc[i], processors[i])
		}
		steps[i] = pathStep{fmt.Sprintf("%s, %s, %s", columns.Clean(program[i]), numeral.Plural(int(processors[i]), "processor"), columns.Clean(machine[i])), int(processors[i]), int(proc[i]), known, time[i]}
	}
	return steps, nil
}

// pathChart is shares of the path: of all processors, and of each that has one.
func pathChart(steps []pathStep) *chart.Chart {
	rows := newBlocks(steps[0].processors, mostRows)
	sums, whole := make([][len(slice{})]float64, rows.count()+1), 0.0 // the first of all
	for _, s := range steps {
		whole += s.time
		for _, row := range []int{0, 1 + rows.at(s.proc)} {
			sums[row][s.part] += s.time
		}
	}
	c := &chart.Chart{Kind: chart.Stack, X: chart.Axis{Name: "share of the critical path", Unit: "%", Scale: chart.Linear}, Y: chart.Axis{Scale: chart.Category}, Series: partSeries()[:len(sliceParts)]}
	for row, name := range append([]string{"all"}, rows.names()...) {
		if sums[row] == [len(slice{})]float64{} {
			continue
		}
		for k := range sliceParts {
			c.Series[k].Points = append(c.Series[k].Points, chart.At(float64(len(c.Y.Categories)), sums[row][k]/max(whole, math.SmallestNonzeroFloat64)))
		}
		c.Y.Categories = append(c.Y.Categories, name)
	}
	return c
}
