package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// caseFigure draws E(Instr) of one program by machine and processors. The simulation is a line with a band of 5 %
// around it. Models are marks.
func caseFigure(id string, models []string, cases []paired.Case) (chart.Figure, error) {
	f := chart.Figure{ID: id, Heading: cases[0].Simulated.Program, Title: "Model against simulation, " + cases[0].Simulated.Program,
		Chart: caseChart(models, cases)}
	lo, hi := math.Inf(1), 0.0
	var desc []string
	for _, k := range cases {
		text := fmt.Sprintf("%s: simulated %s ns", k.Simulated.Place(), numeral.Digits(k.Simulated.EInstr, 3))
		lo, hi = min(lo, k.Simulated.EInstr*(1-paired.Claim)), max(hi, k.Simulated.EInstr*(1+paired.Claim))
		for i, r := range k.Predicted {
			if e, ok := k.Error(i); ok {
				lo, hi = min(lo, r.EInstr), max(hi, r.EInstr)
				text += fmt.Sprintf(", %s %s", models[i], numeral.SignedPercent(e))
			}
		}
		desc = append(desc, text)
	}
	f.Desc = strings.Join(desc, "; ") + "."
	p := chart.NewPlot("processors, by machine", "E(Instr) [ns]")
	names := machineNames(cases)
	p.Above = names.room()
	chart.Logarithmic(&p.Y, lo/1.06, hi*1.06, chart.RoundTicks)
	p.X.Min, p.X.Max = -.5, float64(len(cases))-.5
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return processorTicks(cases) })
	p.Add(chart.Grid(false, true), names, simulatedBands(cases), modelMarks(cases))
	return f, f.DrawPlot(p, 267+p.Above)
}

func processorTicks(cases []paired.Case) []plot.Tick {
	ticks := make([]plot.Tick, len(cases))
	for i, k := range cases {
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprint(k.Simulated.Processors)}
	}
	return ticks
}

// span is neighbouring cases on one machine.
type span struct {
	machine    string
	first, end int
}

// nameLine names each machine above its cases, with a line between machines.
type nameLine struct {
	spans []span
	cases int
}

func machineNames(cases []paired.Case) nameLine {
	n := nameLine{cases: len(cases)}
	for i, k := range cases {
		if last := len(n.spans) - 1; last >= 0 && n.spans[last].machine == k.Simulated.Machine {
			n.spans[last].end++
		} else {
			n.spans = append(n.spans, span{k.Simulated.Machine, i, i + 1})
		}
	}
	return n
}

var nameStyle = chart.TextStyle(10.5, chart.MutedInk, draw.XCenter, draw.YTop)

// upright reports whether some name is wider than its cases, so that names stand on end.
func (n nameLine) upright() bool {
	for _, s := range n.spans {
		if nameStyle.Width(s.machine) > (chart.Width-44)*vg.Length(s.end-s.first)/vg.Length(n.cases)-4 && len(n.spans) > 1 {
			return true
		}
	}
	return false
}

// room is the height of the names.
func (n nameLine) room() vg.Length {
	const line, most = 13, 150
	if !n.upright() {
		return line
	}
	widest := vg.Length(0)
	for _, s := range n.spans {
		widest = max(widest, nameStyle.Width(s.machine))
	}
	return min(widest, most) + 6
}

// Plot draws the names.
func (n nameLine) Plot(c draw.Canvas, p *plot.Plot) {
	style, upright := nameStyle, n.upright()
	if upright {
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XLeft, draw.YCenter
	}
	for i, s := range n.spans {
		left, right := c.X(p.X.Norm(float64(s.first)-.5)), c.X(p.X.Norm(float64(s.end)-.5))
		at := vg.Point{X: (left + right) / 2, Y: c.Max.Y + 13}
		room := right - left - 4
		if upright {
			at.Y, room = c.Max.Y+3, n.room()
		}
		c.FillText(style, at, chart.Fit(s.machine, room, nameStyle))
		if i+1 < len(n.spans) {
			c.StrokeLine2(draw.LineStyle{Color: chart.MutedInk.Light, Width: .6, Dashes: []vg.Length{2, 3}}, right, c.Min.Y, right, c.Max.Y+8)
		}
	}
}

// simulatedBands draws the simulated values with 5 % to either side.
func simulatedBands(cases []paired.Case) chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		for i, k := range cases {
			left, right := c.X(p.X.Norm(float64(i)-.4)), c.X(p.X.Norm(float64(i)+.4))
			e := k.Simulated.EInstr
			bottom, top := c.Y(p.Y.Norm(e*(1-paired.Claim))), c.Y(p.Y.Norm(e*(1+paired.Claim)))
			c.FillPolygon(chart.BandInk.Light, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
			y := c.Y(p.Y.Norm(e))
			c.StrokeLine2(draw.LineStyle{Color: chart.TextInk.Light, Width: 1.6}, left, y, right, y)
		}
	}
}

// modelMarks draws the predictions side by side, with their intervals.
func modelMarks(cases []paired.Case) chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		for i, k := range cases {
			for j, r := range k.Predicted {
				if r.Model == "" {
					continue
				}
				m := chart.MarkOf(j)
				offset := (float64(j) - float64(len(k.Predicted)-1)/2) * .7 / float64(len(k.Predicted))
				x, y := c.X(p.X.Norm(float64(i)+offset)), c.Y(p.Y.Norm(r.EInstr))
				if r.HasInterval() {
					interval(c, p, r, x, draw.LineStyle{Color: m.Ink.Light, Width: 1})
				}
				c.DrawGlyph(draw.GlyphStyle{Color: m.Ink.Light, Radius: 3.4, Shape: m.Glyph}, vg.Point{X: x, Y: y})
			}
		}
	}
}

// interval draws the interval of r at x with caps, and an arrow where it leaves the plot.
func interval(c draw.Canvas, p *plot.Plot, r paired.Row, x vg.Length, style draw.LineStyle) {
	const tip = 2.5
	lo, hi := c.Min.Y, c.Max.Y
	if r.Lo >= p.Y.Min {
		lo = c.Y(p.Y.Norm(r.Lo))
		c.StrokeLine2(style, x-tip, lo, x+tip, lo)
	} else {
		c.StrokeLines(style, []vg.Point{{X: x - tip, Y: lo + tip}, {X: x, Y: lo}, {X: x + tip, Y: lo + tip}})
	}
	if r.Hi <= p.Y.Max {
		hi = c.Y(p.Y.Norm(r.Hi))
		c.StrokeLine2(style, x-tip, hi, x+tip, hi)
	} else {
		c.StrokeLines(style, []vg.Point{{X: x - tip, Y: hi - tip}, {X: x, Y: hi}, {X: x + tip, Y: hi - tip}})
	}
	c.StrokeLine2(style, x, lo, x, hi)
}
