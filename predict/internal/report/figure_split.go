package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// The layout of splitFigure, in points.
const (
	barHeight   = 10
	barStep     = 12.5
	headingStep = 15
	groupGap    = 6
)

// splitFigure draws the time by cause of one program: a group of stacked bars for each case, first the simulation,
// then the models.
func splitFigure(id string, cases []paired.Case) (chart.Figure, error) {
	f := chart.Figure{ID: id, Heading: cases[0].Simulated.Program, Title: "Time by cause, " + cases[0].Simulated.Program,
		Chart: splitChart(cases)}
	longest, height := 0.0, 0.0
	var desc []string
	for _, k := range cases {
		height += headingStep + groupGap
		for _, r := range k.All() {
			height += barStep
			longest = max(longest, r.Split.Total(), r.EInstr)
		}
		desc = append(desc, k.Simulated.Place()+": simulated "+k.Simulated.Split.Words())
	}
	f.Desc = strings.Join(desc, "; ") + ". In nanoseconds per instruction."
	p := chart.NewPlot("ns per instruction", "")
	p.X.Min, p.X.Max = 0, longest*1.12
	p.X.Tick.Marker = plot.TickerFunc(chart.LinearTicks)
	p.Y.Min, p.Y.Max = -height, 0
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return barTicks(cases) })
	p.Add(chart.Grid(true, false), splitBars(cases))
	return f, f.DrawPlot(p, vg.Length(height)+42)
}

// bars walks through the bars from top to bottom. It calls group for each case and bar for each bar, with the
// position in points.
func bars(cases []paired.Case, group func(y float64, k paired.Case), bar func(y float64, r paired.Row)) {
	y := 0.0
	for _, k := range cases {
		group(y, k)
		y -= headingStep
		for _, r := range k.All() {
			bar(y, r)
			y -= barStep
		}
		y -= groupGap
	}
}

// barTicks name the bars.
func barTicks(cases []paired.Case) []plot.Tick {
	var ticks []plot.Tick
	style := chart.TextStyle(10.5, chart.MutedInk, draw.XRight, draw.YCenter)
	bars(cases, func(float64, paired.Case) {}, func(y float64, r paired.Row) {
		name := r.Model
		if name == "" {
			name = "simulated"
		}
		ticks = append(ticks, plot.Tick{Value: y - barHeight/2 - 1.2, Label: chart.Fit(name, 90, style)})
	})
	return ticks
}

func splitBars(cases []paired.Case) chart.Layer {
	heading := chart.TextStyle(10.5, chart.TextInk, draw.XLeft, draw.YCenter)
	return func(c draw.Canvas, p *plot.Plot) {
		bars(cases, func(y float64, k paired.Case) {
			name := fmt.Sprintf("%s, %s", numeral.Plural(k.Simulated.Processors, "processor"), k.Simulated.Machine)
			c.FillText(heading, vg.Point{X: c.Min.X, Y: c.Y(p.Y.Norm(y)) - headingStep/2}, chart.Fit(name, c.Max.X-c.Min.X, heading))
		}, func(y float64, r paired.Row) { stackedBar(c, p, r, c.Y(p.Y.Norm(y))) })
	}
}

// stackedBar draws the parts of r from left to right and the sum behind them.
func stackedBar(c draw.Canvas, p *plot.Plot, r paired.Row, top vg.Length) {
	from := 0.0
	for i, v := range r.Split.Parts() {
		left, right := c.X(p.X.Norm(from)), c.X(p.X.Norm(from+v))
		from += v
		if right-left < .05 {
			continue
		}
		c.FillPolygon(terms[i].ink.Light, []vg.Point{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: top - barHeight}, {X: left, Y: top - barHeight}})
	}
	style := chart.TextStyle(9, chart.TextInk, draw.XLeft, draw.YCenter)
	c.FillText(style, vg.Point{X: c.X(p.X.Norm(from)) + 4, Y: top - barHeight/2 + 1}, numeral.Digits(r.EInstr, 3))
}

// terms are the parts of a Split, in its order.
var terms = [...]struct {
	name, meaning string
	ink           chart.Ink
}{
	{paired.Causes[0], "instructions, and references that hit in the first cache", chart.Grey},
	{paired.Causes[1], "waiting for lower levels of memory that nobody else uses", chart.Blue},
	{paired.Causes[2], "waiting while others use the bus or the memory", chart.Red},
	{paired.Causes[3], "waiting at barriers for the slowest processor", chart.Purple},
}
