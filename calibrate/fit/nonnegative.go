package fit

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// NonNegative solves p under the condition that no coefficient is negative, by the active sets of
// [lawson1974, algorithm NNLS]: the column whose coefficient would help most to free is freed, and columns whose
// coefficients would then turn negative are held at zero again, until none helps.
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
	tiny      = 1e-12 // of the length of the times: a correlation with what is left that is rounding
	maxRounds = 30    // for each column; three are enough in practice
)

// best is the held column with the largest correlation with the residuals, or -1 if there is none.
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

// settle moves coef towards the least squares of the free columns, and holds those that reach zero,
// until it is there.
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

// chosen are the indices of the true ones.
func chosen(set []bool) (list []int) {
	for j, is := range set {
		if is {
			list = append(list, j)
		}
	}
	return list
}
