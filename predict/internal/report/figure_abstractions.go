package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
)

// quantity is what of a run is drawn against the number of processors, in ms.
type quantity struct {
	name string
	of   func(paired.Row) float64
}

// quantities are those of [sivasubramaniam1995]: parts are averages over processors.
var quantities = []quantity{
	{"execution time", func(r paired.Row) float64 { return r.EInstr * r.Instr / 1e6 }},
	{"latency", func(r paired.Row) float64 { return r.Split.Latency * r.Instr / 1e6 }},
	{"contention", func(r paired.Row) float64 { return r.Split.Contention * r.Instr / 1e6 }},
}

// series is one machine's runs of a program, by processors.
type series struct {
	name string
	look chart.Mark
	rows []paired.Row
}

// abstractionFigures draws every quantity of one program on each machine, with the abstractions of
// the machine beside it. Kinds are in the order of their marks.
func abstractionFigures(id string, pairs []paired.Pair, kinds []string) (figures []chart.Figure, err error) {
	for q, what := range quantities {
		for m, g := range grouped(byMachine(pairs), func(p paired.Pair) string { return p.Real.Machine }) {
			f := chart.Figure{ID: fmt.Sprintf("%s-%d-%d", id, q, m), Heading: fmt.Sprintf("%s, %s", what.name, g.Head),
				Title: fmt.Sprintf("%s of %s on %s and its abstractions", what.name, g.Rows[0].Real.Program, g.Head)}
			if err := drawSeries(&f, what, seriesOf(g.Rows, kinds)); err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// byMachine is the pairs with those of one machine together.
func byMachine(pairs []paired.Pair) []paired.Pair {
	var names []string
	for _, p := range pairs {
		names = appendNew(names, p.Real.Machine)
	}
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b paired.Pair) int {
		return slices.Index(names, a.Real.Machine) - slices.Index(names, b.Real.Machine)
	})
	return sorted
}

// seriesOf is the machine, and then its abstractions.
func seriesOf(pairs []paired.Pair, kinds []string) []series {
	real := series{name: "the machine itself", look: machineMark}
	var list []series
	for _, g := range grouped(pairs, paired.Pair.Kind) {
		s := series{name: g.Head, look: chart.MarkOf(slices.Index(kinds, g.Head))}
		for _, p := range g.Rows {
			s.rows = append(s.rows, p.Abstract)
			if !slices.ContainsFunc(real.rows, func(r paired.Row) bool { return r.Processors == p.Real.Processors }) {
				real.rows = append(real.rows, p.Real)
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(real.rows, func(a, b paired.Row) int { return a.Processors - b.Processors })
	return append([]series{real}, list...)
}

// machineMark is the look of the machine among its abstractions.
var machineMark = chart.Mark{Ink: chart.TextInk, Glyph: draw.CircleGlyph{}, Shape: "M6 1.5A4.5 4.5 0 1 1 5.99 1.5Z"}

// drawSeries draws a quantity on logarithmic scales; values of less than a ten thousandth of the largest are left out.
func drawSeries(f *chart.Figure, what quantity, list []series) error {
	f.Chart = abstractionChart(what, list)
	most, least, desc := 0.0, math.Inf(1), []string{}
	first, last := math.MaxInt, 0
	for _, s := range list {
		var words []string
		for _, r := range s.rows {
			first, last = min(first, r.Processors), max(last, r.Processors)
			if v := what.of(r); v > 0 {
				most, least = max(most, v), min(least, v)
			}
			words = append(words, fmt.Sprintf("%s ms on %d", numeral.Digits(what.of(r), 3), r.Processors))
		}
		desc = append(desc, s.name+": "+strings.Join(words, ", "))
	}
	f.Desc = strings.Join(desc, "; ") + "."
	if most == 0 {
		most, least = 1, 1
	}
	least = max(least, most*1e-4)
	p := chart.NewPlot("processors", what.name+" [ms]")
	chart.Logarithmic(&p.X, float64(first)*.93, float64(last)*1.07, chart.ProcessorCounts)
	chart.Logarithmic(&p.Y, least/1.25, most*1.25, chart.RoundTicks)
	p.Add(chart.Grid(true, true))
	for i := range list { // the machine on top
		p.Add(seriesLine(list[len(list)-1-i], what, least))
	}
	return f.DrawPlot(p, 230)
}

func seriesLine(s series, what quantity, least float64) chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		var line []vg.Point
		for _, r := range s.rows {
			if v := what.of(r); v >= least {
				line = append(line, vg.Point{X: c.X(p.X.Norm(float64(r.Processors))), Y: c.Y(p.Y.Norm(v))})
			}
		}
		c.StrokeLines(draw.LineStyle{Color: s.look.Ink.Light, Width: 1.5}, line)
		for _, at := range line {
			c.DrawGlyph(draw.GlyphStyle{Color: s.look.Ink.Light, Radius: 3, Shape: s.look.Glyph}, at)
		}
	}
}

// simpleGroup is the figures of one program.
type simpleGroup struct {
	Program string
	Figures []chart.Figure
}

// drawAbstractions draws what Study.Simplified holds.
func (p *page) drawAbstractions() error {
	if p.Simplified == nil {
		return nil
	}
	var kinds []string
	for _, pair := range p.Simplified.Pairs {
		kinds = appendNew(kinds, pair.Kind())
	}
	p.SimpleLegend = []chart.LegendEntry{machineMark.Legend("the machine itself", "")}
	for i, k := range kinds {
		p.SimpleLegend = append(p.SimpleLegend, chart.MarkOf(i).Legend(k, ""))
	}
	for n, g := range grouped(p.Simplified.Pairs, func(p paired.Pair) string { return p.Real.Program }) {
		figures, err := abstractionFigures(fmt.Sprintf("abstraction-%d", n), g.Rows, kinds)
		if err != nil {
			return err
		}
		p.Simple = append(p.Simple, simpleGroup{g.Head, figures})
		p.Programs = appendNew(p.Programs, g.Head)
	}
	p.SimpleHeads, p.SimpleRows = cells(p.Simplified.Summary())
	return nil
}

// cells is a table of texts and numbers as people read it.
func cells(t *store.Table) (heads []string, rows [][]string) {
	rows = make([][]string, t.Rows())
	for _, c := range t.Columns {
		head := c.Name
		if c.Unit != "" {
			head += " [" + c.Unit + "]"
		}
		heads = append(heads, head)
		for i := range rows {
			rows[i] = append(rows[i], cell(c.Data, i))
		}
	}
	return heads, rows
}

func cell(data any, i int) string {
	switch d := data.(type) {
	case []float64:
		return numeral.Digits(d[i], 3)
	case []string:
		return d[i]
	case []int32:
		return fmt.Sprint(d[i])
	}
	return ""
}
