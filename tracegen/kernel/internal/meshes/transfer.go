package meshes

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Transfer sends parts of a matrix back and forth [hur1999, sec. 3.1 and 5]: d rows, d columns or a block of d x d
// elements. Ranks work in pairs, 0 with 1, 2 with 3 and so on. With an odd number of ranks, the last one is idle.
// Each rank has a matrix of 4-byte integers, stored by rows. In every repetition the even rank sends the last rows
// or columns, or the lower right corner. The odd rank receives them as its first rows or columns, or upper left
// corner. Then the odd rank sends its own in the same way. Rows are contiguous in memory; columns and blocks are
// not. Their messages have as many bytes and touch many more lines of memory.
//
// The paper's matrices have 1 to 4000 rows and columns, of which 1 to 200 are sent.
var Transfer = workload.Kernel{
	Name: "transfer", Paper: "hur1999",
	Doc: "rows, columns or a block of a matrix sent to and fro between pairs of ranks",
	Params: []workload.Param{
		{Name: "rows", Default: 2000, Min: 1, Max: 1 << 14, Doc: "rows of each rank's matrix"},
		{Name: "cols", Default: 2000, Min: 1, Max: 1 << 14, Doc: "columns of each rank's matrix"},
		{Name: "d", Default: 1, Min: 1, Max: 1 << 14, Constraint: "no more than the matrix has", Doc: "rows or columns that are sent"},
		{Name: "shape", Default: 0, Min: 0, Max: 2, Doc: "what is sent: 0 is d rows, 1 is d columns, 2 is a block of d x d"},
		{Name: "repetitions", Default: 10, Min: 1, Max: 1 << 20, Doc: "how often each rank of a pair sends"},
	},
	Small: workload.Values{"rows": 100, "cols": 100},
	Check: func(v workload.Values) error {
		if limit := transferLimit(v["shape"], v["rows"], v["cols"]); v["d"] > limit {
			return fmt.Errorf("d=%d is out of range; 1 to %d, no more than the matrix has", v["d"], limit)
		}
		return nil
	},
	Make: newTransfer,
}

// Shapes of the parts that are sent.
const (
	transferRows = iota
	transferColumns
	transferBlock
)

// transferLimit returns the greatest d.
func transferLimit(shape, rows, cols int) int {
	switch shape {
	case transferRows:
		return rows
	case transferColumns:
		return cols
	}
	return min(rows, cols)
}

type transfer struct {
	rows, cols, d, shape, repetitions int
	seed                              uint64
	a                                 [][]int32 // the matrix of each rank
}

func newTransfer(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &transfer{rows: v["rows"], cols: v["cols"], d: v["d"], shape: v["shape"], repetitions: v["repetitions"], seed: seed}
	f.a = transferInput(f.rows*f.cols, procs, seed)
	return f
}

func transferInput(n, procs int, seed uint64) [][]int32 {
	rng := workload.Generator(seed)
	a := make([][]int32, procs)
	for rank := range a {
		a[rank] = make([]int32, n)
		for i := range a[rank] {
			a[rank][i] = int32(rng.Uint32())
		}
	}
	return a
}

// partner returns the other rank of a pair, or outside.
func (f *transfer) partner(rank int) int {
	if other := rank ^ 1; other < len(f.a) {
		return other
	}
	return outside
}

// layout returns the layout in memory of the sent part, and the start of its last occurrence in the matrix.
func (f *transfer) layout() (v spmd.Vector, last int) {
	switch f.shape {
	case transferRows:
		return spmd.Vector{Count: 1, Block: f.d * f.cols, Stride: f.d * f.cols}, (f.rows - f.d) * f.cols
	case transferColumns:
		return spmd.Vector{Count: f.rows, Block: f.d, Stride: f.cols}, f.cols - f.d
	}
	return spmd.Vector{Count: f.d, Block: f.d, Stride: f.cols}, (f.rows-f.d)*f.cols + f.cols - f.d
}

// Program sends and receives, or receives and sends.
func (f *transfer) Program(r *spmd.Rank) error {
	partner := f.partner(r.ID())
	if partner == outside {
		return nil
	}
	a := spmd.Private(r, "a", f.a[r.ID()])
	layout, last := f.layout()
	even := r.ID()%2 == 0
	for range f.repetitions {
		if even {
			spmd.SendVector(r, partner, 0, a[last:], layout)
		}
		spmd.RecvVector(r, partner, 0, a, layout)
		if !even {
			spmd.SendVector(r, partner, 0, a[last:], layout)
		}
	}
	return nil
}

// Verify copies, element by element, what the repetitions should have copied.
func (f *transfer) Verify() error {
	want := transferInput(f.rows*f.cols, len(f.a), f.seed)
	for rank := 0; rank+1 < len(want); rank += 2 {
		for range f.repetitions {
			f.copyElements(want[rank+1], want[rank])
			f.copyElements(want[rank], want[rank+1])
		}
	}
	for rank := range want {
		for at, w := range want[rank] {
			if got := f.a[rank][at]; got != w {
				return fmt.Errorf("rank %d: element (%d,%d) is %d, want %d", rank, at/f.cols, at%f.cols, got, w)
			}
		}
	}
	return nil
}

func (f *transfer) copyElements(to, from []int32) {
	rows, cols := f.rows, f.cols
	if f.shape != transferColumns {
		rows = f.d
	}
	if f.shape != transferRows {
		cols = f.d
	}
	for i := range rows {
		for j := range cols {
			to[i*f.cols+j] = from[(f.rows-rows+i)*f.cols+f.cols-cols+j]
		}
	}
}

func (f *transfer) Digest() string {
	all := make([]any, len(f.a))
	for rank, a := range f.a {
		all[rank] = a
	}
	return workload.Digest(all...)
}

// Counts predicts the messages: each rank of a pair sends once in every repetition.
func (f *transfer) Counts() workload.Counts {
	c := workload.Counts{Messages: make([]uint64, len(f.a))}
	for rank := range f.a {
		if f.partner(rank) != outside {
			c.Messages[rank] = uint64(f.repetitions)
		}
	}
	return c
}
