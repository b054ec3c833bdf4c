package main

import "testing"

func TestShapesOfCurves(t *testing.T) {
	rise, fall, jagged, level := []float64{1, 2, 3, 4, 5}, []float64{9, 7, 4, 2, 1}, []float64{1, 3, 2, 5, 4}, []float64{1, 1.01, 1.02, 1, 1}
	for _, c := range []struct {
		a, b        []float64
		alike       int
		correlation float64
	}{{rise, rise, 4, 1}, {rise, fall, 0, -1}, {rise, jagged, 2, 0.8}, {rise, level, 0, -0.2236068}, {level, level, 4, 1}} {
		if alike, all := steps(c.a, c.b); alike != c.alike || all != 4 {
			t.Errorf("%v, %v: %d of %d steps alike, want %d of 4", c.a, c.b, alike, all, c.alike)
		}
		if got := rankCorrelation(c.a, c.b); got < c.correlation-1e-6 || got > c.correlation+1e-6 {
			t.Errorf("%v, %v: rank correlation %v, want %v", c.a, c.b, got, c.correlation)
		}
	}
	if turns(jagged) != 3 || turns(rise) != 0 || turns(level) != 0 {
		t.Errorf("turns %d, %d, %d", turns(jagged), turns(rise), turns(level))
	}
	if !near([]float64{1, 2}, []float64{1.09, 2}) || near([]float64{1, 2}, []float64{1.2, 2}) {
		t.Error("near")
	}
}
