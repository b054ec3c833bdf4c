// Package study fits the models of package packing to measured times, and judges them by points that they were not
// fitted to.
//
// Each model is fitted twice: by least squares, as in the paper, in which large messages dominate, and by
// non-negative least squares of relative errors. The capacity C of a model is fitted with its coefficients.
package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// Options of a study.
type Options struct {
	Line, Page unit.Bytes
	Seed       uint64
	// Models to fit; nil: All.
	Models []packing.Model
	// MaxNoise is the largest noise floor with parameters; 0: fit.MaxFloor.
	MaxNoise float64
	// Train are numbers of training points. Each model is also fitted to so many of them, for Study.Curve.
	Train []int
}

// Coefficient is a fitted coefficient.
type Coefficient struct {
	Term          packing.Term
	Unit          string
	Value, Lo, Hi float64 // 95 % interval; NaN: not known
}

// Result is the fit of one model by one method.
type Result struct {
	Model        packing.Model
	Method       packing.Method
	Coefficients []Coefficient
	Capacity     Estimated // C of a model that is Cached
	Condition    float64
	Errors       fit.Errors // at points it was not fitted to
	Interval     string     // description of the intervals
	Refused      error      // reason why there are no coefficients, or nil
	Warnings     []error
}

// Study has the fits of an experiment in one state.
type Study struct {
	Experiment packing.Experiment
	State      string
	Fitted     int // number of points
	Timings    int
	Judged     string // description of the points that models are judged by
	Floor      float64
	Results    []Result
	Compared   []timing.Comparison
	Curve      []Learned // see Options.Train
	Warnings   []error
}

// family is an experiment that these models fit.
type family struct {
	experiment packing.Experiment
	share      float64 // share of its time that is one message
}

// families lists these experiments. Half a round trip is a message.
var families = []family{{packing.Transfer, 1}, {timing.PingPong, 0.5}, {packing.Scan, 1}, {packing.Array, 1}, {timing.AllReduce, 1}}

// Title returns the name of an experiment in a state.
func Title(e packing.Experiment, state string) string {
	if state == "" {
		return string(e)
	}
	return fmt.Sprintf("%s in state %s", e, state)
}

// Run makes a study of each experiment in each state. States are never pooled: each has its own parameters. The
// errors are of experiments that cannot be studied.
func Run(d *timing.Data, o Options) (studies []*Study, failed []error) {
	for _, f := range families {
		for _, state := range d.States() {
			s, err := study(d, f, state, o)
			if err != nil {
				failed = append(failed, err)
			} else if s != nil {
				studies = append(studies, s)
			}
		}
	}
	return studies, failed
}

// design is points with their features and times.
type design struct {
	points   []packing.Point
	features []packing.Features
	times    *fit.Times
	means    []float64
}

