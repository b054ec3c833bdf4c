package meshes

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// convParams are the parameters of the two programs for uniform convolution.
var convParams = []workload.Param{
	{Name: "l", Default: 512, Min: 1, Max: 1 << 14, Doc: "rows and columns of the image"},
	{Name: "b", Default: 4, Min: 1, Max: 1 << 8, Constraint: "no more than l", Doc: "rows and columns of the box"},
	{Name: "weight", Default: 2, Min: 1, Max: 255, Doc: "what the sum of a box is multiplied by"},
	meshRows,
}

func checkConv(v workload.Values) error {
	if v["b"] > v["l"] {
		return fmt.Errorf("b=%d is out of range; 1 to %d, no more than l", v["b"], v["l"])
	}
	return nil
}

// conv is an l x l image of 4-byte integers in blocks over a mesh of ranks, and its uniform convolution. The result
// at a pixel is the weighted sum of the b x b box of pixels with this pixel at its lower right corner. Pixels
// outside the image are 0. Sums wrap at 2^32, like the integers of the programs.
type conv struct {
	l, b   int
	weight int32
	mesh   mesh
	seed   uint64
	image  [][]int32 // the block of each rank
	sums   [][]int32 // the result in the same form
}

func newConv(v workload.Values, procs int, seed uint64) conv {
	f := conv{l: v["l"], b: v["b"], weight: int32(v["weight"]), mesh: newMesh(v["meshrows"], procs), seed: seed}
	f.image = scatter(f.mesh, greyImage(f.l, seed), f.l, f.l)
	f.sums = make([][]int32, procs)
	return f
}

// Verify computes every box by its definition: sums of b pixels in each row, and the sum of these over b rows.
func (f *conv) Verify() error {
	image, want := greyImage(f.l, f.seed), make([]int32, f.l*f.l)
	across := make([]int32, f.l*f.l)
	for i := range f.l {
		for j := range f.l {
			for x := max(0, j-f.b+1); x <= j; x++ {
				across[i*f.l+j] += image[i*f.l+x]
			}
			for y := max(0, i-f.b+1); y <= i; y++ {
				want[i*f.l+j] += across[y*f.l+j] * f.weight
			}
		}
	}
	return compareElements(f.gathered(), want, f.l)
}

func (f *conv) gathered() []int32 { return gather(f.mesh, f.sums, f.l, f.l) }

func (f *conv) Digest() string { return workload.Digest(f.gathered()) }

// size returns the rows and columns of a rank's block.
func (f *conv) size(rank int) (rows, cols int) {
	top, bottom, left, right := f.mesh.block(rank, f.l, f.l)
	return bottom - top, right - left
}

// shiftBlock sends the last rows and columns of a block to the rank that is down rows lower and right columns
// further right. It receives those of the rank at the same distance in the opposite direction. The blocks begin at
// sent and received.
func shiftBlock(r *spmd.Rank, m mesh, down, right int, sent, received []int32, block spmd.Vector) {
	to, from := m.neighbour(r.ID(), down, right), m.neighbour(r.ID(), -down, -right)
	if to != outside {
		spmd.SendVector(r, to, 0, sent, block)
	}
	if from != outside {
		spmd.RecvVector(r, from, 0, received, block)
	}
}
