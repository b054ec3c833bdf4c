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
)

// curveFigure draws the measured miss-ratio curves of one program, one for each number of processors, with the
// fitted power laws.
func curveFigure(id string, traces []Trace, looks map[int]chart.Mark) (chart.Figure, error) {
	f := chart.Figure{ID: id, Heading: traces[0].Program, Title: "Miss ratio against cache size, " + traces[0].Program, Chart: curveChart(traces, looks)}
	lo, hi, low, high := math.Inf(1), 0.0, math.Inf(1), 0.0
	var desc []string
	for _, t := range traces {
		for _, c := range t.Curve {
			lo, hi = min(lo, c.Size), max(hi, c.Size)
			if c.Ratio > 0 {
				low, high = min(low, c.Ratio), max(high, c.Ratio)
			}
		}
		first, last := t.Curve[0], t.Curve[len(t.Curve)-1]
		desc = append(desc, fmt.Sprintf("%s: %s misses per reference at %s, %s at %s", numeral.Plural(t.Processors, "processor"),
			numeral.Percent(first.Ratio), numeral.Bytes(first.Size), numeral.Percent(last.Ratio), numeral.Bytes(last.Size)))
	}
	f.Desc = strings.Join(desc, "; ") + "."
	if high == 0 {
		low, high = .001, 1
	}
	p := chart.NewPlot("size of a fully associative LRU cache", "misses per reference")
	chart.Logarithmic(&p.X, lo, hi, chart.ByteTicks)
	chart.Logarithmic(&p.Y, min(max(low, high*1e-6)*.8, .5), min(high*1.3, 1), chart.PercentTicks)
	p.Add(chart.Grid(true, true))
	for _, t := range traces {
		p.Add(measuredLine(t, looks[t.Processors]))
		for _, fit := range fits {
			if l := fit.of(t); l.known() {
				p.Add(fit.line(l, looks[t.Processors]))
			}
		}
	}
	return f, f.DrawPlot(p, 270)
}

// measuredLine is the curve of t with its glyph at every second doubling.
func measuredLine(t Trace, m chart.Mark) chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		line := path(c, p, t.Curve)
		c.StrokeLines(draw.LineStyle{Color: m.Ink.Light, Width: 1.6}, c.ClipLinesXY(line...)...)
		style := draw.GlyphStyle{Color: m.Ink.Light, Radius: 3, Shape: m.Glyph}
		due := 0.0
		for _, at := range t.Curve {
			if at.Size < due || at.Ratio <= 0 {
				continue
			}
			due = at.Size * 3.9
			c.DrawGlyph(style, vg.Point{X: c.X(p.X.Norm(at.Size)), Y: c.Y(p.Y.Norm(at.Ratio))})
		}
	}
}

// path cuts a curve where it leaves the logarithmic scale.
func path(c draw.Canvas, p *plot.Plot, curve []CurvePoint) [][]vg.Point {
	var lines [][]vg.Point
	var line []vg.Point
	for _, at := range curve {
		if at.Ratio <= 0 || at.Size <= 0 {
			lines, line = append(lines, line), nil
			continue
		}
		line = append(line, vg.Point{X: c.X(p.X.Norm(at.Size)), Y: c.Y(p.Y.Norm(at.Ratio))})
	}
	return append(lines, line)
}

// lawLook is one way to fit a law, with its look.
type lawLook struct {
	of     func(Trace) law
	width  vg.Length
	dashes []vg.Length
}

// fits are the laws drawn beside each curve: as published dashed, capped dotted.
var fits = []lawLook{
	{Trace.published, 1.1, []vg.Length{4, 3}},
	{Trace.capped, 1.4, []vg.Length{1, 2.5}},
}

// line is l in the colour of m.
func (f lawLook) line(l law, m chart.Mark) chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		const steps = 120
		var line []vg.Point
		for i := range steps + 1 {
			x := p.X.Min * math.Pow(p.X.Max/p.X.Min, float64(i)/steps)
			if y := l.miss(x); y > 0 {
				line = append(line, vg.Point{X: c.X(p.X.Norm(x)), Y: c.Y(p.Y.Norm(y))})
			}
		}
		c.StrokeLines(draw.LineStyle{Color: m.Ink.Light, Width: f.width, Dashes: f.dashes}, c.ClipLinesXY(line)...)
	}
}
