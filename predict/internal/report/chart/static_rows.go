package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawTimes draws what lasts from when to when, a line for each row.
func (f *Figure) drawTimes() error {
	c := f.Chart
	end := 0.0
	for _, s := range c.Series {
		for _, at := range s.Points {
			end = max(end, float64(at[2]))
		}
	}
	p := NewPlot(c.X.label(), c.Y.label())
	p.X.Min, p.X.Max = 0, max(end, 1e-12)
	p.X.Tick.Marker = plot.TickerFunc(LinearTicks)
	c.Y.setDown(&p.Y)
	p.Y.Tick.Marker = sparse(p.Y.Tick.Marker)
	p.Add(Layer(func(canvas draw.Canvas, p *plot.Plot) {
		for _, s := range c.Series {
			for _, at := range s.Points {
				bottom, top := -float64(at[0])-.4, -float64(at[0])+.4
				if len(at) > 4 {
					bottom, top = bottom+.8*float64(at[3]), bottom+.8*float64(at[4])
				}
				fillRect(canvas, p, s.look().Ink.Light, float64(at[1]), float64(at[2]), bottom, top)
			}
		}
	}))
	return f.DrawPlot(p, vg.Length(60+max(6, min(22, 300/len(c.Y.Categories)))*len(c.Y.Categories)))
}

// drawMatrix draws cells the darker the larger their logarithm.
func (f *Figure) drawMatrix() error {
	c := f.Chart
	p := NewPlot(c.X.label(), c.Y.label())
	c.X.set(&p.X, nil)
	c.Y.setDown(&p.Y)
	p.X.Tick.Marker, p.Y.Tick.Marker = sparse(p.X.Tick.Marker), sparse(p.Y.Tick.Marker)
	for _, s := range c.Series {
		lo, hi := math.Inf(1), 0.0
		for _, at := range s.Points {
			if v := float64(at[2]); v > 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		p.Add(Layer(func(canvas draw.Canvas, p *plot.Plot) {
			for _, at := range s.Points {
				if !(at[2] > 0) {
					continue
				}
				strength := 1.0
				if hi > lo {
					strength = .12 + .88*math.Log(float64(at[2])/lo)/math.Log(hi/lo)
				}
				ink := s.look().Ink.Light
				x, y := float64(at[0]), -float64(at[1])
				fillRect(canvas, p, color.NRGBA{ink.R, ink.G, ink.B, uint8(255 * strength)}, x-.48, x+.48, y-.48, y+.48)
			}
		}))
	}
	return f.DrawPlot(p, Width)
}

// sparse leaves at most twelve labels.
func sparse(all plot.Ticker) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick { return thinned(all.Ticks(lo, hi), 12) })
}

func fillRect(c draw.Canvas, p *plot.Plot, ink color.Color, left, right, bottom, top float64) {
	x, y := [2]vg.Length{c.X(p.X.Norm(left)), c.X(p.X.Norm(right))}, [2]vg.Length{c.Y(p.Y.Norm(bottom)), c.Y(p.Y.Norm(top))}
	if x[1]-x[0] < .05 {
		return
	}
	c.FillPolygon(ink, []vg.Point{{X: x[0], Y: y[0]}, {X: x[1], Y: y[0]}, {X: x[1], Y: y[1]}, {X: x[0], Y: y[1]}})
}
