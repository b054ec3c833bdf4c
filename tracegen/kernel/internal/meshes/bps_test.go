package meshes

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var bpsSizes = []workload.Values{{"g": 2, "digits": 12}, {"g": 8, "iterations": 3}, {"g": 16, "systems": 3}, {"g": 4, "digits": 10}}

func spoilBPS(inst workload.Instance) {
	f := inst.(*bps)
	f.square(1, f.systems/2)[5*(f.g+1)+5] += 1e-11
}

// TestBPSIsElimination compares with Cholesky factorization of the banded matrix of
// all unknowns. Both differ from the solution by no more than n^2/8 times their
// residual, n intervals making the shorter side.
func TestBPSIsElimination(t *testing.T) {
	for _, procs := range []int{1, 2, 4, 6} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			f := kerneltest.Instance(t, BPS, workload.Values{"g": 8, "digits": 12, "systems": 3}, procs).(*bps)
			if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
				t.Fatal(err)
			}
			for system := range f.systems {
				compareWithCholesky(t, f, system)
			}
			if err := f.Verify(); err != nil {
				t.Errorf("%d ranks: %v", procs, err)
			}
		})
	}
}

func compareWithCholesky(t *testing.T, f *bps, system int) {
	t.Helper()
	rows, cols := f.size()
	got, wide, problem := f.gathered(system), cols+2, f.problem(system)
	want := solvePoissonByCholesky(t, problem, rows, cols)
	var off, residual, value float64
	for i := 1; i <= rows; i++ {
		for j := 1; j <= cols; j++ {
			off = max(off, math.Abs(got[i*wide+j]-want[i*wide+j]))
			residual = max(residual, math.Abs(problem.residual(got, wide, i, j))+math.Abs(problem.residual(want, wide, i, j)))
			value = max(value, math.Abs(want[i*wide+j]))
		}
	}
	n := float64(min(rows, cols) + 1)
	if bound := n * n / 8 * (residual + 2*max(2, value)*poissonRounding); off > bound {
		t.Errorf("%d ranks, system %d: off by %.3g, more than %.3g", len(f.u), system, off, bound)
	}
}

// TestBPSSystemsAreApart: of several systems each has the bits and the steps that it
// has alone, and ranks send for each what they send for one.
func TestBPSSystemsAreApart(t *testing.T) {
	set := workload.Values{"g": 8, "iterations": 3, "digits": 12, "systems": 3} // too few iterations for so many digits
	alone := maps.Clone(set)
	delete(alone, "systems")
	for _, procs := range []int{1, 2, 4, 6} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			several := kerneltest.Instance(t, BPS, set, procs).(*bps)
			kerneltest.RunNatively(t, several, procs)
			for system := range several.systems {
				one := kerneltest.Instance(t, BPS, alone, procs).(*bps)
				for rank := range procs {
					one.u[rank], one.rhs[rank] = several.untouched(rank, system)
				}
				kerneltest.RunNatively(t, one, procs)
				if !slices.Equal(one.gathered(0), several.gathered(system)) || one.outcome[0][0] != several.outcome[0][system] {
					t.Errorf("%d ranks: system %d has another result than alone: %+v, %+v", procs, system, several.outcome[0][system], one.outcome[0][0])
				}
			}
			for p, n := range sends(t, kerneltest.Run{Name: "bps", Set: set, Procs: procs}) {
				if one := sends(t, kerneltest.Run{Name: "bps", Set: alone, Procs: procs})[p]; n != 3*one {
					t.Errorf("rank %d of %d sends %d messages for 3 systems, %d for one", p, procs, n, one)
				}
			}
		})
	}
}

// untouched is what a rank starts a system from.
func (f *bps) untouched(rank, system int) (u, rhs []float64) {
	points := (f.g + 1) * (f.g + 1)
	u, rhs = f.input(rank)
	row, _ := f.mesh.position(rank)
	setRHS(rhs, f.g+1, row*f.g, f.problem(system))
	return u[system*points : (system+1)*points], rhs
}

// sends counts the messages of each rank.
func sends(t *testing.T, r kerneltest.Run) []int {
	m, _ := kerneltest.RecordAs(t, r.Of(t, Counted), spmd.Options{Procs: r.Procs, NoRefs: true})
	counts := make([]int, r.Procs)
	for p := range counts {
		for _, e := range m.EventsOf[p].Rows {
			if e.Kind == trace.Send || e.Kind == trace.Isend {
				counts[p]++
			}
		}
	}
	return counts
}

func TestBPSHasRoomForItsSystems(t *testing.T) {
	for _, c := range []struct{ g, most int }{{2048, 1}, {256, 63}, {64, 993}} {
		t.Run(fmt.Sprint(c.g), func(t *testing.T) {
			if _, err := BPS.Values(workload.Values{"g": c.g, "systems": c.most}); err != nil {
				t.Error(err)
			}
			_, err := BPS.Values(workload.Values{"g": c.g, "systems": c.most + 1})
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("1 to %d,", c.most)) {
				t.Errorf("g=%d: %v", c.g, err)
			}
		})
	}
}

// TestLaterParametersLeaveHeadersAsTheyWere: a header names the systems if there are several.
func TestLaterParametersLeaveHeadersAsTheyWere(t *testing.T) {
	for systems, want := range map[int]string{1: "[{g 64} {iterations 100} {digits 8}]", 2: "[{g 64} {iterations 100} {digits 8} {systems 2}]"} {
		if got := fmt.Sprint(BPS.Args(kerneltest.Complete(t, BPS, workload.Values{"systems": systems}))); got != want {
			t.Errorf("%d systems: %s, want %s", systems, got, want)
		}
	}
}

// solvePoissonByCholesky returns the whole grid.
func solvePoissonByCholesky(t *testing.T, problem poisson, rows, cols int) []float64 {
	n, wide := rows*cols, cols+2
	a, b, u := mat.NewSymBandDense(n, cols, nil), mat.NewVecDense(n, nil), make([]float64, (rows+2)*wide)
	for i := range rows + 2 {
		for j := range wide {
			if i == 0 || i == rows+1 || j == 0 || j == cols+1 {
				u[i*wide+j] = problem.solution(i, j)
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
			b.SetVec(here, u[at-wide]+u[at+wide]+u[at-1]+u[at+1]-problem.rhs(i+1)) // what is unknown is still 0
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
