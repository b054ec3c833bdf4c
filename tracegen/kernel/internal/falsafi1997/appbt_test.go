package falsafi1997

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var appbtSizes = []workload.Values{{"size": 6, "iterations": 1}, {"size": 8, "iterations": 2}, {"size": 7, "iterations": 3, "step": 5000}}

func spoilAppbt(inst workload.Instance) {
	f := inst.(*appbt)
	at := len(f.u)/2 + 3
	f.u[at] = math.Nextafter(f.u[at], 0)
}

func ranAppbt(t *testing.T, set workload.Values, procs int) *appbt {
	t.Helper()
	f := kerneltest.Instance(t, Appbt, set, procs).(*appbt)
	if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAppbtDoesNotDependOnRanks(t *testing.T) {
	set := workload.Values{"size": 9, "iterations": 2}
	want := ranAppbt(t, set, 1).Digest()
	for _, procs := range kerneltest.ProcCounts {
		if got := ranAppbt(t, set, procs).Digest(); got != want {
			t.Errorf("%d ranks: result %s, on one %s", procs, got, want)
		}
	}
}

// rates are the root mean squares of R by variable.
func (f *appbt) rates() (rates [5]float64) {
	s := &serialBT{n: f.n, dt: f.dt, u: states(f.u), forcing: states(appbtForcing(f.n))}
	s.inner(func(p int, at [3]int) {
		for m, r := range s.rate(p, at) {
			rates[m] += r * r
		}
	})
	for m := range rates {
		rates[m] = math.Sqrt(rates[m] / float64((f.n-2)*(f.n-2)*(f.n-2)))
	}
	return rates
}

// TestAppbtIsTheNASBenchmark compares with the norms that NAS publishes for its
// sample size, class S of BT, and accepts 1e-8 of them, as NAS does.
func TestAppbtIsTheNASBenchmark(t *testing.T) {
	f := ranAppbt(t, workload.Values{"size": 12, "iterations": 60}, 4)
	compare := func(what string, got, want [5]float64) {
		for m := range want {
			if e := math.Abs(got[m]/want[m] - 1); !(e <= 1e-8) {
				t.Errorf("variable %d: %s %.16e, NAS has %.16e", m, what, got[m], want[m])
			}
		}
	}
	compare("R", f.rates(), [5]float64{1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02, 1.9211784131744430e-01})
	compare("error", appbtErrors(f.u, f.n), [5]float64{4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05, 7.3821238632439731e-05, 8.9269630987491446e-04})
}

// TestAppbtConverges: every iteration reduces what is left of the equations.
func TestAppbtConverges(t *testing.T) {
	for _, n := range []int{6, 12, 13} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := kerneltest.Instance(t, Appbt, workload.Values{"size": n, "iterations": 1}, 3).(*appbt)
			previous := f.rates()
			for iteration := range 15 {
				if err := spmd.Native(context.Background(), 3, f.Program); err != nil {
					t.Fatal(err)
				}
				rates := f.rates()
				for m := range rates {
					if rates[m] >= previous[m] {
						t.Errorf("size %d, iteration %d: R of variable %d goes from %g to %g", n, iteration, m, previous[m], rates[m])
					}
				}
				previous = rates
			}
		})
	}
}

// TestAppbtSteadyStateStays: R is zero there but for rounding. The fluxes are below
// 200, differences divide them by the distance of points, 1/11, and second ones by
// its square; there are 60 terms.
func TestAppbtSteadyStateStays(t *testing.T) {
	f := kerneltest.Instance(t, Appbt, nil, 1).(*appbt)
	f.u = appbtFill(f.n, appbtExact)
	for m, r := range f.rates() {
		if bound := 60 * 200 * 121 * 0x1p-53; !(r <= bound) {
			t.Errorf("variable %d: R is %g, more than %g", m, r, bound)
		}
	}
}

// TestAppbtRefusesToRunAway: this step is some forty times that of NAS.
func TestAppbtRefusesToRunAway(t *testing.T) {
	f := ranAppbt(t, workload.Values{"size": 20, "iterations": 8, "step": 30000}, 2)
	if err := f.Verify(); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
}

// TestAppbtSolvesItsSystems compares the solution of lines in each direction with
// gonum's of the dense matrix. Both are exact for a matrix of N rows that is off by
// 3N u |L||U| [higham2002, thm. 9.4], which is below 3N^2 u times its norm where
// nothing grows in elimination; in the solution that is as much times the condition.
func TestAppbtSolvesItsSystems(t *testing.T) {
	f := ranAppbt(t, workload.Values{"size": 12, "iterations": 2}, 3)
	n, rows := f.n, 5*(f.n-2)
	s := &serialBT{n: n, dt: f.dt, u: states(f.u)}
	work := func() []float64 { return make([]float64, 25*n) }
	rng := workload.Generator(3)
	for line := range n * n * n {
		deriveFlow(f.u, f.flow.rho, f.flow.velocity, f.flow.square, f.flow.q, line, 1)
	}
	for d, along := range []int{1, n, n * n} {
		first := 4*(1+n+n*n) - 3*along // inner point of number 1
		dense, right := mat.NewDense(rows, rows, nil), mat.NewVecDense(rows, nil)
		for i := range n - 2 {
			lower, diagonal, upper := s.blockRow(first+i*along, along, d)
			for r := range 25 {
				for k, block := range []matrix{lower, diagonal, upper} {
					if at := i - 1 + k; at >= 0 && at < n-2 {
						dense.Set(5*i+r/5, 5*at+r%5, block[r/5][r%5])
					}
				}
			}
			for m := range 5 {
				right.SetVec(5*i+m, rng.NormFloat64())
				f.rhs[5*(first+i*along)+m] = right.AtVec(5*i + m)
			}
		}
		flux, viscous, a, b, c := work(), work(), work(), work(), work()
		jacobians(f.u, f.flow.rho, f.flow.square, f.flow.q, flux, viscous, first-along, along, n, d)
		blocks(flux, viscous, a, b, c, n, d, f.dt)
		solveBlocks(a, b, c, f.rhs, first-along, along, n)
		var want mat.VecDense
		if err := want.SolveVec(dense, right); err != nil {
			t.Fatal(err)
		}
		bound := 2 * 3 * float64(rows*rows) * 0x1p-53 * mat.Cond(dense, math.Inf(1)) * mat.Norm(&want, math.Inf(1))
		for r := range rows {
			got := f.rhs[5*(first+r/5*along)+r%5]
			if e := math.Abs(got - want.AtVec(r)); !(e <= bound) {
				t.Errorf("direction %d, row %d: %g, gonum has %g, more than %g away", d, r, got, want.AtVec(r), bound)
			}
		}
	}
}
