package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/packing"
)

// Draws is how often training points are drawn for each of the numbers of Options.Train.
const Draws = 20

// Learned has the errors of a model at all test points, fitted to some training points [hur1999, sec. 5.2].
type Learned struct {
	Model  packing.Model
	Method packing.Method
	Train  int // number of training points, drawn without repetition
	Solved int // draws with a solution, of Draws; with all training points there is one draw
	// Middle, Lo and Hi are the median, the least and the largest SSE/SST of these draws; Relative is the median of
	// their median relative errors. NaN if no draw has a solution.
	Middle, Lo, Hi, Relative float64
}

// learn fits all models to some of the training points. It warns of what has no effect.
func (s *Study) learn(train, test *design, o Options) {
	if len(o.Train) > 0 && test == nil {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: no learning curve: the table has no test points", Title(s.Experiment, s.State)))
		return
	}
	for _, n := range o.Train {
		if n > len(train.points) {
			s.Warnings = append(s.Warnings, fmt.Errorf("%s: no errors with %d training points: there are %d", Title(s.Experiment, s.State), n, len(train.points)))
			continue
		}
		for i := range s.Results {
			s.Curve = append(s.Curve, learned(&s.Results[i], n, train, test, o.Seed))
		}
	}
}

// learned fits one model to n training points. All models have the same draws.
func learned(r *Result, n int, train, test *design, seed uint64) Learned {
	l := Learned{Model: r.Model, Method: r.Method, Train: n}
	random := rand.New(rand.NewPCG(seed, 5))
	draws := Draws
	if n == len(train.points) {
		draws = 1
	}
	var ratios, relative []float64
	for range draws {
		drawn := make([]int, len(train.points))
		for _, i := range random.Perm(len(drawn))[:n] {
			drawn[i] = 1
		}
		m, _, solution, err := train.solve(r.Model, r.Method, train.means, drawn)
		if err != nil {
			continue
		}
		e := fit.ErrorsOf(test.means, test.predict(&m, solution.Coef), len(solution.Coef))
		ratios, relative = append(ratios, e.Ratio), append(relative, e.Median)
	}
	if l.Solved = len(ratios); l.Solved == 0 {
		l.Middle, l.Lo, l.Hi, l.Relative = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return l
	}
	l.Lo, l.Hi = slices.Min(ratios), slices.Max(ratios)
	l.Middle, l.Relative = middle(ratios), middle(relative)
	return l
}

// middle returns the median. It sorts the values.
func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// negative warns of a time of no bytes that is below zero.
func (r *Result) negative() {
	if a := r.Coefficients[0]; a.Term.Column == "1" && a.Value < 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("%s is negative (%.3g s): small messages have times that are too short, or below zero; relative errors (*_rel) do not have that",
			a.Term.Symbol, a.Value))
	}
}
