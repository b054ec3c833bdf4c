package study_test

import (
	"math"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/study"
	"spoor/calibrate/internal/fit/timing"
)

// The learning curve ends at the error of the fit to all training points, and does not depend on which numbers are asked for. A number
// above that of the training points has no row and a warning.
func TestLearningCurve(t *testing.T) {
	d, err := timing.Read("../../../testdata/measured.arrow")
	if err != nil {
		t.Fatal(err)
	}
	run := func(train ...int) *study.Study {
		all, failed := study.Run(d, study.Options{Line: 64, Page: 4096, Seed: 1, Train: train})
		if len(all) != 1 {
			t.Fatal(failed)
		}
		return all[0]
	}
	s, again := run(10, 50, 100, 101), run(50)
	if models := len(s.Results); len(s.Curve) != 3*models || len(again.Curve) != models {
		t.Fatalf("%d and %d rows of %d models", len(s.Curve), len(again.Curve), models)
	}
	for i, r := range s.Results {
		last := s.Curve[2*len(s.Results)+i]
		if last.Solved != 1 || math.Abs(last.Middle/r.Errors.Ratio-1) > 1e-9 {
			t.Errorf("%s, %s: with all points %+v, fitted %v", r.Model.Name, r.Method.Name, last, r.Errors.Ratio)
		}
		few, some := s.Curve[i], s.Curve[len(s.Results)+i]
		if other := again.Curve[i]; other.Middle != some.Middle || !(few.Lo <= few.Middle && few.Middle <= few.Hi) {
			t.Errorf("%s, %s: %+v and %+v, then %+v", r.Model.Name, r.Method.Name, few, some, other)
		}
	}
	if n := len(s.Warnings); n == 0 || !strings.Contains(s.Warnings[n-1].Error(), "no errors with 101 training points: there are 100") {
		t.Errorf("warnings %v", s.Warnings)
	}
}

// A negative alpha is said, as of M1 by least squares at these points; with the least of the launches M1 gains less.
func TestNegativeAlphaAndTakes(t *testing.T) {
	gain := map[fit.Take]float64{}
	for _, take := range fit.Takes {
		d, err := timing.Read("../../../testdata/measured.arrow")
		if err != nil {
			t.Fatal(err)
		}
		d.Take = take
		all, failed := study.Run(d, study.Options{Line: 64, Page: 4096, Seed: 1})
		if len(all) != 1 {
			t.Fatal(failed)
		}
		for _, r := range all[0].Results {
			negative := false
			for _, w := range r.Warnings {
				negative = negative || strings.Contains(w.Error(), "alpha is negative")
			}
			if negative != (r.Coefficients[0].Value < 0) {
				t.Errorf("%s, %s: alpha %v, warned %v", r.Model.Name, r.Method.Name, r.Coefficients[0].Value, negative)
			}
			if r.Model.Name == "M1" && !r.Method.Relative {
				gain[take] = all[0].Results[0].Errors.Ratio / r.Errors.Ratio
			}
		}
	}
	if !(gain[fit.Mean] > gain[fit.Median] && gain[fit.Median] > gain[fit.Least]) {
		t.Errorf("gains %v", gain)
	}
}
