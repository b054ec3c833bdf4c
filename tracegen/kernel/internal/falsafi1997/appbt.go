package falsafi1997

import (
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Appbt solves the compressible Navier-Stokes equations on a cube to a steady state. It is the simulated
// application BT of the NAS parallel benchmarks [bailey1991;
// falsafi1997, tab. 2].
//
// Each point has five variables u: density, three momenta, energy. Forces are such that a given polynomial is the
// steady state, and the boundary is fixed to it. Each iteration takes a time step by approximate factorization
// (Beam and Warming),
//
//	(I + dt X) (I + dt Y) (I + dt Z) du = dt R(u),  u = u + du
//
// R has the fluxes by central differences, viscosity, and a fourth difference for stability. -X, -Y and -Z are the
// derivatives of its parts (except the last) for the three directions. Each line of points gives one
// block-tridiagonal system of 5x5 blocks. An iteration
//
//   - computes reciprocals of density, velocities and energies at all points;
//   - computes the right-hand side at the inner points of the lines along x, and
//     solves their systems;
//   - solves the systems along y;
//   - solves those along z, and adds the result to u.
//
// There is a barrier after each of these: 4 in each iteration. Each of them partitions the lines of one direction
// contiguously among ranks, so at most (size-2)^2 ranks can share the work. The input is the same for every seed.
//
// Differs: systems contain only the inner points, because the others do not change. The original also solves for
// the others.
var Appbt = workload.Kernel{
	Name: "appbt", Paper: "falsafi1997",
	Doc: "Navier-Stokes by block-tridiagonal systems in three directions (NAS)",
	Params: []workload.Param{
		{Name: "size", Default: 12, Min: 6, Max: 162, Doc: "points along each edge of the cube, boundary included"},
		{Name: "iterations", Default: 15, Min: 1, Max: 1000, Doc: "steps of time"},
		{Name: "step", Default: 0, Min: 0, Max: 100000, Doc: "length of a step of time, in millionths; 0 for what NAS has at about this size"},
	},
	Small: workload.Values{"size": 8, "iterations": 2},
	Make:  newAppbt,
}

// Constants of the equations [RNR-94-007], and products of them.
const (
	appbtK1     = 1.4 // ratio of specific heats
	appbtK2     = 0.4
	appbtK34    = 0.1                      // k3 k4: viscosity
	appbtK1345  = appbtK1 * 1.4 * appbtK34 // k1 k3 k4 k5: conduction of heat
	appbtHeat   = appbtK34 - appbtK1345    // k3 k4 (1 - k1 k5)
	appbtPush   = 4.0 / 3                  // of viscosity along the flow
	appbtFourth = 0.25                     // of the fourth difference
)

// appbtDiffusion is the coefficient of the second difference of u in each direction.
var appbtDiffusion = [3]float64{0.75, 0.75, 1}

type appbt struct {
	n, iterations int
	dt            float64
	u, rhs        []float64 // five variables of each point; x varies fastest, z slowest
	forcing       []float64
	flow          appbtFlow
}

// appbtFlow is derived from u for each point in each iteration: the reciprocal of the density, three velocities,
// and the kinetic energy for each volume and for each mass.
type appbtFlow struct{ rho, velocity, square, q []float64 }

func newAppbtFlow(points int) appbtFlow {
	return appbtFlow{make([]float64, points), make([]float64, 3*points), make([]float64, points), make([]float64, points)}
}

func newAppbt(v workload.Values, _ int, _ uint64) workload.Instance {
	n, dt := v["size"], float64(v["step"])/1e6
	if dt == 0 {
		dt = appbtStep(n)
	}
	return &appbt{n: n, iterations: v["iterations"], dt: dt,
		u: appbtStart(n), rhs: make([]float64, 5*n*n*n), forcing: appbtForcing(n), flow: newAppbtFlow(n * n * n)}
}

// appbtStep returns the time step of the NAS classes: S has 12 points, W and A have 24 and 64, B 102, and C 162.
func appbtStep(n int) float64 {
	switch {
	case n <= 12:
		return 0.01
	case n <= 64:
		return 0.0008
	case n <= 102:
		return 0.0003
	default:
		return 0.0001
	}
}

// Program takes the steps. Neighbouring points of a line in direction d are along[d] apart, and neighbouring lines
// fast[d]. Each group of size-2 lines starts slow[d] after the one before.
func (f *appbt) Program(r *spmd.Rank) error {
	n, dt := f.n, f.dt
	u, rhs, forcing := spmd.Shared(r, "u", f.u), spmd.Shared(r, "rhs", f.rhs), spmd.Shared(r, "forcing", f.forcing)
	rho, velocity := spmd.Shared(r, "rho", f.flow.rho), spmd.Shared(r, "velocity", f.flow.velocity)
	square, q := spmd.Shared(r, "square", f.flow.square), spmd.Shared(r, "q", f.flow.q)
	flux, viscous := spmd.Private(r, "flux", make([]float64, 25*n)), spmd.Private(r, "viscous", make([]float64, 25*n))
	a, b, c := spmd.Private(r, "a", make([]float64, 25*n)), spmd.Private(r, "b", make([]float64, 25*n)), spmd.Private(r, "c", make([]float64, 25*n))
	along, fast, slow := [3]int{1, n, n * n}, [3]int{n, 1, 1}, [3]int{n * n, n * n, n}
	lo, hi := r.Share((n - 2) * (n - 2))
	first, last := r.Share(n * n)

	for range f.iterations {
		for line := first; line < last; line++ {
			deriveFlow(u, rho, velocity, square, q, line*n, n)
		}
		r.Barrier()
		for d := range 3 {
			for line := lo; line < hi; line++ {
				start := (line/(n-2)+1)*slow[d] + (line%(n-2)+1)*fast[d]
				if d == 0 {
					rightHandSide(u, rhs, forcing, rho, velocity, square, q, start, n, dt)
				}
				jacobians(u, rho, square, q, flux, viscous, start, along[d], n, d)
				blocks(flux, viscous, a, b, c, n, d, dt)
				solveBlocks(a, b, c, rhs, start, along[d], n)
				if d == 2 {
					addLine(u, rhs, start, along[d], n)
				}
			}
			r.Barrier()
		}
	}
	return nil
}

// deriveFlow computes the derived values at the n points of a line along x.
func deriveFlow(u, rho, velocity, square, q []float64, start, n int) {
	for p := start; p < start+n; p++ {
		t, x, y, z := 1/u[5*p], u[5*p+1], u[5*p+2], u[5*p+3]
		rho[p] = t
		velocity[3*p], velocity[3*p+1], velocity[3*p+2] = x*t, y*t, z*t
		square[p] = 0.5 * (float64(x*x) + float64(y*y) + float64(z*z)) * t
		q[p] = square[p] * t
	}
}

// addLine adds the solution at the inner points of a line to u.
func addLine(u, rhs []float64, start, along, n int) {
	for i := 1; i < n-1; i++ {
		p := start + i*along
		for m := range 5 {
			u[5*p+m] += rhs[5*p+m]
		}
	}
}

func (f *appbt) Digest() string { return workload.Digest(f.u) }

// Counts predicts the barriers; see Appbt.
func (f *appbt) Counts() workload.Counts { return workload.Counts{Barriers: 4 * uint64(f.iterations)} }
