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

// overviewFigure draws the error of every case as a mark, a strip for each
// model. The scale is linear within the claimed 5 % and logarithmic far from it.
func overviewFigure(id string, c *paired.Comparison) (chart.Figure, error) {
	f := chart.Figure{ID: id, Title: "Error of each model in every row", Chart: overviewChart(c)}
	var desc []string
	reach := 2 * paired.Claim
	for i := range c.Models {
		s := c.Summary(i)
		if s.Cases == 0 {
			continue
		}
		reach = max(reach, 1.1*s.Worst)
		desc = append(desc, fmt.Sprintf("%s: mean absolute error %s, worst %s", s.Model, numeral.Percent(s.Mean), numeral.Percent(s.Worst)))
	}
	f.Desc = strings.Join(desc, "; ") + "."
	p := chart.NewPlot("error of E(Instr) against the simulation", "")
	p.X.Min, p.X.Max, p.X.Scale = -reach, reach, arsinhScale{}
	p.X.Tick.Marker = plot.TickerFunc(errorTicks)
	p.Y.Min, p.Y.Max = -float64(len(c.Models))+.4, .6
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		ticks := make([]plot.Tick, len(c.Models))
		style := chart.TextStyle(10.5, chart.MutedInk, draw.XLeft, draw.YCenter)
		for i, m := range c.Models {
			ticks[i] = plot.Tick{Value: -float64(i), Label: chart.Fit(m, 90, style)}
		}
		return ticks
	})
	p.Add(claimBand(), chart.Grid(true, false), errorStrips(c))
	return f, f.DrawPlot(p, vg.Length(58+40*len(c.Models)))
}

// arsinhScale is linear near zero and logarithmic far from it.
type arsinhScale struct{}

// Normalize implements plot.Normalizer.
func (arsinhScale) Normalize(lo, hi, x float64) float64 {
	bend := func(v float64) float64 { return math.Asinh(v / paired.Claim) }
	return (bend(x) - bend(lo)) / (bend(hi) - bend(lo))
}

func errorTicks(lo, hi float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}, {Value: -paired.Claim, Label: "−5 %"}, {Value: paired.Claim, Label: "+5 %"}}
	for _, v := range []float64{.2, .5, 2, 10, 50} {
		if v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: "+" + numeral.Digits(100*v, 3) + " %"})
		}
		if -v >= lo && v < 1 {
			ticks = append(ticks, plot.Tick{Value: -v, Label: "−" + numeral.Digits(100*v, 3) + " %"})
		}
	}
	return ticks
}

// claimBand shades the errors that the paper claims.
func claimBand() chart.Layer {
	return func(c draw.Canvas, p *plot.Plot) {
		left, right := c.X(p.X.Norm(-paired.Claim)), c.X(p.X.Norm(paired.Claim))
		c.FillPolygon(chart.BandInk.Light, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
	}
}

// errorStrips draws the cases of each model in a strip, from top to bottom in the order of the table, so that
// equal errors do not cover each other.
func errorStrips(c *paired.Comparison) chart.Layer {
	return func(canvas draw.Canvas, p *plot.Plot) {
		for i := range c.Models {
			m := chart.MarkOf(i)
			for n, k := range c.Cases {
				e, ok := k.Error(i)
				if !ok {
					continue
				}
				y := -float64(i) + .34 - .68*(float64(n)+.5)/float64(len(c.Cases))
				canvas.DrawGlyph(draw.GlyphStyle{Color: m.Ink.Light, Radius: 2.6, Shape: m.Glyph},
					vg.Point{X: canvas.X(p.X.Norm(e)), Y: canvas.Y(p.Y.Norm(y))})
			}
		}
	}
}
