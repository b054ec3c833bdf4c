package falsafi1997

import (
	"context"
	"fmt"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var waterSizes = []workload.Values{{"molecules": 1, "steps": 2}, {"molecules": 8, "steps": 3}, {"molecules": 27, "steps": 2}, {"molecules": 2, "steps": 1}}

func spoilWater(inst workload.Instance) {
	m := &inst.(*water).molecules[5]
	m[0][4] = math.Nextafter(m[0][4], 0)
}

func ranWater(t *testing.T, f *water, procs int) *water {
	t.Helper()
	if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
		t.Fatal(err)
	}
	return f
}

func newWaterOf(t *testing.T, n, steps int) *water {
	t.Helper()
	return kerneltest.Instance(t, Water, workload.Values{"molecules": n, "steps": steps}, 1).(*water)
}

func TestWaterDoesNotDependOnRanks(t *testing.T) {
	want := ranWater(t, newWaterOf(t, 50, 4), 1).Digest()
	for _, procs := range kerneltest.ProcCounts {
		if got := ranWater(t, newWaterOf(t, 50, 4), procs).Digest(); got != want {
			t.Errorf("%d ranks: result %s, on one %s", procs, got, want)
		}
	}
}

// slope is the derivative of the potential energy along a coordinate, by central
// differences over 2h.
func (s *serialWater) slope(x *float64, h float64) float64 {
	at := *x
	*x = at + h
	s.sumForces()
	after := s.potential
	*x = at - h
	s.sumForces()
	*x = at
	return float64(after-s.potential) / waterFixed / (2 * h)
}

// TestWaterForcesAreTheGradient: extrapolated from h and h/2. The energy has
// N = 66 x 9 + 12 terms, each off by 2^-48 at most, which makes 3 N 2^-48/h; what
// extrapolation leaves is below h^4, the force is off by 2^-48 in each of 101 terms.
func TestWaterForcesAreTheGradient(t *testing.T) {
	const h, bound = 0x1p-10, 3*(66*9+12)*0x1p-48/0x1p-10 + 101*0x1p-48 + 0x1p-40
	f := ranWater(t, newWaterOf(t, 12, 20), 3)
	s := newSerialWater(f.molecules, f.box, f.dt)
	s.sumForces()
	forces := make([]float64, 9*12)
	for i := range forces {
		forces[i] = float64(s.atoms[i/3].force[i%3]) / waterFixed
	}
	for i, force := range forces {
		x := &s.atoms[i/3].motion[0][i%3]
		want := -(4*s.slope(x, h/2) - s.slope(x, h)) / 3
		if e := math.Abs(force - want); !(e <= bound) {
			t.Errorf("atom %d, axis %d: force %g, gradient %g, off by more than %g", i/3, i%3, force, want, bound)
		}
	}
}

// TestWaterKeepsEnergy: the start, with derivatives above the second of zero, makes
// velocities wrong once by a multiple of the square of the step, so that half the
// step leaves a quarter of the change in energy over the same time.
func TestWaterKeepsEnergy(t *testing.T) {
	var previous float64
	for _, steps := range []int{10, 20, 40, 80} {
		f := newWaterOf(t, 27, steps)
		f.dt = 3 / float64(steps)
		f.molecules = waterInput(27, f.box, f.dt, f.seed)
		ranWater(t, f, 2)
		var worst float64
		for k := 0; k < len(f.energies); k += 2 {
			change := f.energies[k] + f.energies[k+1] - f.energies[0] - f.energies[1]
			worst = max(worst, math.Abs(float64(change))/waterFixed)
		}
		if ratio := previous / worst; previous > 0 && !(ratio > 3.5 && ratio < 4.5) {
			t.Errorf("%d steps: the energy changes by %g, with half the steps by %g", steps, worst, previous)
		}
		if kinetic := float64(f.energies[0]) / waterFixed; worst > 0.01*kinetic {
			t.Errorf("%d steps: the energy changes by %g, kinetic energy is %g", steps, worst, kinetic)
		}
		previous = worst
	}
}

// TestWaterKeepsMomentum: forces are exactly opposite; what predictor and corrector
// round in a step is below 16 u times the terms of the predicted velocities, which
// may have been twice as large before the end.
func TestWaterKeepsMomentum(t *testing.T) {
	const n, steps = 30, 25
	f := ranWater(t, newWaterOf(t, n, steps), 4)
	before := waterInput(n, f.box, f.dt, f.seed)
	for axis := range 3 {
		var force int64
		var change, size float64
		for i := range f.molecules {
			for c := axis; c < 9; c += 3 {
				force += f.forces[9*i+c]
				change += massOf(c) * (f.molecules[i][1][c] - before[i][1][c])
				for k := 1; k < waterOrders; k++ {
					size += massOf(c) * float64(k) * math.Abs(f.molecules[i][k][c])
				}
			}
		}
		if bound := steps * 32 * 0x1p-53 * size; force != 0 || !(math.Abs(change) <= bound) {
			t.Errorf("axis %d: forces sum up to %d; the momentum changes by %g, more than %g", axis, force, change, bound)
		}
	}
}

// TestWaterIsOfSeventhOrder, as many as there are values: on an oscillator that starts
// with all its derivatives, half the step leaves 1/128 of the error.
func TestWaterIsOfSeventhOrder(t *testing.T) {
	var previous float64
	for _, steps := range []int{20, 40, 80} {
		dt := 3 / float64(steps)
		m, force := make([]molecule, 1), make([]int64, 9)
		term := 1.0 // of the series of cos at 0.3
		for k := range waterOrders {
			m[0][k][0] = term * math.Cos(0.3+float64(k)*math.Pi/2)
			term *= dt / float64(k+1)
		}
		for range steps {
			predict(m, 0)
			force[0] = int64(-massO * m[0][0][0] * waterFixed)
			correct(m, force, 0, dt, false)
		}
		e := math.Abs(m[0][0][0] - math.Cos(3.3))
		if ratio := previous / e; previous > 0 && !(ratio > 110 && ratio < 140) {
			t.Errorf("%d steps: off by %g, %g with half the steps", steps, e, previous)
		}
		previous = e
	}
}

// TestWaterLocks holds the locks that each rank takes to the closed form.
func TestWaterLocks(t *testing.T) {
	for _, n := range []int{1, 8, 27} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, procs := range []int{1, 3, 8} {
				const steps = 2
				inst := kerneltest.Instance(t, Water, workload.Values{"molecules": n, "steps": steps}, procs)
				m, _ := kerneltest.Record(t, inst, procs)
				for rank := range procs {
					lo, hi := spmd.Share(n, procs, rank)
					want := 1 // for energies
					if hi > lo {
						want += min(n, hi-lo+n/2)
					}
					got := 0
					for _, e := range m.EventsOf[rank].Rows {
						if e.Kind == trace.Lock {
							got++
						}
					}
					if got != want*(steps+1) {
						t.Errorf("%d molecules, rank %d of %d: %d locks, want %d", n, rank, procs, got, want*(steps+1))
					}
				}
			}
		})
	}
}
