package fit

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// NonNegative solves p with the condition that no coefficient is negative, by the active sets of [lawson1974,
// algorithm NNLS]. It frees the coefficient that reduces the error most. It holds coefficients that would become
// negative at zero. It repeats this until no coefficient helps.
func NonNegative(p *Problem) (Solution, error) {
	s, err := p.scale()
	if err != nil {
		return Solution{}, err
	}
	columns := len(p.Columns)
	coef, free := make([]float64, columns), make([]bool, columns)
	enough := tiny * mat.Norm(s.b, 2)
	for range maxRounds * columns {
		j := s.best(coef, free, enough)
		if j < 0 {
			return s.solution(coef), nil
		}
		free[j] = true
		coef = s.settle(coef, free)
	}
	return Solution{}, errors.New("the non-negative fit does not settle")
}

const (
	tiny      = 1e-12 // relative to the length of the times: smaller correlations with the residual are rounding errors
	maxRounds = 30    // for each column; three suffice in practice
)

// best returns the held column with the largest correlation with the residuals, or -1 if there is none.
func (s *scaled) best(coef []float64, free []bool, enough float64) int {
	var left, slope mat.VecDense
	left.MulVec(s.a, mat.NewVecDense(len(coef), coef))
	left.SubVec(s.b, &left)
	slope.MulVec(s.a.T(), &left)
	best := -1
	for j := range coef {
		if !free[j] && slope.AtVec(j) > enough && (best < 0 || slope.AtVec(j) > slope.AtVec(best)) {
			best = j
		}
	}
	return best
}

// settle moves coef to the least squares solution of the free columns. It holds each coefficient that reaches zero
// on the way.
func (s *scaled) settle(coef []float64, free []bool) []float64 {
	for {
		want := s.solve(chosen(free))
		step, stop := 1.0, -1
		for j, is := range free {
			if is && want[j] <= 0 && coef[j]/(coef[j]-want[j]) <= step {
				step, stop = coef[j]/(coef[j]-want[j]), j
			}
		}
		if stop < 0 {
			return want
		}
		for j, is := range free {
			if is {
				coef[j] += step * (want[j] - coef[j])
			}
			if is && (j == stop || coef[j] <= 0) {
				coef[j], free[j] = 0, false
			}
		}
	}
}

// chosen returns the indices of the true elements.
func chosen(set []bool) (list []int) {
	for j, is := range set {
		if is {
			list = append(list, j)
		}
	}
	return list
}
