package meshes

import (
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// ConvShift computes a uniform convolution by shifts [hur1999, sec. 7 and program conv_shift]. The image moves one
// pixel to the right b-1 times. Each time it is added to the sums along the rows. Then these sums move down b-1
// times and are added in the same way. Finally the sums are weighted. In each of the 2(b-1) shifts a rank sends its
// last column to the east or its last row to the south. Statements run one after the other over the whole array, as
// in the program, and are not fused.
//
// The paper's images have 100 to 1000 rows and columns and its boxes 1 to 10.
//
// Differs: the image is random instead of all ones, so that the result is a stronger test.
var ConvShift = workload.Kernel{
	Name: "convshift", Paper: "hur1999",
	Doc:    "uniform convolution of an image by 2(b-1) shifts",
	Params: convParams,
	Small:  workload.Values{"l": 64},
	Procs:  func(v workload.Values, procs int) error { return checkMesh(v["meshrows"], procs, v["l"], 1) },
	Check:  checkConv,
	Make: func(v workload.Values, procs int, seed uint64) workload.Instance {
		f := &convShift{newConv(v, procs, seed)}
		for rank := range f.sums {
			f.sums[rank] = make([]int32, len(f.image[rank]))
		}
		return f
	},
}

type convShift struct{ conv }

// Program moves and adds.
func (f *convShift) Program(r *spmd.Rank) error {
	rows, cols := f.size(r.ID())
	image := spmd.Private(r, "image", f.image[r.ID()])
	sums := spmd.Private(r, "sums", f.sums[r.ID()])
	moved := spmd.Private(r, "moved", make([]int32, (rows+1)*(cols+1))) // with a row above and a column before it
	wide := cols + 1
	own := moved[wide+1:]
	copy(sums, image)
	copyIn(own, sums, rows, cols, wide)
	for range f.b - 1 {
		shiftBlock(r, f.mesh, 0, 1, own[cols-1:], moved[wide:], spmd.Vector{Count: rows, Block: 1, Stride: wide})
		moveRight(moved[wide:], rows, cols, wide)
		addIn(sums, own, rows, cols, wide)
	}
	copyIn(own, sums, rows, cols, wide)
	for range f.b - 1 {
		shiftBlock(r, f.mesh, 1, 0, own[(rows-1)*wide:], moved[1:], spmd.Vector{Count: 1, Block: cols, Stride: cols})
		moveDown(moved[1:], rows, cols, wide)
		addIn(sums, own, rows, cols, wide)
	}
	weight := f.weight
	for i := range sums {
		sums[i] *= weight
	}
	return nil
}

// copyIn copies a block to y, whose rows are wide elements apart.
func copyIn(y, x []int32, rows, cols, wide int) {
	for i := range rows {
		copy(y[i*wide:i*wide+cols], x[i*cols:(i+1)*cols])
	}
}

// addIn adds the block in x, whose rows are wide elements apart, to y.
func addIn(y, x []int32, rows, cols, wide int) {
	for i := range rows {
		addRow(y[i*cols:(i+1)*cols], x[i*wide:i*wide+cols])
	}
}

// moveRight moves every row of cols elements to the right by one. The first elements of a are those before the
// rows.
func moveRight(a []int32, rows, cols, wide int) {
	for i := range rows {
		row := a[i*wide : i*wide+cols+1]
		copy(row[1:], row[:cols])
	}
}

// moveDown moves every row down by one; a begins with the row above them.
func moveDown(a []int32, rows, cols, wide int) {
	for i := rows; i > 0; i-- {
		copy(a[i*wide:i*wide+cols], a[(i-1)*wide:(i-1)*wide+cols])
	}
}

// Counts predicts the messages: one east and one south in each of b-1 shifts, if there is a neighbour.
func (f *convShift) Counts() workload.Counts {
	c := workload.Counts{Messages: make([]uint64, len(f.image))}
	for rank := range f.image {
		for _, to := range [...]int{f.mesh.neighbour(rank, 0, 1), f.mesh.neighbour(rank, 1, 0)} {
			if to != outside {
				c.Messages[rank] += uint64(f.b - 1)
			}
		}
	}
	return c
}
