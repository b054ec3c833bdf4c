package report

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
func splitFigure(id string, cases []Case) (Figure, error) {
	f := Figure{ID: id, Heading: cases[0].Simulated.Program, Title: "Time by cause, " + cases[0].Simulated.Program,
		Chart: splitChart(cases)}
	longest, height := 0.0, 0.0
	var desc []string
	for _, k := range cases {
		height += headingStep + groupGap
		for _, r := range k.all() {
			height += barStep
			longest = max(longest, r.Split.total(), r.EInstr)
		}
		desc = append(desc, k.Simulated.place()+": simulated "+k.Simulated.Split.words())
	}
	f.Desc = strings.Join(desc, "; ") + ". In nanoseconds per instruction."
	p := newPlot("ns per instruction", "")
	p.X.Min, p.X.Max = 0, longest*1.12
	p.X.Tick.Marker = plot.TickerFunc(linearTicks)
	p.Y.Min, p.Y.Max = -height, 0
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return barTicks(cases) })
	p.Add(grid(true, false), splitBars(cases))
	return f, f.draw(p, vg.Length(height)+42)
}

// all is the simulation and then every model that says something.
func (c Case) all() []Row {
	list := []Row{c.Simulated}
	for _, r := range c.Predicted {
		if r.Model != "" {
			list = append(list, r)
		}
	}
	return list
}

func (s Split) total() float64 { return s.Ideal + s.Latency + s.Contention + s.Sync }

func (s Split) words() string {
	var words []string
	for i, v := range s.parts() {
		words = append(words, terms[i].name+" "+number(v, 3))
	}
	return strings.Join(words, ", ")
}

// bars walks through the bars from top to bottom. It calls group for each case and bar for each bar, with the
// position in points.
func bars(cases []Case, group func(y float64, k Case), bar func(y float64, r Row)) {
	y := 0.0
	for _, k := range cases {
		group(y, k)
		y -= headingStep
		for _, r := range k.all() {
			bar(y, r)
			y -= barStep
		}
		y -= groupGap
	}
}

// barTicks name the bars.
func barTicks(cases []Case) []plot.Tick {
	var ticks []plot.Tick
	style := textStyle(10.5, mutedInk, draw.XRight, draw.YCenter)
	bars(cases, func(float64, Case) {}, func(y float64, r Row) {
		name := r.Model
		if name == "" {
			name = "simulated"
		}
		ticks = append(ticks, plot.Tick{Value: y - barHeight/2 - 1.2, Label: fit(name, 90, style)})
	})
	return ticks
}

func splitBars(cases []Case) layer {
	heading := textStyle(10.5, textInk, draw.XLeft, draw.YCenter)
	return func(c draw.Canvas, p *plot.Plot) {
		bars(cases, func(y float64, k Case) {
			name := fmt.Sprintf("%s, %s", plural(k.Simulated.Processors, "processor"), k.Simulated.Machine)
			c.FillText(heading, vg.Point{X: c.Min.X, Y: c.Y(p.Y.Norm(y)) - headingStep/2}, fit(name, c.Max.X-c.Min.X, heading))
		}, func(y float64, r Row) { stackedBar(c, p, r, c.Y(p.Y.Norm(y))) })
	}
}

// stackedBar draws the parts of r from left to right and the sum behind them.
func stackedBar(c draw.Canvas, p *plot.Plot, r Row, top vg.Length) {
	from := 0.0
	for i, v := range r.Split.parts() {
		left, right := c.X(p.X.Norm(from)), c.X(p.X.Norm(from+v))
		from += v
		if right-left < .05 {
			continue
		}
		c.FillPolygon(terms[i].ink.light, []vg.Point{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: top - barHeight}, {X: left, Y: top - barHeight}})
	}
	style := textStyle(9, textInk, draw.XLeft, draw.YCenter)
	c.FillText(style, vg.Point{X: c.X(p.X.Norm(from)) + 4, Y: top - barHeight/2 + 1}, number(r.EInstr, 3))
}
