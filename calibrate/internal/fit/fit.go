// Package fit fits linear models to measured times and estimates the uncertainty of their coefficients.
//
// LeastSquares uses the pseudo-inverse of the scaled columns, as in [hur1999, sec. 4.4]. NonNegative adds the
// condition that no coefficient is negative [lawson1974]. With weights 1/y it fits relative errors, so that large
// messages do not dominate. Both refuse a design with nearly collinear columns, and name the columns.
//
// Times holds repeated measurements. Floor estimates the noise that limits every model. Spread estimates how much
// the coefficients would vary with other points and other launches of the program. Intervals from a single run are
// too narrow.
//
// Segments divides a curve of times over sizes into pieces that follow one line each.
package fit

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Problem is the search for the b that minimizes the sum of (Weight_i (Y_i - X_i b))^2.
type Problem struct {
	Columns []string    // names of the columns of X, for errors
	X       [][]float64 // a row for each point
	Y       []float64
	Weight  []float64 // 0 omits a point; nil weighs all points equally
	// Resampled marks a bootstrap sample of the points of a problem that was solved. Its columns may be closer to
	// collinear; the larger variation of the coefficients is then part of the result.
	Resampled bool
}

// Solution is the result of a fit.
type Solution struct {
	Coef []float64
	// Condition is the ratio of the largest to the smallest singular value of the columns, scaled to length 1. An
	// error of 1/Condition of the times can change a coefficient by all of its value.
	Condition float64
	Warnings  []error
}

// Squares returns the sum that a fit minimizes, for coefficients coef.
func (p *Problem) Squares(coef []float64) (sum float64) {
	for i, x := range p.X {
		off := p.weight(i) * (p.Y[i] - Predict(coef, x))
		sum += off * off
	}
	return sum
}

// Predict returns the prediction of a model with coefficients coef for a point with row x.
func Predict(coef, x []float64) float64 { return floats.Dot(coef, x) }

// Condition numbers of scaled columns. Above 100, coefficients may be hard to separate [belsley1980]. Above 10^4,
// one part in ten thousand of the times can be all of a coefficient; no clock is that accurate.
const (
	doubtfulCondition     = 100
	maxCondition          = 1e4
	maxResampledCondition = 1e10 // beyond it coefficients have few correct digits
	maxKnown              = 1e13 // beyond it a singular value is a rounding error
)

// collinearError is the error of a design with nearly collinear columns.
type collinearError struct {
	Columns   []string
	Condition float64
}

// Error names the columns.
func (e *collinearError) Error() string {
	return fmt.Sprintf("the columns %s are nearly collinear in these points (condition number %.3g, at most %g); measure points in which they vary independently",
		strings.Join(e.Columns, ", "), e.Condition, float64(maxCondition))
}

// tooFewError is the error of a design with no more points than coefficients.
type tooFewError struct{ Points, Coefficients int }

// Error gives the number of points that are needed.
func (e *tooFewError) Error() string {
	return fmt.Sprintf("%d points are too few for %d coefficients; at least %d are needed", e.Points, e.Coefficients, e.Coefficients+1)
}

// scaled is a problem whose columns have length 1, without the points of weight 0.
type scaled struct {
	a         *mat.Dense
	b         *mat.VecDense
	svd       mat.SVD   // of a
	length    []float64 // original lengths of the columns
	condition float64
	warnings  []error
}

// LeastSquares solves p by the pseudo-inverse of its scaled columns.
func LeastSquares(p *Problem) (Solution, error) {
	s, err := p.scale()
	if err != nil {
		return Solution{}, err
	}
	var coef mat.VecDense
	s.svd.SolveVecTo(&coef, s.b, len(p.Columns))
	return s.solution(coef.RawVector().Data), nil
}

// solution returns coefficients in the units of the problem.
func (s *scaled) solution(coef []float64) Solution {
	floats.Div(coef, s.length)
	return Solution{Coef: coef, Condition: s.condition, Warnings: s.warnings}
}

