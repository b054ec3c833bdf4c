package fit_test

import (
	"math"
	"testing"

	"spoor/calibrate/internal/fit"
)

// The time of a point is the mean, the median or the least of the clusters in which it was measured.
func TestTake(t *testing.T) {
	of := [][]float64{{4, 1, math.NaN(), 10}, {2, math.NaN(), 3, math.NaN()}}
	for _, c := range []struct {
		take fit.Take
		want [2]float64
	}{{"", [2]float64{5, 2.5}}, {fit.Mean, [2]float64{5, 2.5}}, {fit.Median, [2]float64{4, 2.5}}, {fit.Least, [2]float64{1, 2}}} {
		times := &fit.Times{Of: of, Take: c.take}
		if got := times.Means(); got[0] != c.want[0] || got[1] != c.want[1] {
			t.Errorf("%q: %v, want %v", c.take, got, c.want)
		}
	}
}

// The noise of the least of two halves is half of the square of their difference; that of means is a quarter.
func TestFloorOfTakes(t *testing.T) {
	of := [][]float64{{1, 1.2}, {3, 3.4}}
	for take, want := range map[fit.Take]float64{fit.Mean: (0.04 + 0.16) / 4 / (2 * 1.05 * 1.05), fit.Least: (0.04 + 0.16) / 2 / 2} {
		times := &fit.Times{Of: of, Take: take}
		if got, known := times.Floor(); !known || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", take, got, want)
		}
	}
}
