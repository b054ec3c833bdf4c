package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// caseFigure draws E(Instr) of one program: the simulation as a line with a band
// of the paper's 5 % around it, the models as marks, by machine and processors.
func caseFigure(id string, models []string, cases []Case) (Figure, error) {
	f := Figure{ID: id, Heading: cases[0].Simulated.Program, Title: "Model against simulation, " + cases[0].Simulated.Program}
	lo, hi := math.Inf(1), 0.0
	var desc []string
	for _, k := range cases {
		text := fmt.Sprintf("%s: simulated %s ns", k.Simulated.place(), number(k.Simulated.EInstr, 3))
		lo, hi = min(lo, k.Simulated.EInstr*(1-Claim)), max(hi, k.Simulated.EInstr*(1+Claim))
		for i, r := range k.Predicted {
			if e, ok := k.Error(i); ok {
				lo, hi = min(lo, r.EInstr), max(hi, r.EInstr)
				text += fmt.Sprintf(", %s %s", models[i], signedPercent(e))
			}
		}
		desc = append(desc, text)
	}
	f.Desc = strings.Join(desc, "; ") + "."
	p := newPlot("processors, by machine", "E(Instr) [ns]")
	p.above = 13
	logarithmic(&p.Y, lo/1.06, hi*1.06, roundTicks)
	p.X.Min, p.X.Max = -.5, float64(len(cases))-.5
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick { return processorTicks(cases) })
	p.Add(grid(false, true), machineNames(cases), simulatedBands(cases), modelMarks(cases))
	return f, f.draw(p, 280)
}

func processorTicks(cases []Case) []plot.Tick {
	ticks := make([]plot.Tick, len(cases))
	for i, k := range cases {
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprint(k.Simulated.Processors)}
	}
	return ticks
}

// machineNames writes each machine's name above its cases, with a line between
// machines.
func machineNames(cases []Case) layer {
	return func(c draw.Canvas, p *plot.Plot) {
		style := textStyle(10.5, mutedInk, draw.XCenter, draw.YTop)
		for i := 0; i < len(cases); {
			end := i
			for end < len(cases) && cases[end].Simulated.Machine == cases[i].Simulated.Machine {
				end++
			}
			left, right := c.X(p.X.Norm(float64(i)-.5)), c.X(p.X.Norm(float64(end)-.5))
			name := fit(cases[i].Simulated.Machine, right-left-4, style)
			c.FillText(style, vg.Point{X: (left + right) / 2, Y: c.Max.Y + 13}, name)
			if end < len(cases) {
				c.StrokeLine2(draw.LineStyle{Color: mutedInk.light, Width: .6, Dashes: []vg.Length{2, 3}}, right, c.Min.Y, right, c.Max.Y+8)
			}
			i = end
		}
	}
}

// simulatedBands draws the simulated values with 5 % to either side.
func simulatedBands(cases []Case) layer {
	return func(c draw.Canvas, p *plot.Plot) {
		for i, k := range cases {
			left, right := c.X(p.X.Norm(float64(i)-.4)), c.X(p.X.Norm(float64(i)+.4))
			e := k.Simulated.EInstr
			bottom, top := c.Y(p.Y.Norm(e*(1-Claim))), c.Y(p.Y.Norm(e*(1+Claim)))
			c.FillPolygon(bandInk.light, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
			y := c.Y(p.Y.Norm(e))
			c.StrokeLine2(draw.LineStyle{Color: textInk.light, Width: 1.6}, left, y, right, y)
		}
	}
}

// modelMarks draws the predictions side by side, with their intervals.
func modelMarks(cases []Case) layer {
	return func(c draw.Canvas, p *plot.Plot) {
		for i, k := range cases {
			for j, r := range k.Predicted {
				if r.Model == "" {
					continue
				}
				m := markOf(j)
				offset := (float64(j) - float64(len(k.Predicted)-1)/2) * .7 / float64(len(k.Predicted))
				x, y := c.X(p.X.Norm(float64(i)+offset)), c.Y(p.Y.Norm(r.EInstr))
				if r.hasInterval() {
					interval(c, p, r, x, draw.LineStyle{Color: m.ink.light, Width: 1})
				}
				c.DrawGlyph(draw.GlyphStyle{Color: m.ink.light, Radius: 3.4, Shape: m.glyph}, vg.Point{X: x, Y: y})
			}
		}
	}
}

// interval draws the interval of r at x, with an arrow where it leaves the plot.
func interval(c draw.Canvas, p *plot.Plot, r Row, x vg.Length, style draw.LineStyle) {
	const tip = 2.5
	lo, hi := c.Min.Y, c.Max.Y
	if r.Lo >= p.Y.Min {
		lo = c.Y(p.Y.Norm(r.Lo))
	} else {
		c.StrokeLines(style, []vg.Point{{X: x - tip, Y: lo + tip}, {X: x, Y: lo}, {X: x + tip, Y: lo + tip}})
	}
	if r.Hi <= p.Y.Max {
		hi = c.Y(p.Y.Norm(r.Hi))
	} else {
		c.StrokeLines(style, []vg.Point{{X: x - tip, Y: hi - tip}, {X: x, Y: hi}, {X: x + tip, Y: hi - tip}})
	}
	c.StrokeLine2(style, x, lo, x, hi)
}
