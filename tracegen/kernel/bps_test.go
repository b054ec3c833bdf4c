package kernel

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
)

var bpsSizes = []workload.Values{{"g": 2, "digits": 12}, {"g": 8, "iterations": 3}, {"g": 16}, {"g": 4, "digits": 10}}

func spoilBPS(inst workload.Instance) {
	f := inst.(*bps)
	f.u[1][5*(f.g+1)+5] += 1e-11
}

// TestBPSIsElimination compares with Cholesky factorization of the banded matrix of
// all unknowns. Both differ from the solution by no more than n^2/8 times their
// residual, n intervals making the shorter side.
func TestBPSIsElimination(t *testing.T) {
	for _, procs := range []int{1, 2, 4, 6} {
		f := instance(t, BPS, workload.Values{"g": 8, "digits": 12}, procs).(*bps)
		rows, cols := f.size()
		want := solvePoissonByCholesky(t, f, rows, cols)
		if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
			t.Fatal(err)
		}
		got, wide, h := f.gathered(), cols+2, f.spacing()
		var off, residual float64
		for i := 1; i <= rows; i++ {
			for j := 1; j <= cols; j++ {
				off = max(off, math.Abs(got[i*wide+j]-want[i*wide+j]))
				residual = max(residual, math.Abs(poissonResidual(got, wide, i, j, h))+math.Abs(poissonResidual(want, wide, i, j, h)))
			}
		}
		n := float64(min(rows, cols) + 1)
		if bound := n * n / 8 * (residual + 2*2*poissonRounding); off > bound {
			t.Errorf("%d ranks: off by %.3g, more than %.3g", procs, off, bound)
		}
		if err := f.Verify(); err != nil {
			t.Errorf("%d ranks: %v", procs, err)
		}
	}
}

// solvePoissonByCholesky returns the whole grid.
func solvePoissonByCholesky(t *testing.T, f *bps, rows, cols int) []float64 {
	n, wide, h := rows*cols, cols+2, f.spacing()
	a, b, u := mat.NewSymBandDense(n, cols, nil), mat.NewVecDense(n, nil), make([]float64, (rows+2)*wide)
	for i := range rows + 2 {
		for j := range wide {
			if i == 0 || i == rows+1 || j == 0 || j == cols+1 {
				u[i*wide+j] = poissonSolution(i, j, h)
			}
		}
	}
	for i := range rows {
		for j := range cols {
			at, here := (i+1)*wide+j+1, i*cols+j
			a.SetSymBand(here, here, 4)
			if j+1 < cols {
				a.SetSymBand(here, here+1, -1)
			}
			if i+1 < rows {
				a.SetSymBand(here, here+cols, -1)
			}
			b.SetVec(here, u[at-wide]+u[at+wide]+u[at-1]+u[at+1]-poissonRHS(i+1, h)) // what is unknown is still 0
		}
	}
	var cholesky mat.BandCholesky
	var x mat.VecDense
	if !cholesky.Factorize(a) {
		t.Fatal("the matrix is not positive definite")
	}
	if err := cholesky.SolveVecTo(&x, b); err != nil {
		t.Fatal(err)
	}
	for here := range n {
		u[(here/cols+1)*wide+here%cols+1] = x.AtVec(here)
	}
	return u
}
