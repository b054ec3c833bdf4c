package meshes

import (
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// ConvScan computes a uniform convolution by prefix sums [hur1999, sec. 7, fig. 13 and program conv_scan]. After a
// horizontal and a vertical scan, each pixel has the sum of all pixels above it and to its left. The sum of a box
// combines four of these: the one at its lower right corner, minus those b rows above and b columns before it, plus
// the one b rows above and b columns before, which was subtracted twice. For these three shifts each rank sends its
// last b rows to the south, its last b columns to the east, and the corner between them to the south-east.
//
// The paper's images have 100 to 1000 rows and columns and its boxes 1 to 10.
//
// Differs: the image is random instead of all ones, so that the result is a stronger test.
var ConvScan = workload.Kernel{
	Name: "convscan", Paper: "hur1999",
	Doc:    "uniform convolution of an image by two scans and three shifts",
	Params: convParams,
	Small:  workload.Values{"l": 64},
	Procs:  func(v workload.Values, procs int) error { return checkMesh(v["meshrows"], procs, v["l"], v["b"]) },
	Check:  checkConv,
	Make: func(v workload.Values, procs int, seed uint64) workload.Instance {
		return newConvScan(v, procs, seed)
	},
}

type convScan struct {
	conv
	prefix [][]int32 // prefix sums of each rank's block, with b rows above and b columns before
}

func newConvScan(v workload.Values, procs int, seed uint64) *convScan {
	f := &convScan{conv: newConv(v, procs, seed), prefix: make([][]int32, procs)}
	for rank := range procs {
		rows, cols := f.size(rank)
		f.sums[rank] = make([]int32, rows*cols)
		f.prefix[rank] = make([]int32, (rows+f.b)*(cols+f.b))
	}
	return f
}

// Program scans, shifts and combines.
func (f *convScan) Program(r *spmd.Rank) error {
	b := f.b
	rows, cols := f.size(r.ID())
	image := spmd.Private(r, "image", f.image[r.ID()])
	sums := spmd.Private(r, "sums", f.sums[r.ID()])
	prefix := spmd.Private(r, "prefix", f.prefix[r.ID()])
	before := spmd.Private(r, "before", make([]int32, max(rows, cols)))
	wide := cols + b
	own := prefix[b*wide+b:]
	copyIn(own, image, rows, cols, wide)
	scanHorizontally(r, f.mesh, own, rows, cols, wide, before[:rows])
	scanVertically(r, f.mesh, own, rows, cols, wide, before[:cols])

	lastRows, lastCols := (rows-b)*wide, cols-b // positions in the block at which the last b begin
	shiftBlock(r, f.mesh, 1, 0, own[lastRows:], prefix[b:], spmd.Vector{Count: b, Block: cols, Stride: wide})
	shiftBlock(r, f.mesh, 0, 1, own[lastCols:], prefix[b*wide:], spmd.Vector{Count: rows, Block: b, Stride: wide})
	shiftBlock(r, f.mesh, 1, 1, own[lastRows+lastCols:], prefix, spmd.Vector{Count: b, Block: b, Stride: wide})
	sumBoxes(sums, prefix, rows, cols, b)
	weight := f.weight
	for i := range sums {
		sums[i] *= weight
	}
	return nil
}

// sumBoxes computes the sums of all boxes from prefix sums.
func sumBoxes(sums, prefix []int32, rows, cols, b int) {
	wide := cols + b
	for i := range rows {
		above, here := prefix[i*wide:(i+1)*wide], prefix[(i+b)*wide:(i+b+1)*wide]
		row := sums[i*cols : (i+1)*cols]
		for j := range row {
			row[j] = here[j+b] - above[j+b] - here[j] + above[j]
		}
	}
}

// Counts predicts the messages: a scan and a shift each send one east and one south, and a shift one south-east.
func (f *convScan) Counts() workload.Counts {
	c := workload.Counts{Messages: make([]uint64, len(f.image))}
	for rank := range f.image {
		for _, to := range [...]int{f.mesh.neighbour(rank, 0, 1), f.mesh.neighbour(rank, 1, 0)} {
			if to != outside {
				c.Messages[rank] += 2
			}
		}
		if f.mesh.neighbour(rank, 1, 1) != outside {
			c.Messages[rank]++
		}
	}
	return c
}
