package meshes

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// BPS solves Poisson's equation by substructuring [dickens1996, sec. 5.1].
// The method is that of [bramble1986].
// The rectangle is divided into squares of g x g intervals, one for each
// rank. The wire basket of edges and vertices is between them. If its values are known, the insides of the squares
// are independent problems with a fast solver. So the unknowns inside are eliminated, and a conjugate gradient
// iteration finds those on the wire basket. Each step
//
//   - multiplies by the Schur complement. Every rank extends its border into its
//     square, which is a fast solution. Then it adds the contribution of its square
//     on the border to its neighbours' contributions: first along columns, then
//     along rows, whose ends then have the sums of the vertices;
//   - preconditions. On each edge, the square root of the one-dimensional operator
//     is inverted by sine transforms. On the vertices, every rank solves the
//     five-point equations of the coarse grid of squares, and interpolates linearly
//     along the edges. A reduction adds the right side of these equations;
//   - needs two reductions for inner products.
//
// At the end, the insides are solved. If the residual is then greater than the iteration computed, the iteration
// continues.
//
// Data that depends only on the rectangle is prepared once, for any number of systems. The systems differ in right
// sides and boundary values. They are solved one after another, each from zero.
//
// The paper's ratios of computation to communication are g=256 (high) and g=64 (low), on numbers of ranks that are
// powers of 4.
//
// Differs: any number of ranks is possible; the rectangle is a square only for square numbers. The paper does not
// give the right side, boundary values and tolerance. Here the first system is that of sor; poisson defines the
// others. As far as the paper says, it solves one system. The original may iterate on all unknowns, which is the
// same iteration if it starts with the insides solved.
var BPS = workload.Kernel{
	Name: "bps", Paper: "dickens1996",
	Doc: "Poisson's equation by substructuring, conjugate gradients and fast solvers (Bramble, Pasciak, Schatz)",
	Params: []workload.Param{
		{Name: "g", Default: 64, Min: 2, Max: 2048, Constraint: "a power of 2", Valid: workload.PowerOfTwo, Doc: "intervals along a side of a rank's square"},
		{Name: "iterations", Default: 100, Min: 1, Max: 1 << 20, Doc: "steps of the conjugate gradient iteration at most"},
		{Name: "digits", Default: 8, Min: 1, Max: 12, Doc: "ends when the residual is 10^-digits of the first"},
		{Name: "systems", Default: 1, Min: 1, Max: 1 << 12, AddedLater: true, Doc: "right sides to solve for, one after another"},
	},
	Small: workload.Values{"g": 16},
	Check: checkBPS,
	Make:  newBPS,
}

// checkBPS limits the memory of a rank to that of the greatest square.
func checkBPS(v workload.Values) error {
	points, most := (v["g"]+1)*(v["g"]+1), 2049*2049
	if v["systems"] > most/points {
		return fmt.Errorf("systems=%d is out of range; 1 to %d, so that with g=%d a rank has no more than %d points", v["systems"], most/points, v["g"], most)
	}
	return nil
}

type bps struct {
	g, iterations, systems int
	tolerance              float64 // of the residual, relative to the first
	mesh                   mesh
	solver                 *fastPoisson
	u                      [][]float64    // of each rank: for every system g+1 rows of g+1 values, its square with its border
	rhs                    [][]float64    // of each rank: the right side there, for the current system
	outcome                [][]bpsOutcome // of each rank: of every system
}

// bpsOutcome is the outcome of a system. All ranks have the same.
type bpsOutcome struct {
	steps           int
	first, residual float64 // 2-norms of the residual on the wire basket, before and after
}

func newBPS(v workload.Values, procs int, _ uint64) workload.Instance {
	f := &bps{g: v["g"], iterations: v["iterations"], systems: v["systems"], tolerance: math.Pow10(-v["digits"]), mesh: newMesh(0, procs)}
	f.solver = newFastPoisson(f.g)
	f.u, f.rhs, f.outcome = make([][]float64, procs), make([][]float64, procs), make([][]bpsOutcome, procs)
	for rank := range procs {
		f.u[rank], f.rhs[rank] = f.input(rank)
		f.outcome[rank] = make([]bpsOutcome, f.systems)
	}
	return f
}

