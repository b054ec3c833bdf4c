package falsafi1997

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Sparse solves A X = B for a sparse matrix A [falsafi1997, sec. 4 and tab. 2]. The paper says no more about its
// program, except that it ran on a dense matrix of 256 x 256. Here it is Gaussian elimination with partial
// pivoting. Rows hold only their non-zero elements, in ascending order of columns, with room for those that
// elimination adds. B is one column.
//
// Rows are dealt to ranks in turn. In step k
//
//   - each rank finds the greatest element of column k among its rows that have not
//     been pivots, and publishes it;
//   - after a barrier, each rank takes the greatest of all as the pivot (of equal
//     ones that of the lowest row). It subtracts multiples of the pivot's row from
//     its rows that have an element in column k, by merging.
//
// Published elements alternate between two arrays, so one barrier in each step is enough. Then unknowns are
// computed from the last to the first. The rank with the row of the unknown's pivot computes it. After a barrier,
// each rank substitutes it into its rows. For n rows there are 2n barriers.
var Sparse = workload.Kernel{
	Name: "sparse", Paper: "falsafi1997",
	Doc: "parallel solution of AX=B by sparse Gaussian elimination with pivoting",
	Params: []workload.Param{
		{Name: "n", Default: 256, Min: 1, Max: 4096, Doc: "rows and columns of the matrix"},
		{Name: "density", Default: 100, Min: 0, Max: 100, Doc: "elements beside the diagonal that are not zero, in %"},
	},
	Small: workload.Values{"n": 48},
	Make:  newSparse,
}

type sparse struct {
	n, density int
	seed       uint64
	column     []int32   // elements of row i start at i*n
	value      []float64 // the elements; at the end those of U
	length     []int32   // elements of each row
	b, x       []float64
	candidates [2][]candidate // of each rank, by parity of the step
}

// candidate is a possible pivot row, with the absolute value of its element.
type candidate struct {
	size float64
	row  int32
}

func newSparse(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &sparse{n: v["n"], density: v["density"], seed: seed, x: make([]float64, v["n"])}
	f.column, f.value, f.length, f.b = sparseInput(f.n, f.density, seed)
	f.candidates = [2][]candidate{make([]candidate, procs), make([]candidate, procs)}
	return f
}

// sparseInput returns a matrix with a full diagonal, and right-hand sides. All numbers are uniform in -1..1.
func sparseInput(n, density int, seed uint64) (column []int32, value []float64, length []int32, b []float64) {
	rng := workload.Generator(seed)
	column, value = make([]int32, n*n), make([]float64, n*n)
	length, b = make([]int32, n), make([]float64, n)
	for i := range n {
		for j := range n {
			if i == j || rng.IntN(100) < density {
				at := i*n + int(length[i])
				column[at], value[at] = int32(j), 2*rng.Float64()-1
				length[i]++
			}
		}
		b[i] = 2*rng.Float64() - 1
	}
	return column, value, length, b
}

// Program leaves the solution in x, and U in the rows.
func (f *sparse) Program(r *spmd.Rank) error {
	n := f.n
	column := spmd.Shared(r, "column", f.column, spmd.Cyclic(4*uint64(n)))
	value := spmd.Shared(r, "value", f.value, spmd.Cyclic(8*uint64(n)))
	length, b, x := spmd.Shared(r, "length", f.length), spmd.Shared(r, "b", f.b), spmd.Shared(r, "x", f.x)
	even, odd := spmd.Shared(r, "candidates 0", f.candidates[0]), spmd.Shared(r, "candidates 1", f.candidates[1])
	pivots := spmd.Private(r, "pivots", make([]int32, n)) // row of each step
	used := spmd.Private(r, "used", make([]bool, n))      // rows that have been pivots
	newColumn, newValue := spmd.Private(r, "new column", make([]int32, n)), spmd.Private(r, "new value", make([]float64, n))

	for k := range n {
		candidates := even
		if k%2 == 1 {
			candidates = odd
		}
		candidates[r.ID()] = greatestInColumn(column, value, used, n, k, r.ID(), r.Procs())
		r.Barrier()
		pivot := choosePivot(candidates)
		if pivot < 0 {
			return fmt.Errorf("the matrix is singular: no pivot in column %d", k)
		}
		pivots[k], used[pivot] = int32(pivot), true
		for i := r.ID(); i < n; i += r.Procs() {
			if used[i] || column[i*n] != int32(k) {
				continue
			}
			l := value[i*n] / value[pivot*n]
			from, to := i*n, i*n+int(length[i])
			first, last := pivot*n, pivot*n+int(length[pivot])
			m := mergeRows(newColumn, newValue, column[from+1:to], value[from+1:to], column[first+1:last], value[first+1:last], l)
			copy(column[from:], newColumn[:m])
			copy(value[from:], newValue[:m])
			length[i] = int32(m)
			b[i] -= float64(l * b[pivot])
		}
	}
	end := spmd.Private(r, "end", make([]int32, n)) // elements of a row whose unknowns are not computed yet
	copy(end, length)
	for k := n - 1; k >= 0; k-- {
		if row := int(pivots[k]); row%r.Procs() == r.ID() {
			x[k] = b[row] / value[row*n]
		}
		r.Barrier()
		substitute(column, value, b, end, x[k], n, k, r.ID(), r.Procs())
	}
	return nil
}

