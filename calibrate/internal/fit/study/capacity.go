package study

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// Range of capacities, powers of two of bytes: from a page to more than any cache.
const (
	leastCapacity = unit.Bytes(4 << 10)
	mostCapacity  = unit.Bytes(1 << 30)
	// fewestBeside is the least number of drawn points that must lie beyond a capacity, and within it.
	fewestBeside = 5
)

// Estimated is a capacity with its interval. It is zero for models without capacity.
type Estimated struct{ Value, Lo, Hi unit.Bytes }

// solve fits a model to points that count as often as drawn. If the model has a capacity C, solve chooses the
// power of two with the least squares. The interval holds the capacities that an F test at 95 % does not
// distinguish from it.
func (d *design) solve(m packing.Model, method packing.Method, means []float64, drawn []int) (packing.Model, Estimated, fit.Solution, error) {
	if !m.Cached {
		solution, err := solve(method, d.problem(&m, d.rows(&m), method, means, drawn))
		return m, Estimated{}, solution, err
	}
	type try struct {
		c        unit.Bytes
		squares  float64
		model    packing.Model
		solution fit.Solution
	}
	var tries []try
	best, refused := try{squares: math.Inf(1)}, errors.New("no capacity divides these points into two sets")
	for c := leastCapacity; c <= mostCapacity; c *= 2 {
		if !d.divided(c, drawn) {
			continue
		}
		model := m.At(c)
		p := d.problem(&model, d.rows(&model), method, means, drawn)
		solution, err := solve(method, p)
		if err != nil {
			refused = err
			continue
		}
		one := try{c, p.Squares(solution.Coef), model, solution}
		if tries = append(tries, one); one.squares < best.squares {
			best = one
		}
	}
	if len(tries) == 0 {
		return m, Estimated{}, fit.Solution{}, refused
	}
	free := float64(len(d.points) - len(m.Terms) - 1)
	most := math.Inf(1)
	if free > 0 {
		most = best.squares * (1 + distuv.F{D1: 1, D2: free}.Quantile(0.95)/free)
	}
	found := Estimated{best.c, best.c, best.c}
	for _, one := range tries {
		if one.squares <= most {
			found.Lo, found.Hi = min(found.Lo, one.c), max(found.Hi, one.c)
		}
	}
	return best.model, found, best.solution, nil
}

// divided reports whether enough drawn points lie beyond a capacity, and enough within.
func (d *design) divided(c unit.Bytes, drawn []int) bool {
	beyond, within := 0, 0
	for i := range d.features {
		switch {
		case drawn[i] == 0:
		case d.features[i].Space > float64(c):
			beyond++
		default:
			within++
		}
	}
	return min(beyond, within) >= fewestBeside
}
