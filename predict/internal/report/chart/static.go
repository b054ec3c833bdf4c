package chart

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"spoor/predict/internal/report/numeral"
)

// DrawChart draws the figure's chart where there is no script, and describes it.
func (f *Figure) DrawChart() error {
	f.Desc = f.Chart.words()
	switch f.Chart.Kind {
	case Stack:
		return f.drawStack()
	case Matrix:
		return f.drawMatrix()
	case Timeline:
		return f.drawTimes()
	}
	return f.drawLines()
}

// words lists the points of a chart, the first of each series.
func (c *Chart) words() string {
	const most = 12
	var parts []string
	for _, s := range c.Series {
		var list []string
		for _, p := range s.Points[:min(most, len(s.Points))] {
			list = append(list, c.pointWords(p))
		}
		if len(s.Points) > most {
			list = append(list, fmt.Sprintf("%d more", len(s.Points)-most))
		}
		parts = append(parts, s.Name+": "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ") + "."
}

func (c *Chart) pointWords(p Point) string {
	switch c.Kind {
	case Matrix:
		return fmt.Sprintf("%s from %s to %s", c.Value.words(p[2]), c.Y.words(p[1]), c.X.words(p[0]))
	case Timeline:
		if len(p) > 4 {
			return fmt.Sprintf("%s of %s from %s on", numeral.Percent(float64(p[4]-p[3])), c.Y.words(p[0]), c.X.words(p[1]))
		}
		return fmt.Sprintf("%s of %s", c.X.words(p[2]-p[1]), c.Y.words(p[0]))
	case Stack:
		return fmt.Sprintf("%s of %s", c.X.words(p[1]), c.Y.words(p[0]))
	}
	return fmt.Sprintf("%s at %s", c.Y.words(p[1]), c.X.words(p[0]))
}

// words prints a value of the axis.
func (a Axis) words(v Number) string {
	switch {
	case a.Scale == Category && float64(v) >= 0 && int(v) < len(a.Categories):
		return a.Categories[int(v)]
	case a.Unit == "B":
		return numeral.Bytes(float64(v))
	case a.Unit == "%":
		return numeral.Percent(float64(v))
	case strings.HasPrefix(a.Unit, "$"):
		return "$" + numeral.Digits(float64(v), 4) + a.Unit[1:]
	case a.Unit == "":
		return numeral.Digits(float64(v), 3)
	}
	return numeral.Digits(float64(v), 3) + " " + a.Unit
}

// label is the axis with its unit.
func (a Axis) label() string {
	if a.Unit == "" || a.Unit == "B" || a.Unit == "%" {
		return a.Name
	}
	return a.Name + " [" + a.Unit + "]"
}

// look is the mark that a series has.
func (s Series) look() Mark {
	m := Mark{Ink: Grey, Glyph: draw.CircleGlyph{}}
	for _, i := range inks {
		if i.name == s.Ink {
			m.Ink = i
		}
	}
	for _, known := range Marks {
		if known.Shape == s.Shape {
			m.Glyph = known.Glyph
		}
	}
	return m
}

// drawLines draws lines and points on linear, logarithmic or category scales.
func (f *Figure) drawLines() error {
	c := f.Chart
	p := NewPlot(c.X.label(), c.Y.label())
	var xs, ys []float64
	for _, s := range c.Series {
		for _, at := range s.Points {
			xs, ys = append(xs, float64(at[0])), append(ys, float64(at[1]))
		}
	}
	c.X.set(&p.X, xs)
	c.Y.set(&p.Y, ys)
	p.Add(Grid(true, true))
	for _, s := range c.Series {
		p.Add(drawnSeries(s))
	}
	return f.DrawPlot(p, 250)
}

// set gives an axis of a plot its range and ticks.
func (a Axis) set(axis *plot.Axis, values []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && (a.Scale != Log || v > 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 1, 1
	}
	switch {
	case a.Scale == Category:
		axis.Min, axis.Max = -.5, float64(len(a.Categories))-.5
		axis.Tick.Marker = plot.TickerFunc(func(_, _ float64) (ticks []plot.Tick) {
			for i, name := range a.Categories {
				ticks = append(ticks, plot.Tick{Value: float64(i), Label: Fit(name, 100, TextStyle(10.5, MutedInk, draw.XLeft, draw.YCenter))})
			}
			return ticks
		})
	case a.Scale == Log:
		ticks := RoundTicks
		switch {
		case a.Unit == "B":
			ticks = ByteTicks
		case a.Unit == "%":
			ticks = PercentTicks
		case a.Whole:
			ticks = ProcessorCounts
		}
		least, most := max(lo, hi*1e-6)/1.07, hi*1.07
		if a.Unit == "%" && hi <= 1 { // there is no more of a whole
			most = min(most, 1)
			least = min(least, most/2)
		}
		Logarithmic(axis, least, most, ticks)
	default:
		axis.Min, axis.Max = min(0, lo), hi*1.05
		if axis.Max <= axis.Min {
			axis.Max = axis.Min + 1
		}
		axis.Tick.Marker = a.linear()
	}
}

// linear marks values as the axis has them.
func (a Axis) linear() plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ticks := LinearTicks(lo, hi)
		for i := range ticks {
			if a.Unit == "%" {
				ticks[i].Label = numeral.Percent(ticks[i].Value)
			}
		}
		return ticks
	})
}

