package du2000

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// LU factors a dense matrix A into L U without pivoting; L has a unit diagonal. It is SPLASH-2's program with
// contiguous blocks [woo1995; du2000, sec. 4.2]. The matrix is divided into square blocks, each contiguous in
// memory. They are distributed over a grid of ranks in both dimensions (2-D scatter).
//
// Step k factors diagonal block (k,k).
// After a barrier, the owners of the blocks below and right of it divide them by U and L of the diagonal
// block. After another barrier, the owners of the remaining blocks (i,j) subtract (i,k)(k,j). The owner of the next
// diagonal block has then already updated it, so there are 2 barriers in each step.
//
// The input is random with a dominant diagonal, so no pivoting is needed.
var LU = workload.Kernel{
	Name: "lu", Paper: "du2000",
	Doc: "blocked dense LU factorization, 2-D scatter of contiguous blocks (SPLASH-2)",
	Params: []workload.Param{
		{Name: "n", Default: 512, Min: 1, Max: 8192, Constraint: "a multiple of block", Doc: "rows and columns of the matrix"},
		{Name: "block", Default: 16, Min: 1, Max: 1024, Constraint: "a divisor of n", Doc: "rows and columns of a block"},
	},
	Small: workload.Values{"n": 64},
	Check: func(v workload.Values) error {
		if v["n"]%v["block"] != 0 {
			return fmt.Errorf("n=%d is out of range; 1 to 8192, a multiple of block=%d", v["n"], v["block"])
		}
		return nil
	},
	Make: newLU,
}

type lu struct {
	n, b, blocks int // order of the matrix and of a block; blocks in a row
	procs        int
	gridRows     int
	gridCols     int
	seed         uint64
	a            []float64 // block after block in rows of blocks, each in rows
}

func newLU(v workload.Values, procs int, seed uint64) workload.Instance {
	n, b := v["n"], v["block"]
	f := &lu{n: n, b: b, blocks: n / b, procs: procs, seed: seed, a: make([]float64, n*n)}
	f.gridRows, f.gridCols = workload.Grid(procs)
	input := luInput(n, seed)
	for i := range n {
		for j := range n {
			f.a[f.index(i, j)] = input[i*n+j]
		}
	}
	return f
}

// luInput returns an n x n matrix by rows, uniform in -1..1 with n added to the diagonal.
func luInput(n int, seed uint64) []float64 {
	rng := workload.Generator(seed)
	a := make([]float64, n*n)
	for i := range a {
		a[i] = 2*rng.Float64() - 1
		if i/n == i%n {
			a[i] += float64(n)
		}
	}
	return a
}

// index returns the position of element (i,j) of the matrix.
func (f *lu) index(i, j int) int {
	return ((i/f.b)*f.blocks+j/f.b)*f.b*f.b + i%f.b*f.b + j%f.b
}

// owner returns the rank that computes block (i,j).
func (f *lu) owner(i, j int) int { return i%f.gridRows*f.gridCols + j%f.gridCols }

// subtractRow subtracts l times row x from row y.
//
// It is not inlined, so that its instructions are the same for all callers.
//
//go:noinline
func subtractRow(y, x []float64, l float64) {
	for j := range y {
		y[j] -= l * x[j]
	}
}

// Program replaces the matrix by its factors.
func (f *lu) Program(r *spmd.Rank) error {
	a := spmd.Shared(r, "a", f.a)
	block := func(i, j int) []float64 {
		at := (i*f.blocks + j) * f.b * f.b
		return a[at : at+f.b*f.b]
	}
	mine := func(i, j int) bool { return f.owner(i, j) == r.ID() }
	for k := range f.blocks {
		if mine(k, k) {
			f.factor(block(k, k))
		}
		r.Barrier()
		for i := k + 1; i < f.blocks; i++ {
			if mine(i, k) {
				f.divideByU(block(i, k), block(k, k))
			}
			if mine(k, i) {
				f.divideByL(block(k, i), block(k, k))
			}
		}
		r.Barrier()
		for i := k + 1; i < f.blocks; i++ {
			for j := k + 1; j < f.blocks; j++ {
				if mine(i, j) {
					f.subtractProduct(block(i, j), block(i, k), block(k, j))
				}
			}
		}
	}
	return nil
}