// study returns nil if there are no points of the family.
func study(d *timing.Data, f family, state string, o Options) (*Study, error) {
	selected := d.Select(state, f.experiment)
	points, times := selected.Points, selected.Times
	if len(points) == 0 {
		return nil, nil
	}
	title := Title(f.experiment, state)
	for _, row := range times.Of {
		for c := range row {
			row[c] *= f.share
		}
	}
	s := &Study{Experiment: f.experiment, State: state, Timings: selected.Timings}
	if err := selected.Sparse(); err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	if thin := selected.Thin(); thin != nil {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: %w", title, thin))
	}
	var known bool
	if s.Floor, known = times.Floor(); !known {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: nothing was repeated: the noise is not known", title))
	} else if s.Floor > cmp.Or(o.MaxNoise, fit.MaxFloor) {
		return nil, &fit.TooNoisyError{What: title, Floor: s.Floor, Points: len(points)}
	} else if s.Floor > fit.MaxFloor {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: noise is %.2g of the variance between points, which only --max-noise allows", title, s.Floor))
	}
	train, test, err := divide(points, times, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	s.Fitted = len(train.points)
	s.Judged = fmt.Sprintf("%d-fold cross-validation, seed %d", min(folds, len(train.points)), o.Seed)
	if test != nil {
		s.Judged = fmt.Sprintf("%d test points", len(test.points))
	}
	s.fit(train, test, o)
	s.learn(train, test, o)
	return s, s.useless(title)
}

// divide returns the training and the test points. The latter is nil if there is no test set.
func divide(points []packing.Point, times *fit.Times, o Options) (train, test *design, err error) {
	all := map[packing.Set]*design{}
	for i, p := range points {
		f, err := packing.Of(&p, o.Line, o.Page)
		if err != nil {
			return nil, nil, err
		}
		d := all[p.Set]
		if d == nil {
			d = &design{times: &fit.Times{Cluster: times.Cluster, Take: times.Take}}
			all[p.Set] = d
		}
		d.points, d.features, d.times.Of = append(d.points, p), append(d.features, f), append(d.times.Of, times.Of[i])
	}
	for _, d := range all {
		d.means = d.times.Means()
	}
	train, test = all[timing.Train], all[timing.Test]
	switch rest := all[timing.Both]; {
	case rest != nil && len(all) > 1:
		return nil, nil, errors.New("some points have a set and others have none")
	case rest != nil:
		return rest, nil, nil
	case train == nil:
		return nil, nil, errors.New("there is a test set and no training set")
	}
	return train, test, nil
}

// fit fits all models for which there are enough points.
func (s *Study) fit(train, test *design, o Options) {
	models := o.Models
	if models == nil {
		models = packing.All
	}
	placed := !slices.ContainsFunc(train.points, func(p packing.Point) bool { return p.Rows == 0 })
	if test != nil {
		placed = placed && !slices.ContainsFunc(test.points, func(p packing.Point) bool { return p.Rows == 0 })
	}
	ops := slices.ContainsFunc(train.features, func(f packing.Features) bool { return f.Ops != train.features[0].Ops })
	proportional := placed && train.contiguous()
	if proportional {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: %w", Title(s.Experiment, s.State), errProportional))
	}
	for _, m := range models {
		if m.Layout && (!placed || proportional) {
			continue
		}
		if ops {
			m.Terms = append(slices.Clip(m.Terms), packing.Operations)
		}
		for _, method := range packing.Methods {
			s.Results = append(s.Results, s.one(m, method, train, test, o))
		}
	}
	if s.Experiment == packing.Transfer && !placed {
		s.Warnings = append(s.Warnings, fmt.Errorf("%s: some points have no layout: only models without MLT are fitted", Title(s.Experiment, s.State)))
	}
}

// errProportional is the reason why models with lines have no parameters if all blocks are contiguous: lines are
// then proportional to bytes.
var errProportional = errors.New("all blocks are contiguous, like rows of a matrix: MLT is proportional to n, and models with MLT cannot improve; measure columns, too")

// contiguous reports whether all blocks are contiguous.
func (d *design) contiguous() bool {
	return !slices.ContainsFunc(d.points, func(p packing.Point) bool { return p.Rows > 1 && int64(p.Stride) != p.Cols*int64(p.Item) })
}

// one fits one model by one method.
func (s *Study) one(m packing.Model, method packing.Method, train, test *design, o Options) Result {
	r := Result{Model: m, Method: method}
	whole := make([]int, len(train.points))
	for i := range whole {
		whole[i] = 1
	}
	m, c, solution, err := train.solve(m, method, train.means, whole)
	if r.Capacity = c; err != nil {
		r.Refused = err
		return r
	}
	rows := train.rows(&m)
	r.Condition, r.Warnings = solution.Condition, solution.Warnings
	unconstrained := func(means []float64, drawn []int) ([]float64, error) {
		p := train.problem(&m, rows, method, means, drawn)
		p.Resampled = true
		s, err := fit.LeastSquares(p)
		return s.Coef, err
	}
	spread := train.times.Spread(unconstrained, len(m.Terms), false, o.Seed)
	r.Interval = spread.What
	for j, t := range m.Terms {
		c := Coefficient{Term: t, Unit: t.Unit(s.Experiment), Value: solution.Coef[j]}
		c.Lo, c.Hi = spread.Interval(j, c.Value)
		if method.Relative {
			c.Lo = max(c.Lo, 0) // keeps NaN
		}
		r.Coefficients = append(r.Coefficients, c)
	}
	r.negative()
	s.judge(&r, &m, solution.Coef, train, test, o)
	return r
}

// solve solves a problem by a method.
func solve(method packing.Method, p *fit.Problem) (fit.Solution, error) {
	if method.Relative {
		return fit.NonNegative(p)
	}
	return fit.LeastSquares(p)
}

// problem returns the fit of the rows of a model to the means of points, which count as often as drawn.
func (d *design) problem(m *packing.Model, rows [][]float64, method packing.Method, means []float64, drawn []int) *fit.Problem {
	p := &fit.Problem{X: rows, Y: means, Weight: make([]float64, len(means))}
	for _, t := range m.Terms {
		p.Columns = append(p.Columns, t.Column)
	}
	for i, n := range drawn {
		if n == 0 {
			continue
		}
		p.Weight[i] = math.Sqrt(float64(n))
		if method.Relative {
			p.Weight[i] /= means[i]
		}
	}
	return p
}

// rows returns the rows of a model for all points.
func (d *design) rows(m *packing.Model) (rows [][]float64) {
	for i := range d.features {
		rows = append(rows, m.Row(&d.features[i]))
	}
	return rows
}
