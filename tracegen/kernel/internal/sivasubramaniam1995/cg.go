package sivasubramaniam1995

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// CG makes a fixed number of iterations of the conjugate gradient method for A x = b from x = 0. A is a symmetric
// positive definite matrix with random non-zeros, like in the NAS benchmark of that name [sivasubramaniam1995,
// app., CG]. Rows of the matrix and elements of the vectors are partitioned contiguously among ranks. Each
// iteration is
//
//	q = A p                            reads p of other ranks, depending on A
//	alpha = (r.r)/(p.q)                global sum
//	x = x + alpha p, r = r - alpha q   local
//	beta = (new r.r)/(old r.r)         global sum
//	p = r + beta p                     local
//	barrier
//
// Global sums are logarithmic, with value and flag in one cache block (logSum). A rank's rows are compressed:
// values and columns in row order, and the start of each row.
//
// Products are rounded before they are added (no fused multiply-add), so that the result is the same on every
// processor architecture.
//
// Differs: the paper estimates the smallest eigenvalue by repeating such iterations for several b, but shows one
// solution. That solution runs here.
var CG = workload.Kernel{
	Name: "cg", Paper: "sivasubramaniam1995",
	Doc: "conjugate gradient method, random sparse matrix (NAS)",
	Params: []workload.Param{
		{Name: "n", Default: 1400, Min: 1, Max: 1 << 16, Doc: "rows and columns of the matrix"},
		{Name: "nonzeros", Default: 100300, Min: 1, Max: 1 << 24, Constraint: "from n to n squared, n plus an even number",
			Doc: "non-zero elements of the matrix, all of the diagonal among them"},
		{Name: "iterations", Default: 5, Min: 1, Max: 10000, Doc: "iterations of the method"},
	},
	Small: workload.Values{"n": 140, "nonzeros": 2000},
	Check: func(v workload.Values) error {
		n, nonzeros := v["n"], v["nonzeros"]
		if nonzeros < n || nonzeros > n*n || (nonzeros-n)%2 != 0 {
			return fmt.Errorf("nonzeros=%d is out of range; n=%d to %d, n plus an even number", nonzeros, n, n*n)
		}
		return nil
	},
	Make: newCG,
}

type cg struct {
	n, nonzeros, iterations int
	procs                   int
	seed                    uint64
	parts                   []cgRows  // of each rank
	x, r, p, q              []float64 // solution, residual, direction, A times direction
	cells                   []sumCell[float64]
}

// cgRows are the rows of one rank, compressed.
type cgRows struct {
	start  []int32 // start of each row in the other two, and the end of the last row
	column []int32
	value  []float64
}

func newCG(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["n"]
	f := &cg{n: n, nonzeros: v["nonzeros"], iterations: v["iterations"], procs: procs, seed: seed,
		x: make([]float64, n), r: make([]float64, n), p: make([]float64, n), q: make([]float64, n),
		cells: make([]sumCell[float64], procs)}
	for i := range n {
		f.r[i], f.p[i] = cgRightSide, cgRightSide
	}
	elements := cgMatrix(n, f.nonzeros, seed)
	for rank := range procs {
		var part cgRows
		lo, hi := spmd.Share(n, procs, rank)
		for row := lo; row < hi; row++ {
			part.start = append(part.start, int32(len(part.value)))
			for ; len(elements) > 0 && int(elements[0].row) == row; elements = elements[1:] {
				part.column = append(part.column, elements[0].column)
				part.value = append(part.value, elements[0].value)
			}
		}
		part.start = append(part.start, int32(len(part.value)))
		f.parts = append(f.parts, part)
	}
	return f
}

// Program makes the iterations.
func (f *cg) Program(rank *spmd.Rank) error {
	home := spmd.Blocked()
	x, r := spmd.Shared(rank, "x", f.x, home), spmd.Shared(rank, "r", f.r, home)
	p, q := spmd.Shared(rank, "p", f.p, home), spmd.Shared(rank, "q", f.q, home)
	cells := spmd.Shared(rank, "cells", f.cells, home)
	part := f.parts[rank.ID()]
	start := spmd.Private(rank, "row starts", part.start)
	column, value := spmd.Private(rank, "columns", part.column), spmd.Private(rank, "values", part.value)
	lo, hi := rank.Share(f.n)
	x, r, q = x[lo:hi], r[lo:hi], q[lo:hi]
	mine := p[lo:hi]

	rho := logSum(rank, cells, 1, cgDot(r, r))
	for i := range f.iterations {
		multiplyRows(q, start, column, value, p)
		alpha := quotient(rho, logSum(rank, cells, 2+2*i, cgDot(mine, q)))
		addMultiple(x, alpha, mine)
		addMultiple(r, -alpha, q)
		next := logSum(rank, cells, 3+2*i, cgDot(r, r))
		beta := quotient(next, rho)
		for j := range mine {
			mine[j] = r[j] + float64(beta*mine[j])
		}
		rho = next
		rank.Barrier()
	}
	return nil
}

// multiplyRows sets q to the product of compressed rows and p.
func multiplyRows(q []float64, start, column []int32, value, p []float64) {
	for i := range q {
		var sum float64
		for k := start[i]; k < start[i+1]; k++ {
			sum += float64(value[k] * p[column[k]])
		}
		q[i] = sum
	}
}

// cgDot is not inlined, so that its instructions are the same for all callers.
//
//go:noinline
func cgDot(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// addMultiple adds alpha times x to y.
func addMultiple(y []float64, alpha float64, x []float64) {
	for i := range y {
		y[i] += float64(alpha * x[i])
	}
}

// quotient returns a/b, or 0 if b is 0. Then the residual is 0, and x does not change.
func quotient(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func (f *cg) Digest() string { return workload.Digest(f.x, f.r) }

func (f *cg) Counts() workload.Counts { return workload.Counts{Barriers: uint64(f.iterations)} }

// PlaceVariables implements workload.Waiting. A flag is in its cell.
func (f *cg) PlaceVariables(r *spmd.Rank) { spmd.Flags(r, 0, f.cells) }
