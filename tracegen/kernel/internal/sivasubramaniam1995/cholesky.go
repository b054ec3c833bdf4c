package sivasubramaniam1995

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Cholesky factors a sparse symmetric positive definite matrix A into L L', like the program of SPLASH
// [rothberg1990; sivasubramaniam1995, app., CHOLESKY].
// Columns with the same
// structure below them form a supernode, a dense block. Each supernode is a task. Tasks that are ready are in a
// central queue. A rank takes a task,
//
//   - subtracts the accumulated modifications from the supernode, and factors it;
//   - modifies each later supernode that has columns among its rows. It computes the
//     products for one column at a time, takes the lock of that column, and adds
//     them to its sum;
//   - subtracts one from the number of modifications due to that supernode, under
//     the lock of its first column. When none is due, it puts the supernode into
//     the queue.
//
// Ordering, elimination tree and supernodes are computed before the run, serially, as in the
// paper. Locks are numbers of columns. There are no barriers.
//
// The order of the modifications of a column depends on time. They are added as integers, in units of 2^-62, so
// that the sum does not depend on the order. A has a unit diagonal, which bounds every sum of products by 1.
//
// The paper's matrix is of order 1806 with 30824 non-zeros below the diagonal. Its factor has 110461 non-zeros and
// 503 supernodes. This is BCSSTK14 of the Harwell-Boeing collection, the stiffness of a roof, which comes with SPLASH.
// It is the default, rings=0, in a multiple-minimum-degree order (multipleMinimumDegree), which gives both numbers. With
// rings, A is a generated dome of any size, in a minimum-degree order.
//
// Differs: A is scaled to a unit diagonal. Modifications are added separately from the matrix, in integers.
var Cholesky = workload.Kernel{
	Name: "cholesky", Paper: "sivasubramaniam1995",
	Doc: "sparse supernodal Cholesky factorization from a central task queue (SPLASH)",
	Params: []workload.Param{
		{Name: "rings", Default: 0, Min: 0, Max: 64, Doc: "rings of a dome of order 6 rings x spokes; 0: the matrix is BCSSTK14, of order 1806"},
		{Name: "spokes", Default: domeSpokes, Min: 3, Max: 128, Doc: "joints of a ring in each layer of the dome"},
		{Name: "braces", Default: domeBraces, Min: 0, Max: 100, Doc: "per cent of the diagonal neighbours of the dome that are joined"},
	},
	Small: workload.Values{"rings": 3, "spokes": 8},
	Check: checkCholesky,
	Fixed: func(v workload.Values) bool { return v["rings"] == 0 },
	Make:  newCholesky,
}

const (
	domeSpokes = 43
	domeBraces = 84
)

// checkCholesky refuses a size of a dome without a dome.
func checkCholesky(v workload.Values) error {
	if v["rings"] == 0 && (v["spokes"] != domeSpokes || v["braces"] != domeBraces) {
		return fmt.Errorf("spokes and braces are those of a dome, but rings=0 is the matrix BCSSTK14; set rings to 1 to 64")
	}
	return nil
}

type cholesky struct {
	dome  dome
	seed  uint64
	super supernodes
	value []float64 // A, then L: block after block
	sum   []int64   // to be subtracted, in units of choleskyUnit
	due   []int32   // of each supernode: number of missing modifications
	ready []int32   // supernodes without missing modifications at the start
}

// choleskyUnit is the unit of sums of modifications.
const choleskyUnit = 0x1p-62

func newCholesky(v workload.Values, _ int, seed uint64) workload.Instance {
	f := &cholesky{dome: dome{v["rings"], v["spokes"], v["braces"]}, seed: seed}
	a := f.matrix()
	f.super = f.symbolic(a.neighbours)
	f.value, f.sum = make([]float64, f.super.size()), make([]int64, f.super.size())
	for _, e := range a.elements {
		i, j := f.super.place[e.row], f.super.place[e.column]
		f.value[f.super.index(max(i, j), min(i, j))] = e.value
	}
	f.due = f.super.modifications()
	for s, due := range f.due {
		if due == 0 {
			f.ready = append(f.ready, int32(s))
		}
	}
	return f
}

// matrix returns A.
func (f *cholesky) matrix() sparseSymmetric {
	if f.dome.rings == 0 {
		return bcsstk14()
	}
	return domeMatrix(f.dome, f.seed)
}

// symbolic orders the blocks of A, whose neighbours are given, and finds the supernodes of L.
func (f *cholesky) symbolic(neighbours [][]int32) supernodes {
	if f.dome.rings == 0 {
		order := multipleMinimumDegree(neighbours)
		return newSupernodes(1, order, structure(neighbours, order))
	}
	order, below := minimumDegree(neighbours)
	return newSupernodes(domeFreedom, order, below)
}