// setDown is set for categories from top to bottom, at 0, -1, ...
func (a Axis) setDown(axis *plot.Axis) {
	a.set(axis, nil)
	axis.Min, axis.Max = -axis.Max, -axis.Min
	names := axis.Tick.Marker
	axis.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ticks := names.Ticks(lo, hi)
		for i := range ticks {
			ticks[i].Value = -ticks[i].Value
		}
		return ticks
	})
}

// drawnSeries draws the points of s, and what joins them.
func drawnSeries(s Series) Layer {
	m := s.look()
	style := draw.LineStyle{Color: m.Ink.Light, Width: 1.5, Dashes: map[string][]vg.Length{"dashed": {4, 3}, "dotted": {1, 2.5}}[s.Draw]}
	radius := vg.Length(3)
	if len(s.Points) > 50 {
		radius = 2
	}
	return func(c draw.Canvas, p *plot.Plot) {
		place := func(at Point, y Number) (vg.Point, bool) {
			v := vg.Point{X: c.X(p.X.Norm(float64(at[0]))), Y: c.Y(p.Y.Norm(float64(y)))}
			return v, !math.IsNaN(float64(v.X)) && !math.IsInf(float64(v.X), 0) && !math.IsNaN(float64(v.Y)) && !math.IsInf(float64(v.Y), 0) && c.Contains(v)
		}
		var line []vg.Point
		for _, at := range s.Points {
			if v, ok := place(at, at[1]); ok {
				line = append(line, v)
				if s.Shape != "" && (len(s.Points) <= 24 || s.Draw == "points") {
					c.DrawGlyph(draw.GlyphStyle{Color: m.Ink.Light, Radius: radius, Shape: m.Glyph}, v)
				}
			}
			if len(at) > 3 {
				lo, okLo := place(at, at[2])
				if hi, ok := place(at, at[3]); ok && okLo {
					c.StrokeLine2(draw.LineStyle{Color: m.Ink.Light, Width: 1}, lo.X, lo.Y, hi.X, hi.Y)
				}
			}
		}
		if s.Draw == "step" {
			line = stepped(line)
		}
		if s.Draw != "points" {
			c.StrokeLines(style, line)
		}
		for _, at := range s.Marked {
			if v, ok := place(at, at[1]); ok {
				c.DrawGlyph(draw.GlyphStyle{Color: m.Ink.Light, Radius: 7, Shape: draw.RingGlyph{}}, v)
			}
		}
	}
}

// stepped goes from point to point along the axes: right, then up or down.
func stepped(line []vg.Point) (steps []vg.Point) {
	for i, at := range line {
		if i > 0 {
			steps = append(steps, vg.Point{X: at.X, Y: line[i-1].Y})
		}
		steps = append(steps, at)
	}
	return steps
}

// drawStack draws bars from left to right, under the names of their groups.
func (f *Figure) drawStack() error {
	c := f.Chart
	sums := make([]float64, len(c.Y.Categories))
	for _, s := range c.Series {
		for _, at := range s.Points {
			sums[int(at[0])] += float64(at[1])
		}
	}
	longest := 0.0
	for _, v := range sums {
		longest = max(longest, v)
	}
	p := NewPlot(c.X.label(), "")
	p.X.Min, p.X.Max = 0, max(longest*1.12, 1e-12)
	p.X.Tick.Marker = c.X.linear()
	c.Y.setDown(&p.Y)
	p.Add(Grid(true, false), Layer(func(canvas draw.Canvas, p *plot.Plot) {
		from := make([]float64, len(sums))
		for _, s := range c.Series {
			for _, at := range s.Points {
				bar := int(at[0])
				fillRect(canvas, p, s.look().Ink.Light, from[bar], from[bar]+float64(at[1]), -float64(bar)-.4, -float64(bar)+.4)
				from[bar] += float64(at[1])
			}
		}
	}))
	return f.DrawPlot(p, vg.Length(42+14*len(sums)))
}
