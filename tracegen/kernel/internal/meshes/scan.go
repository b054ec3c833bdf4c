package meshes

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Scan replaces every element of an l x l array by the sum of the elements up to it in its row (horizontal scan) or
// column (vertical scan) [hur1999, sec. 6]. The array of 4-byte integers is divided into blocks over a mesh of
// ranks. Each rank scans its own block. Then the sums pass along the rows (or columns) of the mesh. A rank receives
// the last column (row) of the finished block of the rank before it. It finishes its own last column (row) by
// adding it, sends that to the next rank, and adds it to the rest. A row is contiguous in memory; a column is not.
//
// A rank receives and sends at most one row or column, as in the paper. The paper's arrays have 50 to 2000 rows and
// columns, on seven meshes.
//
// Differs: a rank that is not the first adds twice to each element; the paper counts one operation. With one
// operation, a rank would have to wait for the rank before it.
var Scan = workload.Kernel{
	Name: "scan", Paper: "hur1999",
	Doc: "horizontal or vertical prefix sums of an array on a mesh of ranks",
	Params: []workload.Param{
		{Name: "l", Default: 1000, Min: 1, Max: 1 << 14, Doc: "rows and columns of the array"},
		{Name: "direction", Default: 2, Min: 1, Max: 2, Doc: "dimension of the scan, as ZPL counts: 1 is vertical, 2 is horizontal"},
		meshRows,
	},
	Small: workload.Values{"l": 64},
	Procs: func(v workload.Values, procs int) error { return checkMesh(v["meshrows"], procs, v["l"], 1) },
	Make:  newScan,
}

type scan struct {
	l          int
	horizontal bool
	mesh       mesh
	seed       uint64
	a          [][]int32 // the block of each rank
}

func newScan(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &scan{l: v["l"], horizontal: v["direction"] == 2, mesh: newMesh(v["meshrows"], procs), seed: seed}
	f.a = scatter(f.mesh, greyImage(f.l, seed), f.l, f.l)
	return f
}

// greyImage returns an l x l array, uniform from 0 to 255.
func greyImage(l int, seed uint64) []int32 {
	rng := workload.Generator(seed)
	image := make([]int32, l*l)
	for i := range image {
		image[i] = int32(rng.Uint32N(256))
	}
	return image
}

// Program scans the array.
func (f *scan) Program(r *spmd.Rank) error {
	top, bottom, left, right := f.mesh.block(r.ID(), f.l, f.l)
	rows, cols := bottom-top, right-left
	a := spmd.Private(r, "a", f.a[r.ID()])
	if f.horizontal {
		before := spmd.Private(r, "before", make([]int32, rows))
		scanHorizontally(r, f.mesh, a, rows, cols, cols, before)
	} else {
		before := spmd.Private(r, "before", make([]int32, cols))
		scanVertically(r, f.mesh, a, rows, cols, cols, before)
	}
	return nil
}

// scanHorizontally scans the rows of the array. This rank's block is a, with stride elements from one row to the
// next. Before is a buffer for a column.
func scanHorizontally(r *spmd.Rank, m mesh, a []int32, rows, cols, stride int, before []int32) {
	west, east := m.neighbour(r.ID(), 0, -1), m.neighbour(r.ID(), 0, 1)
	for i := range rows {
		row := a[i*stride : i*stride+cols]
		for j := 1; j < cols; j++ {
			row[j] += row[j-1]
		}
	}
	if west != outside {
		spmd.Recv(r, west, eastward, before)
		for i := range rows {
			a[i*stride+cols-1] += before[i]
		}
	}
	if east != outside {
		spmd.SendVector(r, east, eastward, a[cols-1:], spmd.Vector{Count: rows, Block: 1, Stride: stride})
	}
	if west != outside {
		for i := range rows {
			row, sum := a[i*stride:i*stride+cols-1], before[i]
			for j := range row {
				row[j] += sum
			}
		}
	}
}

// scanVertically scans the columns in the same way. Before is a buffer for a row.
func scanVertically(r *spmd.Rank, m mesh, a []int32, rows, cols, stride int, before []int32) {
	north, south := m.neighbour(r.ID(), -1, 0), m.neighbour(r.ID(), 1, 0)
	for i := 1; i < rows; i++ {
		addRow(a[i*stride:i*stride+cols], a[(i-1)*stride:(i-1)*stride+cols])
	}
	last := a[(rows-1)*stride : (rows-1)*stride+cols]
	if north != outside {
		spmd.Recv(r, north, southward, before)
		addRow(last, before)
	}
	if south != outside {
		spmd.Send(r, south, southward, last)
	}
	if north != outside {
		for i := range rows - 1 {
			addRow(a[i*stride:i*stride+cols], before)
		}
	}
}

// addRow adds row x to row y.
//
// It is not inlined, so that its instructions are the same for all callers.
//
//go:noinline
func addRow(y, x []int32) {
	for j := range y {
		y[j] += x[j]
	}
}

// Verify computes the prefix sums by their definition, on the whole array.
func (f *scan) Verify() error {
	want := greyImage(f.l, f.seed)
	for i := range f.l {
		for j := range f.l {
			switch {
			case f.horizontal && j > 0:
				want[i*f.l+j] += want[i*f.l+j-1]
			case !f.horizontal && i > 0:
				want[i*f.l+j] += want[(i-1)*f.l+j]
			}
		}
	}
	return compareElements(gather(f.mesh, f.a, f.l, f.l), want, f.l)
}

// compareElements compares matrices of n columns.
func compareElements(got, want []int32, n int) error {
	for at, w := range want {
		if got[at] != w {
			return fmt.Errorf("element (%d,%d) is %d, want %d", at/n, at%n, got[at], w)
		}
	}
	return nil
}

func (f *scan) Digest() string { return workload.Digest(gather(f.mesh, f.a, f.l, f.l)) }

// Counts predicts the messages: one to the next rank, if there is one.
func (f *scan) Counts() workload.Counts {
	down, right := 1, 0
	if f.horizontal {
		down, right = 0, 1
	}
	c := workload.Counts{Messages: make([]uint64, len(f.a))}
	for rank := range f.a {
		if f.mesh.neighbour(rank, down, right) != outside {
			c.Messages[rank] = 1
		}
	}
	return c
}
