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

// Grid draws a thin line at every labelled tick, across the plot.
func Grid(x, y bool) Layer {
	style := draw.LineStyle{Color: gridInk.Light, Width: .8}
	return func(c draw.Canvas, p *plot.Plot) {
		if x {
			for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
				if at := c.X(p.X.Norm(t.Value)); c.ContainsX(at) && t.Label != "" {
					c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
				}
			}
		}
		if y {
			for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
				if at := c.Y(p.Y.Norm(t.Value)); c.ContainsY(at) && t.Label != "" {
					c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
				}
			}
		}
	}
}

// Logarithmic sets axis a to a logarithmic scale from lo to hi, both above 0. It widens the range to a factor of
// two at least.
func Logarithmic(a *plot.Axis, lo, hi float64, ticks func(lo, hi float64) []plot.Tick) {
	if hi < 2*lo {
		middle := math.Sqrt(lo * hi)
		lo, hi = middle/math.Sqrt2, middle*math.Sqrt2
	}
	a.Min, a.Max, a.Scale = lo, hi, plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(ticks)
}

// PercentTicks marks powers of ten as "1 %", and 2 and 5 times those where there
// is room.
func PercentTicks(lo, hi float64) []plot.Tick {
	steps := []float64{1}
	if hi/lo < 200 {
		steps = []float64{1, 2, 5}
	}
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				ticks = append(ticks, plot.Tick{Value: v, Label: numeral.Digits(100*v, 3) + " %"})
			}
		}
	}
	return ticks
}

// ByteTicks marks powers of two, at most six of them, as "64 KiB".
func ByteTicks(lo, hi float64) []plot.Tick {
	first, last := math.Ceil(math.Log2(lo)-1e-9), math.Log2(hi)+1e-9
	step := max(1, math.Ceil((last-first)/5))
	var ticks []plot.Tick
	for e := math.Ceil(first/step) * step; e <= last; e += step {
		ticks = append(ticks, plot.Tick{Value: math.Exp2(e), Label: numeral.Bytes(math.Exp2(e))})
	}
	return ticks
}

// RoundTicks marks 1, 2, 5, 10 ... on a logarithmic axis, and finer steps if fewer than three of those fit.
func RoundTicks(lo, hi float64) []plot.Tick {
	steps := []float64{1, 2, 5}
	switch {
	case hi/lo < 3:
		steps = []float64{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}
	case hi/lo < 12:
		steps = []float64{1, 1.5, 2, 3, 4, 5, 7}
	}
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= lo && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v)})
			}
		}
	}
	return thinned(ticks, 8)
}

// tickLabel prints a value beside an axis. Large and small values get a power of ten, such as "2·10⁵".
func tickLabel(v float64) string {
	e := int(math.Floor(math.Log10(math.Abs(v)) + 1e-9))
	if v == 0 || e > -5 && e < 5 {
		return numeral.Digits(v, 3)
	}
	return strings.TrimPrefix(numeral.ByPower(v, 3), "1·")
}

// LinearTicks marks about four round values from 0 to hi.
func LinearTicks(_, hi float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(hi/4)))
	for _, s := range []float64{1, 2, 2.5, 5, 10} {
		if s*step*5 > hi {
			step *= s
			break
		}
	}
	var ticks []plot.Tick
	for i := range 8 {
		if v := float64(i) * step; v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v)})
		}
	}
	return ticks
}

func thinned(ticks []plot.Tick, most int) []plot.Tick {
	keep := (len(ticks) + most - 1) / most
	var thin []plot.Tick
	for i, t := range ticks {
		if i%max(keep, 1) == 0 {
			thin = append(thin, t)
		}
	}
	return thin
}

// Fit shortens s until it is no wider than room.
func Fit(s string, room vg.Length, style draw.TextStyle) string {
	letters := []rune(s)
	for len(letters) > 1 && style.Width(s) > room {
		letters = letters[:len(letters)-1]
		s = strings.TrimSpace(string(letters)) + "…"
	}
	return s
}

// ProcessorCounts marks powers of two.
func ProcessorCounts(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for n := 1; float64(n) <= hi; n *= 2 {
		if float64(n) >= lo {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		}
	}
	return ticks
}
