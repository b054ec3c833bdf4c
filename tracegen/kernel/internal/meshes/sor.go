package meshes

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// SOR solves Poisson's equation with given values on the boundary of a rectangle by successive over-relaxation with
// odd-even ordering [dickens1996, sec. 5.1; W. H. Press et al.: Numerical Recipes, ch. 17]. Every rank has a
// subgrid of g x g points of the five-point discretization. Around it are copies of its neighbours' points. An
// iteration relaxes the points with i+j even, then the others. Before each half, ranks exchange the sides of their
// subgrids with their neighbours. Rows, to the north and south, are contiguous. Columns, to the west and east, are
// not. Every few iterations all ranks find the greatest change of a point, and end if it is small.
//
// The paper's ratios of computation to communication are g=25 (very low), 50 (low) and 250 (high).
//
// Differs: the paper gives neither the equation nor the condition for the end. Here the equation is Laplace(u) = 8y
// with u = x^2 y + y^3 on the boundary. This u is also the solution inside, and the solution of the discrete
// equations.
var SOR = workload.Kernel{
	Name: "sor", Paper: "dickens1996",
	Doc: "Poisson's equation by odd-even successive over-relaxation, a subgrid on every rank",
	Params: []workload.Param{
		{Name: "g", Default: 50, Min: 1, Max: 4096, Doc: "rows and columns of a rank's subgrid, in points"},
		{Name: "iterations", Default: 1000, Min: 1, Max: 1 << 20, Doc: "iterations at most"},
		{Name: "check", Default: 10, Min: 0, Max: 1 << 20, Doc: "iterations from one test for convergence to the next; 0 is none"},
		{Name: "digits", Default: 6, Min: 1, Max: 15, Doc: "converged when no point changes by more than 10^-digits"},
	},
	Small: workload.Values{"g": 10, "iterations": 20},
	Make:  newSOR,
}

type sor struct {
	g, iterations, check int
	tolerance            float64
	mesh                 mesh
	omega                float64
	rhs                  [][]float64 // of each rank: h^2 Laplace(u) at its points, by rows
	u                    [][]float64 // of each rank: g+2 rows of g+2 values, its points with those around them
}

func newSOR(v workload.Values, procs int, _ uint64) workload.Instance {
	f := &sor{g: v["g"], iterations: v["iterations"], check: v["check"], tolerance: math.Pow10(-v["digits"]), mesh: newMesh(0, procs)}
	rows, cols := f.size()
	f.omega = sorFactor(rows, cols)
	f.rhs, f.u = make([][]float64, procs), make([][]float64, procs)
	for rank := range procs {
		f.rhs[rank], f.u[rank] = f.input(rank)
	}
	return f
}

// size returns the rows and columns of points inside the rectangle.
func (f *sor) size() (rows, cols int) { return f.mesh.rows * f.g, f.mesh.cols * f.g }

// sorFactor returns the factor of over-relaxation that converges fastest, 2/(1 + sqrt(1 - r^2)). r is the spectral
// radius of Jacobi's iteration.
func sorFactor(rows, cols int) float64 {
	r := (math.Cos(math.Pi/float64(rows+1)) + math.Cos(math.Pi/float64(cols+1))) / 2
	return 2 / (1 + math.Sqrt(1-float64(r*r)))
}

// problem returns the problem. Points are so far apart that the longer side of the rectangle is 1.
func (f *sor) problem() poisson {
	rows, cols := f.size()
	return poisson{n: 1, h: 1 / float64(max(rows, cols)+1)}
}

// input returns the input of a rank: zero inside the rectangle, the solution on its boundary.
func (f *sor) input(rank int) (rhs, u []float64) {
	g, problem := f.g, f.problem()
	rows, cols := f.size()
	row, col := f.mesh.position(rank)
	rhs, u = make([]float64, g*g), make([]float64, (g+2)*(g+2))
	for i := range g + 2 {
		for j := range g + 2 {
			y, x := row*g+i, col*g+j
			if y == 0 || y == rows+1 || x == 0 || x == cols+1 {
				u[i*(g+2)+j] = problem.solution(y, x)
			}
			if i < g && j < g {
				rhs[i*g+j] = problem.rhs(y + 1)
			}
		}
	}
	return rhs, u
}

