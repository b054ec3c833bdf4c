package falsafi1997

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Water simulates water molecules in a periodic cube, like the program of
// that name in SPLASH [singh1992; falsafi1997, tab. 2].
// In each step a rank
//
//   - predicts the motion of its molecules, by Taylor series up to the sixth
//     derivative, and computes the forces within them;
//   - computes the forces between pairs of molecules: each of its own with half of
//     the others, those that follow it cyclically. Sites act on each other up to
//     half the side of the cube, at most 11 Angstrom. The forces are added in an
//     array of the rank's own, and then to the shared ones, under a lock for each
//     molecule;
//   - corrects the motion of its molecules by the accelerations (Gear's
//     method [gear1971]).
//     Then it moves those that have left the cube back into it.
//
// Molecules are partitioned contiguously among ranks. There are 2 barriers in each step: before and after the
// forces between molecules. There are also 2 before the first step, for the initial forces. Each time, a rank with
// m of n molecules takes min(n, m + n/2) locks for forces, none if m is 0, and one lock for energies.
//
// Differs: the potential is the flexible SPC model, harmonic in the three distances of a molecule
// [toukan1985], which
// needs no exponentials. SPLASH uses those of Matsuoka, Clementi and Yoshimine, and quartic terms. Differs: forces
// are added as integers. So the order in which ranks add them does not matter, and opposite forces are exactly
// opposite [shaw2009]. Differs: the
// potential energy is computed together with the forces in each step.
var Water = workload.Kernel{
	Name: "water", Paper: "falsafi1997",
	Doc: "molecular dynamics of water, all pairs, predictor-corrector (SPLASH)",
	Params: []workload.Param{
		{Name: "molecules", Default: 256, Min: 1, Max: 1 << 15, Doc: "how many molecules there are"},
		{Name: "steps", Default: 10, Min: 1, Max: 10000, Doc: "time steps, of 0.15 fs"},
	},
	Small: workload.Values{"molecules": 27, "steps": 3},
	Make:  newWater,
}

// Units are angstrom, femtoseconds and atomic mass units. 1 kJ/mol is 1e-4 of the unit of energy.
const (
	waterStep   = 0.15 // as in SPLASH
	waterCutoff = 11
	waterVolume = 18.0154 * 1.66054 / 0.998 // of a molecule, at 0.998 g/cm^3
	waterOrders = 7                         // position and six derivatives

	massO, massH  = 15.9994, 1.008
	lengthOH      = 1.0
	lengthHH      = 1.6329931618554521 // of two bonds at the tetrahedral angle
	chargeH       = 0.41
	chargeO       = -2 * chargeH
	coulomb       = 0.138935458 // of two charges e, times their distance
	epsilonO      = 0.650e-4    // Lennard-Jones
	sigmaO        = 3.166
	millidyne     = 0.0602214076 // per angstrom
	stretch       = 9.331 * millidyne
	stretchHH     = 2.283 * millidyne
	stretchBoth   = 0.776 * millidyne  // both bonds
	stretchWithHH = -1.469 * millidyne // bond and H-H

	waterFixed = 1 << 48 // of the unit of force and energy; sums go up to 32768 units
)

// gearCorrector has the coefficients of the corrector for second-order equations.
var gearCorrector = [waterOrders]float64{863. / 6048, 665. / 1008, 1, 25. / 36, 35. / 144, 1. / 24, 1. / 360}

// molecule is the motion of the atoms O, H, H. For each coordinate of each atom it holds derivative k with respect
// to time, times step^k/k!.
type molecule [waterOrders][9]float64

type water struct {
	steps     int
	dt        float64 // length of a step
	box       float64 // side of the cube
	seed      uint64
	molecules []molecule
	forces    []int64 // nine of each molecule
	energies  []int64 // kinetic and potential energy before the first and after each step
}

func newWater(v workload.Values, _ int, seed uint64) workload.Instance {
	n, steps := v["molecules"], v["steps"]
	box := math.Cbrt(float64(n) * waterVolume)
	return &water{steps: steps, dt: waterStep, box: box, seed: seed, molecules: waterInput(n, box, waterStep, seed),
		forces: make([]int64, 9*n), energies: make([]int64, 2*(steps+1))}
}