// factor replaces a block by its own L and U.
func (f *lu) factor(a []float64) {
	b := f.b
	for k := range b {
		pivot := a[k*b+k]
		for i := k + 1; i < b; i++ {
			l := a[i*b+k] / pivot
			a[i*b+k] = l
			subtractRow(a[i*b+k+1:(i+1)*b], a[k*b+k+1:(k+1)*b], l)
		}
	}
}

// divideByU replaces a by a U^-1; U is the upper part of diag.
func (f *lu) divideByU(a, diag []float64) {
	b := f.b
	for k := range b {
		pivot := diag[k*b+k]
		for i := range b {
			l := a[i*b+k] / pivot
			a[i*b+k] = l
			subtractRow(a[i*b+k+1:(i+1)*b], diag[k*b+k+1:(k+1)*b], l)
		}
	}
}

// divideByL replaces a by L^-1 a; L is the unit lower part of diag.
func (f *lu) divideByL(a, diag []float64) {
	b := f.b
	for k := range b {
		for i := k + 1; i < b; i++ {
			subtractRow(a[i*b:(i+1)*b], a[k*b:(k+1)*b], diag[i*b+k])
		}
	}
}

// subtractProduct subtracts the product of blocks left and top from a.
func (f *lu) subtractProduct(a, left, top []float64) {
	b := f.b
	for i := range b {
		row := a[i*b : (i+1)*b]
		for k := range b {
			subtractRow(row, top[k*b:(k+1)*b], left[i*b+k])
		}
	}
}

// Verify multiplies the factors and compares every element of A - L U with the bound g |L||U|, g = n eps/(1 - n
// eps). The bound applies once to the factorization [N. J. Higham: Accuracy and Stability of Numerical Algorithms,
// 2nd ed., thm. 9.3] and once to the product computed here.
func (f *lu) Verify() error {
	n := f.n
	input := luInput(n, f.seed)
	g := float64(n) * 0x1p-53 / (1 - float64(n)*0x1p-53)
	sum, size := make([]float64, n), make([]float64, n)
	for i := range n {
		f.productRow(i, sum, size)
		for j := range n {
			if e := math.Abs(input[i*n+j] - sum[j]); !(e <= 2*g*size[j]) {
				return fmt.Errorf("element (%d,%d) of A - LU is %.3g, more than %.3g", i, j, e, 2*g*size[j])
			}
		}
	}
	return nil
}

// productRow computes row i of L U and of |L||U|.
func (f *lu) productRow(i int, sum, size []float64) {
	clear(sum)
	clear(size)
	for k := range i + 1 {
		l := 1.0
		if k < i {
			l = f.a[f.index(i, k)]
		}
		for j := k; j < f.n; j++ {
			p := l * f.a[f.index(k, j)]
			sum[j] += p
			size[j] += math.Abs(p)
		}
	}
}

func (f *lu) Digest() string { return workload.Digest(f.a) }

// Counts predicts the references. A row of length m takes 3 m. Let q = b-k-1 be the rest of a row. Function factor takes
// the sum over k of 1 + q (2 + 3 q). Function divideByU takes 1 + b (2 + 3 q), and divideByL takes q (1 + 3 b).
// Function subtractProduct takes b b (1 + 3 b).
func (f *lu) Counts() workload.Counts {
	b := uint64(f.b)
	var factor, byU, byL uint64
	for k := range b {
		q := b - k - 1
		factor += 1 + q*(2+3*q)
		byU += 1 + b*(2+3*q)
		byL += q * (1 + 3*b)
	}
	c := workload.Counts{Barriers: 2 * uint64(f.blocks), Refs: make([]uint64, f.procs)}
	for i := range f.blocks {
		for j := range f.blocks {
			refs := uint64(min(i, j)) * b * b * (1 + 3*b) // block (i,j) is updated in steps k < i, j
			switch {
			case i == j:
				refs += factor
			case i > j:
				refs += byU
			default:
				refs += byL
			}
			c.Refs[f.owner(i, j)] += refs
		}
	}
	return c
}