// greatestInColumn finds the greatest element of column k in the rows of a rank that have not been pivots. Their
// first element is in column k or right of it.
func greatestInColumn(column []int32, value []float64, used []bool, n, k, id, procs int) candidate {
	best := candidate{row: -1}
	for i := id; i < n; i += procs {
		if used[i] || column[i*n] != int32(k) {
			continue
		}
		if size := math.Abs(value[i*n]); size > best.size {
			best = candidate{size, int32(i)}
		}
	}
	return best
}

// choosePivot returns the row of the greatest candidate, or -1 if no rank has one.
func choosePivot(candidates []candidate) int {
	best := candidate{row: -1}
	for _, c := range candidates {
		if c.size > best.size || (c.size == best.size && c.row < best.row) {
			best = c
		}
	}
	return int(best.row)
}

// mergeRows writes a row of the matrix minus l times the pivot's row, and returns the number of elements. The
// conversions keep multiplication and subtraction separate, which some machines could fuse.
func mergeRows(toColumn []int32, toValue []float64, column []int32, value []float64, pivotColumn []int32, pivotValue []float64, l float64) int {
	i, j, m := 0, 0, 0
	for i < len(column) || j < len(pivotColumn) {
		switch {
		case j == len(pivotColumn) || (i < len(column) && column[i] < pivotColumn[j]):
			toColumn[m], toValue[m] = column[i], value[i]
			i++
		case i == len(column) || column[i] > pivotColumn[j]:
			toColumn[m], toValue[m] = pivotColumn[j], -float64(l*pivotValue[j])
			j++
		default:
			toColumn[m], toValue[m] = column[i], value[i]-float64(l*pivotValue[j])
			i++
			j++
		}
		m++
	}
	return m
}

// substitute substitutes x for unknown k in the rows of a rank. It multiplies the last element of a row whose
// unknown is not computed yet, if any. The first element of a row is its pivot.
func substitute(column []int32, value, b []float64, end []int32, x float64, n, k, id, procs int) {
	for i := id; i < n; i += procs {
		last := i*n + int(end[i]) - 1
		if last > i*n && column[last] == int32(k) {
			b[i] -= float64(value[last] * x)
			end[i]--
		}
	}
}

// Verify substitutes the solution into the equations. Elimination solves (A+E)x = b with |E| <= g |L||U|, g = 3n
// u/(1 - 3n u) [higham2002, thm. 9.4]. With pivoting, no element of L is above 1. So |L||U| <= s, the sums of the
// absolute values in the columns of U. The sum computed here adds (n+1) u (|A||x| + |b|), u = 2^-53.
func (f *sparse) Verify() error {
	n := f.n
	sums := make([]float64, n)
	for i := range n {
		for at := i * n; at < i*n+int(f.length[i]); at++ {
			sums[f.column[at]] += math.Abs(f.value[at])
		}
	}
	var size float64 // s |x|
	for j := range n {
		size += sums[j] * math.Abs(f.x[j])
	}
	column, value, length, b := sparseInput(n, f.density, f.seed)
	g := 3 * float64(n) * 0x1p-53 / (1 - 3*float64(n)*0x1p-53)
	for i := range n {
		left, terms := b[i], math.Abs(b[i])
		for at := i * n; at < i*n+int(length[i]); at++ {
			left -= value[at] * f.x[column[at]]
			terms += math.Abs(value[at] * f.x[column[at]])
		}
		if bound := g*size + float64(n+1)*0x1p-53*terms; !(math.Abs(left) <= bound) {
			return fmt.Errorf("equation %d is off by %.3g, more than %.3g", i, left, bound)
		}
	}
	return nil
}

func (f *sparse) Digest() string { return workload.Digest(f.x) }

// Counts predicts the barriers; see Sparse.
func (f *sparse) Counts() workload.Counts { return workload.Counts{Barriers: 2 * uint64(f.n)} }