// Program moves the molecules.
func (f *water) Program(r *spmd.Rank) error {
	n, box := len(f.molecules), f.box
	cutoff := min(box/2, waterCutoff)
	molecules := spmd.Shared(r, "molecules", f.molecules, spmd.Blocked())
	forces := spmd.Shared(r, "forces", f.forces, spmd.Blocked())
	energies := spmd.Shared(r, "energies", f.energies)
	partial := spmd.Private(r, "partial", make([]int64, 9*n))
	lo, hi := r.Share(n)

	for step := range f.steps + 1 {
		var kinetic, potential int64
		for i := lo; i < hi; i++ {
			if step > 0 {
				predict(molecules, i)
			}
			potential += bend(molecules, forces, i)
		}
		r.Barrier()
		for i := lo; i < hi; i++ {
			for j := i + 1; j <= i+n/2; j++ {
				if 2*(j-i) < n || i < n/2 { // a pair of opposite molecules counts only once
					potential += interact(molecules, partial, i, j%n, box, cutoff)
				}
			}
		}
		addForces(r, forces, partial, lo, hi, n)
		r.Barrier()
		for i := lo; i < hi; i++ {
			correct(molecules, forces, i, f.dt, step == 0)
			wrap(molecules, i, box)
			kinetic += kineticEnergy(molecules, i, f.dt)
		}
		r.Lock(int32(n))
		energies[2*step] += kinetic
		energies[2*step+1] += potential
		r.Unlock(int32(n))
	}
	return nil
}

// predict moves a molecule by one step along its Taylor series. The sums are those of Pascal's triangle.
func predict(molecules []molecule, i int) {
	for k := range waterOrders - 1 {
		for from := waterOrders - 2; from >= k; from-- {
			for c := range 9 {
				molecules[i][from][c] += molecules[i][from+1][c]
			}
		}
	}
}

// massOf returns the mass of the atom with coordinate c.
func massOf(c int) float64 {
	if c < 3 {
		return massO
	}
	return massH
}

// correct sets the acceleration of a molecule. Unless first is set, it also spreads the difference to the predicted
// acceleration over all derivatives.
func correct(molecules []molecule, forces []int64, i int, dt float64, first bool) {
	for c := range 9 {
		acceleration := float64(forces[9*i+c]) / waterFixed / massOf(c)
		change := acceleration*dt*dt/2 - molecules[i][2][c]
		if first {
			molecules[i][2][c] += change
			continue
		}
		for k := range waterOrders {
			molecules[i][k][c] += float64(gearCorrector[k] * change)
		}
	}
}

// wrap moves a molecule whose oxygen has left the cube to the other side.
func wrap(molecules []molecule, i int, box float64) {
	for axis := range 3 {
		var shift float64
		if p := molecules[i][0][axis]; p >= box {
			shift = -box
		} else if p < 0 {
			shift = box
		}
		if shift != 0 {
			molecules[i][0][axis] += shift
			molecules[i][0][3+axis] += shift
			molecules[i][0][6+axis] += shift
		}
	}
}

func kineticEnergy(molecules []molecule, i int, dt float64) int64 {
	var sum float64
	for c := range 9 {
		v := molecules[i][1][c] / dt
		sum += float64(massOf(c) / 2 * v * v)
	}
	return int64(sum * waterFixed)
}

// addForces adds a rank's sums to the shared forces of all molecules that it computed, and clears them.
func addForces(r *spmd.Rank, forces, partial []int64, lo, hi, n int) {
	if lo == hi {
		return
	}
	for m := lo; m < min(hi+n/2, lo+n); m++ {
		i := m % n
		r.Lock(int32(i))
		for at := 9 * i; at < 9*i+9; at++ {
			forces[at] += partial[at]
			partial[at] = 0
		}
		r.Unlock(int32(i))
	}
}

func (f *water) Digest() string {
	return workload.Digest(f.molecules, f.energies)
}

// Counts predicts the barriers; see Water.
func (f *water) Counts() workload.Counts {
	return workload.Counts{Barriers: 2 * uint64(f.steps+1)}
}
