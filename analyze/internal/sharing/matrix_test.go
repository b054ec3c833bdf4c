package sharing

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// get returns the flow without changing the matrix.
func (m *matrix) get(from, to int32) (found flow) {
	m.all(func(f, t int32, x flow) {
		if f == from && t == to {
			found = x
		}
	})
	return found
}

// The matrix of many processors has the flows of a map, as that of few.
func TestMatrixOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 2))
	for _, procs := range []int32{2, fewProcs, fewProcs + 1, 200_000} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			m, want := newMatrix(int(procs)), map[[2]int32]flow{}
			for range 1000 {
				from, to := r.Int32N(procs+1)-1, r.Int32N(min(procs, 10))
				f := want[[2]int32{from, to}]
				if f.lines++; r.IntN(2) == 0 {
					f.words++
					m.word(from, to)
				}
				m.line(from, to)
				want[[2]int32{from, to}] = f
			}
			m.all(func(from, to int32, f flow) {
				if want[[2]int32{from, to}] != f {
					t.Errorf("%d processors: %v from %d to %d", procs, f, from, to)
				}
				delete(want, [2]int32{from, to})
			})
			if len(want) > 0 {
				t.Errorf("%d processors: no %v", procs, want)
			}
		})
	}
}