// size returns the rows and columns of points inside the rectangle.
func (f *bps) size() (rows, cols int) { return f.mesh.rows*f.g - 1, f.mesh.cols*f.g - 1 }

// problem returns the problem of a system, counted from 0. Points are so far apart that the longer side of the
// rectangle is 1.
func (f *bps) problem(system int) poisson {
	rows, cols := f.size()
	return poisson{n: system + 1, h: 1 / float64(max(rows, cols)+1)}
}

// input returns the input of a rank: for every system, zero inside the rectangle and the solution on its boundary;
// and the right side of the first system.
func (f *bps) input(rank int) (u, rhs []float64) {
	wide := f.g + 1
	rows, cols := f.size()
	row, col := f.mesh.position(rank)
	u, rhs = make([]float64, f.systems*wide*wide), make([]float64, wide*wide)
	for system := range f.systems {
		problem, grid := f.problem(system), u[system*wide*wide:]
		for i := range wide {
			for j := range wide {
				y, x := row*f.g+i, col*f.g+j
				if y == 0 || y == rows+1 || x == 0 || x == cols+1 {
					grid[i*wide+j] = problem.solution(y, x)
				}
			}
		}
	}
	setRHS(rhs, wide, row*f.g, f.problem(0))
	return u, rhs
}

// setRHS sets the right side on a grid with rows of wide points. The first row is row number first of the
// rectangle.
func setRHS(rhs []float64, wide, first int, problem poisson) {
	for i := range len(rhs) / wide {
		value, row := -problem.rhs(first+i), rhs[i*wide:(i+1)*wide]
		for j := range row {
			row[j] = value
		}
	}
}

// Program solves for the wire basket and then for the insides of the squares, system by system.
func (f *bps) Program(r *spmd.Rank) error {
	s := newSubstructure(r, f)
	outcome, system := &f.outcome[r.ID()][0], 0
	for {
		s.solveInside(s.u, s.rhs)
		s.findResidual()
		outcome.residual = math.Sqrt(s.innerProduct(s.residual, s.residual))
		if outcome.steps == 0 {
			outcome.first = outcome.residual
		}
		enough := f.tolerance * outcome.first
		if outcome.residual <= enough || outcome.steps == f.iterations {
			if system++; system == f.systems {
				return nil
			}
			s.next(f.problem(system))
			outcome = &f.outcome[r.ID()][system]
			continue
		}
		outcome.steps += s.conjugateGradients(f.iterations-outcome.steps, enough)
	}
}

// next selects the next system; its grid follows that of the one before.
func (s *substructure) next(problem poisson) {
	wide := s.g + 1
	row, _ := s.mesh.position(s.r.ID())
	s.u = s.u[wide*wide:]
	setRHS(s.rhs, wide, row*s.g, problem)
}

// conjugateGradients improves u on the wire basket until the residual is small enough. It returns the number of
// steps, at least one.
func (s *substructure) conjugateGradients(limit int, enough float64) int {
	x, residual, z, p, product := s.x, s.residual, s.z, s.p, s.product
	clear(x)
	s.precondition(z, residual)
	copy(p, z)
	fall := s.innerProduct(residual, z)
	for step := 1; ; step++ {
		s.multiply(product, p)
		along := fall / s.innerProduct(p, product)
		for k := range x {
			x[k] += along * p[k]
			residual[k] -= along * product[k]
		}
		s.precondition(z, residual)
		before := fall
		var left float64
		fall, left = s.innerProducts(residual, z, residual)
		if step == limit || math.Sqrt(left) <= enough {
			s.addToBorder(s.u, x)
			return step
		}
		ratio := fall / before
		for k := range p {
			p[k] = z[k] + ratio*p[k]
		}
	}
}
