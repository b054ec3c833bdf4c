package sivasubramaniam1995

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var cgSizes = []workload.Values{{"n": 1, "nonzeros": 1}, {"n": 40, "nonzeros": 40}, {"n": 140, "nonzeros": 2000},
	{"n": 30, "nonzeros": 900, "iterations": 2}}

func spoilCG(inst workload.Instance) {
	f := inst.(*cg)
	f.x[17] *= 1 + 1e-15
}

func TestCGMatrixHasThePapersSize(t *testing.T) {
	for _, c := range []struct{ n, nonzeros int }{{1400, 100300}, {1, 1}, {2, 2}, {2, 4}, {33, 33 * 33}, {100, 9998}} {
		t.Run(fmt.Sprint(c.nonzeros), func(t *testing.T) {
			m := cgMatrix(c.n, c.nonzeros, 3)
			if len(m) != c.nonzeros {
				t.Errorf("n=%d: %d non-zeros, want %d", c.n, len(m), c.nonzeros)
			}
			at := map[[2]int32]float64{}
			for _, e := range m {
				at[[2]int32{e.row, e.column}] = e.value
			}
			for _, e := range m {
				if !(e.value > 0) || at[[2]int32{e.column, e.row}] != e.value {
					t.Fatalf("n=%d: element (%d,%d) is %v, its mirror image %v", c.n, e.row, e.column, e.value, at[[2]int32{e.column, e.row}])
				}
			}
			if len(at) != c.nonzeros {
				t.Errorf("n=%d: an element occurs twice", c.n)
			}
		})
	}
}

// TestCGConvergesToTheSolution of gonum's Cholesky factorization. The relative
// errors of both are within a small multiple of condition number times rounding
// once the residual has stopped falling.
func TestCGConvergesToTheSolution(t *testing.T) {
	const n = 60
	f := kerneltest.Instance(t, CG, workload.Values{"n": n, "nonzeros": 700, "iterations": 3 * n}, 4).(*cg)
	if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
		t.Fatal(err)
	}
	a, ones := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for _, e := range cgMatrix(n, 700, f.seed) {
		a.SetSym(int(e.row), int(e.column), e.value)
		ones.SetVec(int(e.row), cgRightSide)
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		t.Fatal("the matrix is not positive definite")
	}
	var want mat.VecDense
	if err := factor.SolveVecTo(&want, ones); err != nil {
		t.Fatal(err)
	}
	var diff float64
	for i, x := range f.x {
		diff = math.Hypot(diff, x-want.AtVec(i))
	}
	if bound := n * 0x1p-53 * factor.Cond() * mat.Norm(&want, 2); !(diff <= bound) {
		t.Errorf("x differs from gonum's by %.3g, more than %.3g", diff, bound)
	}
}

// TestCGSumsTwiceAnIteration, and once before.
func TestCGSumsTwiceAnIteration(t *testing.T) {
	m, _ := kerneltest.Record(t, kerneltest.Instance(t, CG, cgSizes[3], 3), 3)
	for rank, n := range kerneltest.CountEvents(m, trace.Signal, math.MaxInt32) {
		if want := 1 + 2*cgSizes[3]["iterations"]; n != want {
			t.Errorf("rank %d shows %d sums, want %d", rank, n, want)
		}
	}
}