// Program iterates until the solution has converged.
func (f *sor) Program(r *spmd.Rank) error {
	g, m := f.g, f.mesh
	u := spmd.Private(r, "u", f.u[r.ID()])
	rhs := spmd.Private(r, "rhs", f.rhs[r.ID()])
	greatest := spmd.Private(r, "greatest", make([]float64, 1))
	row, col := m.position(r.ID())
	parity := (row*g + col*g) % 2 // of i+j at the point before the subgrid's first
	for n := 1; n <= f.iterations; n++ {
		change := 0.0
		for colour := range 2 {
			exchangeSides(r, m, u, g)
			change = max(change, relax(u, rhs, g, (parity+colour)%2, f.omega))
		}
		if f.check > 0 && n%f.check == 0 {
			greatest[0] = change
			spmd.AllReduce(r, greatest, func(a, b float64) float64 { return max(a, b) })
			if greatest[0] <= f.tolerance {
				break
			}
		}
	}
	return nil
}

// Tags of messages by direction.
const (
	northward = iota
	southward
	westward
	eastward
)

// exchangeSides sends the outer rows and columns of the g x g points of u to the neighbours, and receives theirs
// around them.
func exchangeSides(r *spmd.Rank, m mesh, u []float64, g int) {
	wide := g + 2
	column := spmd.Vector{Count: g, Block: 1, Stride: wide}
	north, south := m.neighbour(r.ID(), -1, 0), m.neighbour(r.ID(), 1, 0)
	west, east := m.neighbour(r.ID(), 0, -1), m.neighbour(r.ID(), 0, 1)
	if north != outside {
		spmd.Send(r, north, northward, u[wide+1:wide+1+g])
	}
	if south != outside {
		spmd.Send(r, south, southward, u[g*wide+1:g*wide+1+g])
	}
	if west != outside {
		spmd.SendVector(r, west, westward, u[wide+1:], column)
	}
	if east != outside {
		spmd.SendVector(r, east, eastward, u[wide+g:], column)
	}
	if north != outside {
		spmd.Recv(r, north, southward, u[1:1+g])
	}
	if south != outside {
		spmd.Recv(r, south, northward, u[(g+1)*wide+1:(g+1)*wide+1+g])
	}
	if west != outside {
		spmd.RecvVector(r, west, eastward, u[wide:], column)
	}
	if east != outside {
		spmd.RecvVector(r, east, westward, u[wide+g+1:], column)
	}
}

// relax relaxes the points (i,j) with i+j of the given parity and returns the greatest change. Points are counted
// from 0 at the points around the subgrid. The conversion keeps multiplication and addition separate, which some
// machines could fuse.
func relax(u, rhs []float64, g, parity int, omega float64) (greatest float64) {
	wide := g + 2
	for i := 1; i <= g; i++ {
		above, points, below := u[(i-1)*wide:i*wide], u[i*wide:(i+1)*wide], u[(i+1)*wide:(i+2)*wide]
		right := rhs[(i-1)*g : i*g]
		for j := 1 + (i+1+parity)%2; j <= g; j += 2 {
			mean := (above[j] + below[j] + points[j-1] + points[j+1] - right[j-1]) / 4
			change := float64(omega * (mean - points[j]))
			points[j] += change
			greatest = max(greatest, math.Abs(change))
		}
	}
	return greatest
}

// Counts predicts the messages of runs without tests for convergence: one to every neighbour in each half of an
// iteration.
func (f *sor) Counts() workload.Counts {
	if f.check > 0 && f.check <= f.iterations {
		return workload.Counts{}
	}
	c := workload.Counts{Messages: make([]uint64, f.mesh.rows*f.mesh.cols)}
	for rank := range c.Messages {
		c.Messages[rank] = 2 * uint64(f.iterations*f.mesh.neighbours(rank))
	}
	return c
}

func (f *sor) Digest() string { return workload.Digest(f.gathered()) }
