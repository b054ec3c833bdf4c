package study

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

// judge computes the errors of r at points that it was not fitted to.
func (s *Study) judge(r *Result, m *packing.Model, coef []float64, train, test *design, o Options) {
	judged, predicted := test, []float64(nil)
	if test != nil {
		predicted = test.predict(m, coef)
	} else {
		judged = train
		var err error
		if predicted, err = train.crossValidate(r, o.Seed); err != nil {
			r.Warnings = append(r.Warnings, fmt.Errorf("cross-validation: %w", err))
			r.Errors = fit.ErrorsOf(nil, nil, len(coef))
			return
		}
	}
	r.Errors = fit.ErrorsOf(judged.means, predicted, len(coef))
	for i, p := range judged.points {
		s.Compared = append(s.Compared, timing.Comparison{Point: p, State: s.State, Model: r.Model.Name, Method: r.Method.Name,
			Measured: judged.means[i], Predicted: predicted[i]})
	}
}

func (d *design) predict(m *packing.Model, coef []float64) []float64 {
	var out []float64
	for _, row := range d.rows(m) {
		out = append(out, fit.Predict(coef, row))
	}
	return out
}

// folds is the number of parts in cross-validation.
const folds = 10

// crossValidate predicts each point by a fit without its part.
func (d *design) crossValidate(r *Result, seed uint64) ([]float64, error) {
	n := len(d.points)
	order := rand.New(rand.NewPCG(seed, 3)).Perm(n)
	out := make([]float64, n)
	for fold := range min(folds, n) {
		drawn := make([]int, n)
		for i, p := range order {
			if i%folds != fold {
				drawn[p] = 1
			}
		}
		m, _, solution, err := d.solve(r.Model, r.Method, d.means, drawn)
		if err != nil {
			return nil, err
		}
		rows := d.rows(&m)
		for i := fold; i < n; i += folds {
			out[order[i]] = fit.Predict(solution.Coef, rows[order[i]])
		}
	}
	return out, nil
}

// Best returns the result with the least error ratio, or nil if no model has parameters.
func (s *Study) Best() (best *Result) {
	for i := range s.Results {
		if r := &s.Results[i]; r.Refused == nil && (best == nil || r.Errors.Ratio < best.Errors.Ratio) {
			best = r
		}
	}
	return best
}

// useless returns an error if no model has parameters.
func (s *Study) useless(title string) error {
	if slices.ContainsFunc(s.Results, func(r Result) bool { return r.Refused == nil }) {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", title, s.Results[0].Model.Name, s.Results[0].Refused)
}
