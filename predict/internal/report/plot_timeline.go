package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
)

// timeline is what every processor does between barriers, of predict replay --phases.
var timeline = tablePlot{
	id: "timeline", heading: "Timelines", tables: []string{"simulated phases"},
	note: "What each processor does over time. Between two barriers the plot shows the causes one after the other. It merges many short phases into one.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			rows, err := phaseRows(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			for _, g := range grouped(rows, func(p phaseRow) string { return p.run }) {
				figures = append(figures, chart.Figure{Heading: g.Head, Title: "Timeline, " + g.Head, Chart: timelineChart(g.Rows)})
			}
		}
		return figures, nil
	},
}

// mostProcessors bounds what a table can ask for.
const mostProcessors = 1 << 14

// phaseRow is one phase of one processor.
type phaseRow struct {
	run   string // program and machine
	proc  int64
	parts [len(terms)]float64 // ms
}

func phaseRows(t found) ([]phaseRow, error) {
	r := columns.Reader{Table: t.Table}
	program, machine, proc := r.Text("program"), r.Text("machine"), r.Whole("proc")
	var parts [len(terms)][]float64
	for k, name := range [...]string{"ideal", "memory_latency", "memory_contention", "sync"} {
		parts[k] = r.Measured(name, "s")
	}
	if r.Err != nil {
		return nil, r.Err
	}
	rows := make([]phaseRow, len(proc))
	for i := range rows {
		if proc[i] < 0 || proc[i] >= mostProcessors {
			return nil, fmt.Errorf("row %d is of processor %d", i, proc[i])
		}
		rows[i] = phaseRow{run: columns.Clean(program[i]) + ", " + columns.Clean(machine[i]), proc: proc[i]}
		for k := range parts {
			v := parts[k][i]
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d lasts %v s", i, v)
			}
			rows[i].parts[k] = 1e3 * v
		}
	}
	return rows, nil
}

// timelineChart draws at most as many pieces of each processor as one can see.
func timelineChart(rows []phaseRow) *chart.Chart {
	const most = 300
	c := &chart.Chart{Kind: chart.Timeline, X: chart.Axis{Name: "time", Unit: "ms", Scale: chart.Linear}, Y: chart.Axis{Name: "processor", Scale: chart.Category}}
	for _, t := range terms {
		c.Series = append(c.Series, chart.Mark{Ink: t.ink}.Series(t.name, "bar", t.name))
	}
	for _, g := range grouped(rows, func(p phaseRow) string { return strconv.FormatInt(p.proc, 10) }) {
		row, now := float64(len(c.Y.Categories)), 0.0
		for piece := range slices.Chunk(g.Rows, (len(g.Rows)+most-1)/most) {
			for k := range terms {
				from := now
				for _, p := range piece {
					now += p.parts[k]
				}
				if now > from {
					c.Series[k].Points = append(c.Series[k].Points, chart.At(row, from, now))
				}
			}
		}
		c.Y.Categories = append(c.Y.Categories, g.Head)
	}
	return c
}
