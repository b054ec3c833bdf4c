package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// messagePart is a part of the time of a run of messages.
type messagePart struct {
	column string // of the table of predict replay
	ink    chart.Ink
}

var messageParts = []messagePart{{"ideal", chart.Grey}, {"memory_latency", chart.Teal}, {"memory_contention", chart.Brown}, {"sync", chart.Olive}, {"overhead", chart.Green},
	{"message_latency", chart.Blue}, {"message_contention", chart.Red}, {"wait", chart.Purple}, {"end", chart.Amber}}

// messageTime is where the time of programs goes that pass messages, of predict replay.
var messageTime = tablePlot{
	id: "message-time", heading: "Message-passing time by cause", tables: []string{paired.SimulationTable},
	note: "Time of the run by cause, mean of all processors; end is waiting for the last processor to finish.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		runs, err := messageRuns(tables)
		for _, g := range grouped(runs, func(r messageRun) string { return r.program }) {
			figures = append(figures, chart.Figure{Heading: g.Head, Title: "Message-passing time by cause, " + g.Head, Chart: messageStacks(g.Rows)})
		}
		return figures, err
	},
}

// messageSettings are the facts of tables that tell simulations of one run apart.
var messageSettings = []string{"semantics", "collectives", "computation", "map", "ranks_per_node", "node_order"}

// messageRun is one simulation.
type messageRun struct {
	program, machine string
	processors       int
	settings         []string              // messageSettings; those of its table
	parts            [len(slice{})]float64 // ms
}

// compare orders runs by program, machine, processors and settings.
func (r messageRun) compare(o messageRun) int {
	return cmp.Or(cmp.Compare(r.program, o.program), cmp.Compare(r.machine, o.machine), cmp.Compare(r.processors, o.processors),
		slices.Compare(r.settings, o.settings))
}

// messageRuns are those of all tables, in their order.
func messageRuns(tables []found) (runs []messageRun, err error) {
	for _, t := range tables {
		r := columns.Reader{Table: t.Table}
		program, machine, processors := r.Text("program"), r.Text("machine"), r.Whole("processors")
		passes, err := paired.Rows(t.Table)
		var parts [len(slice{})][]float64
		for k, part := range messageParts {
			parts[k] = r.Measured(part.column, "s")
		}
		if err := cmp.Or(err, r.Err); err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		settings := make([]string, len(messageSettings))
		for k, name := range messageSettings {
			settings[k] = columns.Clean(t.Fact(name))
		}
		for i := range program {
			if !passes[i].Passes {
				continue
			}
			run := messageRun{program: passes[i].Program, machine: columns.Clean(machine[i]), processors: int(processors[i]), settings: settings}
			if run.processors < 1 {
				return nil, fmt.Errorf("%s: row %d is of %d processors", t.path, i, run.processors)
			}
			for k, part := range messageParts {
				v := parts[k][i]
				if !(v >= 0) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("%s: %s of row %d is %v s", t.path, part.column, i, v)
				}
				run.parts[k] = 1e3 * v
			}
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, messageRun.compare)
	for i := 1; i < len(runs); i++ {
		if a := runs[i]; a.compare(runs[i-1]) == 0 {
			return nil, fmt.Errorf("two simulations of %s, %s, %s; leave one of them out", a.program, numeral.Plural(a.processors, "processor"), a.machine)
		}
	}
	return runs, nil
}

// label says how many processors, and the settings in which runs differ.
func (r messageRun) label(runs []messageRun) string {
	text := numeral.Plural(r.processors, "processor")
	for k, setting := range r.settings {
		if setting != "" && slices.ContainsFunc(runs, func(o messageRun) bool { return o.settings[k] != setting }) {
			text += ", " + setting
		}
	}
	return text
}

// messageStacks draws a stack for each number of processors, by machine.
func messageStacks(runs []messageRun) *chart.Chart {
	c := &chart.Chart{Kind: chart.Stack, X: chart.Axis{Name: "time", Unit: "ms", Scale: chart.Linear}, Y: chart.Axis{Scale: chart.Category}, Series: partSeries()}
	for _, g := range grouped(runs, func(r messageRun) string { return r.machine }) {
		first := len(c.Y.Categories)
		for _, r := range g.Rows {
			for k := range messageParts {
				c.Series[k].Points = append(c.Series[k].Points, chart.At(float64(len(c.Y.Categories)), r.parts[k]))
			}
			c.Y.Categories = append(c.Y.Categories, r.label(runs))
		}
		c.Groups = append(c.Groups, chart.Group{Name: g.Head, First: first, End: len(c.Y.Categories)})
	}
	return c
}
