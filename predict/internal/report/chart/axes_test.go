package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot"
)

// Axes have room for few letters, and shares end where the whole is.
func TestAxes(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.001: "0.001", 3e-6: "3·10⁻⁶", 10_000: "10000", 99_999: "99999", 100_000: "10⁵", -2.5e12: "−2.5·10¹²", 1e-300: "10⁻³⁰⁰"} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			if got := tickLabel(v); got != want {
				t.Errorf("%v is labelled %q, want %q", v, got, want)
			}
		})
	}
	for _, c := range []struct{ lo, hi, least, most float64 }{{.9, .95, .475, 1}, {.01, .999, .009, 1}, {.01, .1, .009, .11}, {.5, 1.5, .45, 1.61}} {
		t.Run(fmt.Sprint(c.hi), func(t *testing.T) {
			p := plot.New()
			Axis{Unit: "%", Scale: Log}.set(&p.Y, []float64{c.lo, c.hi})
			if p.Y.Min < c.least || p.Y.Max > c.most || p.Y.Min > c.lo || p.Y.Max < c.hi {
				t.Errorf("shares from %v to %v are drawn from %v to %v, want within %v to %v", c.lo, c.hi, p.Y.Min, p.Y.Max, c.least, c.most)
			}
		})
	}
}

func TestNumbersInJSON(t *testing.T) {
	got, err := json.Marshal(At(1.0/3, math.NaN(), math.Inf(-1), 2e20, 0))
	if want := "[0.333333,null,null,200000000000000000000,0]"; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