// choleskyRank is the state of one rank.
type choleskyRank struct {
	rank     *spmd.Rank
	super    supernodes
	value    []float64
	sum      []int64
	due      []int32
	queue    *spmd.Queue[int32]
	product  []float64 // of one column
	relative []int32   // position of the supernode's rows among those of the supernode that it modifies
}

// Program factors the matrix.
func (f *cholesky) Program(r *spmd.Rank) error {
	c := &choleskyRank{rank: r, super: f.super.share(r),
		value: spmd.Shared(r, "value", f.value), sum: spmd.Shared(r, "sum", f.sum), due: spmd.Shared(r, "due", f.due),
		queue:    spmd.NewQueue(r, "tasks", len(f.due), f.ready...),
		product:  spmd.Private(r, "product", make([]float64, f.super.tallest)),
		relative: spmd.Private(r, "relative", make([]int32, f.super.tallest))}
	for {
		s, ok := c.queue.Take(r)
		if !ok {
			return nil
		}
		if err := c.task(s); err != nil {
			return err
		}
	}
}

// task factors supernode s and modifies the supernodes that depend on it.
func (c *choleskyRank) task(s int32) error {
	rows, width := c.super.rowsOf(s), c.super.width(s)
	from, to := c.super.block(s)
	block := c.value[from:to]
	subtractSum(block, c.sum[from:to])
	if at := factorBlock(block, len(rows), width); at >= 0 {
		return fmt.Errorf("the matrix is not positive definite: column %d", int(rows[0])+at)
	}
	for j := width; j < len(rows); {
		t := c.super.owner[rows[j]]
		end := j
		for end < len(rows) && c.super.owner[rows[end]] == t {
			end++
		}
		c.modify(block, rows, width, j, end, t)
		if c.isLast(t) {
			c.queue.Put(c.rank, t)
		}
		j = end
	}
	return nil
}

// modify adds the products of a block for its rows j..end-1, which are columns of supernode t, to the sums of t.
func (c *choleskyRank) modify(block []float64, rows []int32, width, j, end int, t int32) {
	findRows(c.relative, rows[j:], c.super.rowsOf(t))
	first, height := c.super.first[t], len(c.super.rowsOf(t))
	from, _ := c.super.block(t)
	for k := j; k < end; k++ {
		product := c.product[:len(rows)-k]
		rowProducts(product, block, len(rows), width, k)
		column := from + int(rows[k]-first)*height
		c.rank.Lock(rows[k])
		addToSum(c.sum[column:column+height], product, c.relative[k-j:])
		c.rank.Unlock(rows[k])
	}
}

// isLast subtracts one from the modifications of supernode t that are due, and reports whether it was the last.
func (c *choleskyRank) isLast(t int32) bool {
	lock := c.super.first[t]
	c.rank.Lock(lock)
	c.due[t]--
	last := c.due[t] == 0
	c.rank.Unlock(lock)
	return last
}

// subtractSum subtracts the sums of modifications from a block.
func subtractSum(block []float64, sum []int64) {
	for i := range block {
		block[i] -= float64(sum[i]) * choleskyUnit
	}
}

// factorBlock factors the square at the top of a block of columns of the given height, and divides the rest by it.
// It returns the column whose pivot is not positive, or -1.
func factorBlock(block []float64, height, width int) int {
	for j := range width {
		column := block[j*height : (j+1)*height]
		for k := range j {
			left := block[k*height : (k+1)*height]
			factor := left[j]
			for i := j; i < height; i++ {
				column[i] -= float64(factor * left[i])
			}
		}
		if !(column[j] > 0) {
			return j
		}
		pivot := math.Sqrt(column[j])
		column[j] = pivot
		for i := j + 1; i < height; i++ {
			column[i] /= pivot
		}
	}
	return -1
}

// findRows sets relative to the positions of rows among others, which contain them. Both ascend.
func findRows(relative, rows, others []int32) {
	at := int32(0)
	for i, row := range rows {
		for others[at] != row {
			at++
		}
		relative[i] = at
	}
}

// rowProducts sets product to the products of rows k, k+1, ... of a block with its row k.
func rowProducts(product, block []float64, height, width, k int) {
	clear(product)
	for start := k; start < width*height; start += height {
		column := block[start : start+len(product)]
		factor := column[0]
		for i, v := range column {
			product[i] += float64(factor * v)
		}
	}
}

// addToSum adds products to the sums at their places.
func addToSum(sum []int64, product []float64, relative []int32) {
	for i, p := range product {
		sum[relative[i]] += int64(p / choleskyUnit)
	}
}

func (f *cholesky) Digest() string { return workload.Digest(f.value) }

// Counts predicts that there are no barriers.
func (f *cholesky) Counts() workload.Counts { return workload.Counts{} }

// PlaceVariables implements workload.Waiting. The lock of a column is beside the number of its supernode.
func (f *cholesky) PlaceVariables(r *spmd.Rank) { spmd.Locks(r, 0, f.super.owner, 1) }