// scale checks p and scales its columns.
func (p *Problem) scale() (*scaled, error) {
	points, err := p.points()
	if err != nil {
		return nil, err
	}
	columns := len(p.Columns)
	if len(points) <= columns {
		return nil, &tooFewError{len(points), columns}
	}
	s := &scaled{a: mat.NewDense(len(points), columns, nil), b: mat.NewVecDense(len(points), nil), length: make([]float64, columns)}
	for i, point := range points {
		w := p.weight(point)
		for j, x := range p.X[point] {
			s.a.Set(i, j, w*x)
		}
		s.b.SetVec(i, w*p.Y[point])
	}
	column := make([]float64, len(points))
	for j, name := range p.Columns {
		s.length[j] = floats.Norm(mat.Col(column, j, s.a), 2)
		if s.length[j] == 0 || math.IsInf(s.length[j], 0) {
			return nil, fmt.Errorf("the column %s has length %g", name, s.length[j])
		}
		floats.Scale(1/s.length[j], column)
		s.a.SetCol(j, column)
	}
	limit := maxCondition
	if p.Resampled {
		limit = maxResampledCondition
	}
	return s, s.judge(p.Columns, limit)
}

func (p *Problem) weight(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// points returns the indices of the points whose weight is not 0.
func (p *Problem) points() (points []int, err error) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for i, row := range p.X {
		w := p.weight(i)
		if len(row) != len(p.Columns) {
			panic(fmt.Sprintf("fit: point %d has %d values for %d columns", i, len(row), len(p.Columns)))
		}
		if !finite(w) || w < 0 || !finite(p.Y[i]) {
			return nil, fmt.Errorf("point %d has the value %g and the weight %g", i, p.Y[i], w)
		}
		for j, x := range row {
			if !finite(x) {
				return nil, fmt.Errorf("point %d has %g in the column %s", i, x, p.Columns[j])
			}
		}
		if w > 0 {
			points = append(points, i)
		}
	}
	return points, nil
}

// judge computes the condition number. If it is too large, the error names the columns with a share in the
// combination of columns that nearly vanishes.
func (s *scaled) judge(names []string, limit float64) error {
	if !s.svd.Factorize(s.a, mat.SVDThin) {
		return fmt.Errorf("computing the singular values of %s failed", strings.Join(names, ", "))
	}
	values := s.svd.Values(nil)
	last := len(values) - 1
	s.condition = values[0] / values[last] // +Inf if the last is 0
	if s.condition > maxKnown {
		s.condition = math.Inf(1)
	}
	if s.condition <= doubtfulCondition {
		return nil
	}
	var v mat.Dense
	s.svd.VTo(&v)
	var share []float64
	for j := range names {
		share = append(share, math.Abs(v.At(j, last)))
	}
	blame := collinearError{Condition: s.condition}
	for j, name := range names {
		if share[j] > floats.Max(share)/10 {
			blame.Columns = append(blame.Columns, name)
		}
	}
	if s.condition > limit {
		return &blame
	}
	s.warnings = append(s.warnings, fmt.Errorf("the columns %s are close to collinear in these points (condition number %.3g): their coefficients are uncertain",
		strings.Join(blame.Columns, ", "), s.condition))
	return nil
}

// solve returns the least squares solution of the given columns. Other coefficients are 0.
func (s *scaled) solve(columns []int) []float64 {
	rows, all := s.a.Dims()
	out := make([]float64, all)
	if len(columns) == 0 {
		return out
	}
	part := mat.NewDense(rows, len(columns), nil)
	column := make([]float64, rows)
	for k, j := range columns {
		part.SetCol(k, mat.Col(column, j, s.a))
	}
	var svd mat.SVD
	if !svd.Factorize(part, mat.SVDThin) {
		panic("fit: no singular values of columns that had them") // interlacing: they are no worse than those of all columns
	}
	var coef mat.VecDense
	svd.SolveVecTo(&coef, s.b, len(columns))
	for k, j := range columns {
		out[j] = coef.AtVec(k)
	}
	return out
}
