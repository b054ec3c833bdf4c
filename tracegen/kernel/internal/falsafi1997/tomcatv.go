package falsafi1997

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Tomcatv generates a boundary-fitted mesh, like the program of that name in SPEC 89 [SPEC benchmark suite release
// 1.0, 1990; falsafi1997, tab. 2]. The coordinates x and y of the points satisfy the equations of Winslow,
//
//	A x_ii - 2 C x_ij + B x_jj = 0,  A = x_j^2 + y_j^2,  B = x_i^2 + y_i^2,  C = x_i x_j + y_i y_j
//
// and the same for y, discretized by central differences. The boundary is fixed. Each iteration
//
//   - computes the residuals of both equations at all inner points, and the greatest
//     absolute residual of each;
//   - solves, for every row, the tridiagonal system along it. The system results
//     from freezing the coefficients and the neighbours above and below. The factor
//     2/0.98 replaces the 2 of A x_ii (slight underrelaxation);
//   - adds the corrections to the coordinates.
//
// Rows are partitioned contiguously among ranks, so that each system belongs to one rank. There are 2 barriers in
// each iteration: after the residuals, which read the rows beside the rank's own, and after the corrections.
//
// Differs: the mesh is generated, not read from a file. The systems are along rows; the original, for vector
// machines, goes across all systems at once. All iterations are made; the original stops at a small residual.
var Tomcatv = workload.Kernel{
	Name: "tomcatv", Paper: "falsafi1997",
	Doc: "mesh generation by line relaxation of Winslow's equations (SPEC 89)",
	Params: []workload.Param{
		{Name: "size", Default: 256, Min: 3, Max: 4096, Doc: "rows and columns of the mesh, boundary included"},
		{Name: "iterations", Default: 10, Min: 1, Max: 10000, Doc: "relaxations of the whole mesh"},
	},
	Small: workload.Values{"size": 32},
	Make:  newTomcatv,
}

// tomcatvRel replaces the 2 of the second difference across rows.
const tomcatvRel = 2 / 0.98

type tomcatv struct {
	size, iterations int
	seed             uint64
	x, y             []float64 // coordinates, in rows
	aa, dd, d        []float64 // off-diagonal and diagonal elements, reciprocal pivots
	rx, ry           []float64 // residuals, then corrections
	partial          []float64 // greatest |rx| and |ry| of each rank
	residual         []float64 // greatest |rx| and |ry| of each iteration
}

func newTomcatv(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["size"]
	f := &tomcatv{size: n, iterations: v["iterations"], seed: seed}
	f.x, f.y = tomcatvInput(n, seed)
	f.aa, f.dd, f.d = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	f.rx, f.ry = make([]float64, n*n), make([]float64, n*n)
	f.partial, f.residual = make([]float64, 2*procs), make([]float64, 2*f.iterations)
	return f
}

// tomcatvInput returns a mesh of the unit square with a bump in its lower side. Lines connect the sides; inner
// points are displaced by up to 1/8 of the spacing.
func tomcatvInput(n int, seed uint64) (x, y []float64) {
	rng := workload.Generator(seed)
	x, y = make([]float64, n*n), make([]float64, n*n)
	h := 1 / float64(n-1)
	for i := range n {
		for j := range n {
			s, t := float64(i)*h, float64(j)*h
			bump := 0.2 * math.Exp(-40*(t-0.5)*(t-0.5))
			x[i*n+j], y[i*n+j] = t, s+bump*(1-s)
			if i > 0 && j > 0 && i < n-1 && j < n-1 {
				x[i*n+j] += h / 4 * (rng.Float64() - 0.5)
				y[i*n+j] += h / 4 * (rng.Float64() - 0.5)
			}
		}
	}
	return x, y
}

// Program relaxes the mesh.
func (f *tomcatv) Program(r *spmd.Rank) error {
	n, home := f.size, spmd.Blocked()
	x, y := spmd.Shared(r, "x", f.x, home), spmd.Shared(r, "y", f.y, home)
	aa, dd, d := spmd.Shared(r, "aa", f.aa, home), spmd.Shared(r, "dd", f.dd, home), spmd.Shared(r, "d", f.d, home)
	rx, ry := spmd.Shared(r, "rx", f.rx, home), spmd.Shared(r, "ry", f.ry, home)
	partial, residual := spmd.Shared(r, "partial", f.partial), spmd.Shared(r, "residual", f.residual)
	lo, hi := r.Share(n - 2)

	for iteration := range f.iterations {
		var mostX, mostY float64
		for i := lo + 1; i < hi+1; i++ {
			residualsOfRow(x, y, aa, dd, rx, ry, i, n)
			mostX, mostY = max(mostX, greatestOf(rx, i, n)), max(mostY, greatestOf(ry, i, n))
		}
		partial[2*r.ID()], partial[2*r.ID()+1] = mostX, mostY
		r.Barrier()
		if r.ID() == 0 {
			for p := 0; p < len(partial); p += 2 {
				mostX, mostY = max(mostX, partial[p]), max(mostY, partial[p+1])
			}
			residual[2*iteration], residual[2*iteration+1] = mostX, mostY
		}
		for i := lo + 1; i < hi+1; i++ {
			solveRow(aa, dd, d, rx, ry, i, n)
			for j := i*n + 1; j < i*n+n-1; j++ {
				x[j] += rx[j]
				y[j] += ry[j]
			}
		}
		r.Barrier()
	}
	return nil
}

// residualsOfRow computes the residuals at the inner points of row i, and the elements of the row's tridiagonal
// matrix. The conversions keep multiplication and addition separate, which some machines could fuse. So the result
// has the same bits on all machines.
func residualsOfRow(x, y, aa, dd, rx, ry []float64, i, n int) {
	for at := i*n + 1; at < i*n+n-1; at++ {
		xi, yi := x[at+n]-x[at-n], y[at+n]-y[at-n]
		xj, yj := x[at+1]-x[at-1], y[at+1]-y[at-1]
		a := 0.25 * (float64(xj*xj) + float64(yj*yj))
		b := 0.25 * (float64(xi*xi) + float64(yi*yi))
		c := 0.125 * (float64(xi*xj) + float64(yi*yj))
		aa[at] = -b
		dd[at] = b + b + float64(a*tomcatvRel)

		xii, yii := x[at+n]-2*x[at]+x[at-n], y[at+n]-2*y[at]+y[at-n]
		xjj, yjj := x[at+1]-2*x[at]+x[at-1], y[at+1]-2*y[at]+y[at-1]
		xij := x[at+n+1] - x[at+n-1] - x[at-n+1] + x[at-n-1]
		yij := y[at+n+1] - y[at+n-1] - y[at-n+1] + y[at-n-1]
		rx[at] = float64(a*xii) + float64(b*xjj) - float64(c*xij)
		ry[at] = float64(a*yii) + float64(b*yjj) - float64(c*yij)
	}
}

// greatestOf returns the greatest absolute value at the inner points of row i.
func greatestOf(v []float64, i, n int) float64 {
	var most float64
	for at := i*n + 1; at < i*n+n-1; at++ {
		most = max(most, math.Abs(v[at]))
	}
	return most
}

// solveRow replaces the residuals of row i by the solutions of the tridiagonal systems (aa, dd, aa). It eliminates
// without pivoting, because the diagonal dominates.
func solveRow(aa, dd, d, rx, ry []float64, i, n int) {
	first, last := i*n+1, i*n+n-2
	d[first] = 1 / dd[first]
	for j := first + 1; j <= last; j++ {
		l := aa[j] * d[j-1]
		d[j] = 1 / (dd[j] - float64(aa[j-1]*l))
		rx[j] -= float64(rx[j-1] * l)
		ry[j] -= float64(ry[j-1] * l)
	}
	rx[last] *= d[last]
	ry[last] *= d[last]
	for j := last - 1; j >= first; j-- {
		rx[j] = (rx[j] - float64(aa[j]*rx[j+1])) * d[j]
		ry[j] = (ry[j] - float64(aa[j]*ry[j+1])) * d[j]
	}
}

// Verify compares mesh and residuals, to the bit, with the vectorized loops of the original on one processor.
func (f *tomcatv) Verify() error {
	m := newSerialMesh(f.size, f.seed)
	for iteration := range f.iterations {
		mostX, mostY := m.relax()
		if gotX, gotY := f.residual[2*iteration], f.residual[2*iteration+1]; gotX != mostX || gotY != mostY {
			return fmt.Errorf("iteration %d: the greatest residuals are %g and %g, serially %g and %g", iteration, gotX, gotY, mostX, mostY)
		}
	}
	n := f.size
	for i := range n {
		for j := range n {
			if gotX, gotY := f.x[i*n+j], f.y[i*n+j]; gotX != m.x[i][j] || gotY != m.y[i][j] {
				return fmt.Errorf("point (%d,%d) is at (%v,%v), serially at (%v,%v)", i, j, gotX, gotY, m.x[i][j], m.y[i][j])
			}
		}
	}
	return nil
}

func (f *tomcatv) Digest() string { return workload.Digest(f.x, f.y, f.residual) }

// Counts predicts the barriers; see Tomcatv.
func (f *tomcatv) Counts() workload.Counts {
	return workload.Counts{Barriers: 2 * uint64(f.iterations)}
}
