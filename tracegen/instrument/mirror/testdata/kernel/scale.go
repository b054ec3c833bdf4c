package kernel

import (
	"errors"

	"example.com/mirrored/workload"
	"spoor/tracegen/spmd"
)

// Scale multiplies an array by a number.
var Scale = workload.Kernel{
	Name: "scale", Paper: "none", Doc: "multiplies an array",
	Params: []workload.Param{{Name: "n", Default: 64, Min: 1, Max: 1 << 20, Doc: "elements"}},
	Make:   newScale,
}

type scale struct {
	x    []float64
	step func(x []float64, f float64) // a function that only a field leads to
	rule rule
}

// rule is called through an interface.
type rule interface{ factor() float64 }

type twice struct{}

func (twice) factor() float64 { return factors[1] }

// factors is a table that ranks read.
var factors = [...]float64{1, 2}

func newScale(v workload.Values, _ int, _ uint64) workload.Instance {
	return scaleOf(v["n"])
}

func scaleOf(n int) *scale {
	s := &scale{x: make([]float64, n), rule: twice{}}
	for i := range s.x {
		s.x[i] = float64(i)
	}
	s.step = multiply
	return s
}

// Program is what every rank runs.
func (s *scale) Program(r *spmd.Rank) error {
	x := spmd.Shared(r, "x", s.x)
	lo, hi := r.Share(len(x))
	s.step(x[lo:hi], s.rule.factor())
	r.Barrier()
	return nil
}

//go:noinline
func multiply(x []float64, f float64) {
	for i := range x { // each
		x[i] *= f
	}
}

// Verify compares with the definition.
func (s *scale) Verify() error {
	for i, v := range s.x {
		if v != 2*float64(i) {
			return errors.New("wrong")
		}
	}
	return nil
}

func (s *scale) Digest() string { return workload.Digest(s.x) }

func (s *scale) Counts() workload.Counts { return workload.Counts{Barriers: 1} }
