package message

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/marshal"
	"spoor/traces/lookup"
)

// Region is the part of an array on which a statement is executed.
type Region struct {
	Name, Doc string
	// row returns the number of items of row i in the region, from column 0.
	row func(i, cols int64) int64
}

// Regions lists all regions.
var Regions = []Region{
	{"full", "all of the array", func(_, cols int64) int64 { return cols }},
	{"lower", "the lower triangle with the diagonal", func(i, cols int64) int64 { return min(i+1, cols) }},
}

// RegionNamed returns the region called name.
func RegionNamed(name string) (Region, error) {
	for _, r := range Regions {
		if r.Name == name {
			return r, nil
		}
	}
	return Region{}, lookup.Unknown("region", name, names(Regions, func(r Region) string { return r.Name }))
}

// Distribution is an array in blocks of Block x Block items, distributed cyclically over the mesh.
type Distribution struct {
	Block      int64
	Most, Mean float64 // items of the region per processor: largest and mean
	Prediction Prediction
}

// imbalance returns the relative excess of the busiest processor over the mean.
func (d Distribution) imbalance() float64 { return d.Most/d.Mean - 1 }

// BlockCyclic predicts A = A + A@west + A@north in a region of an array, for block-cyclic distributions. It
// uses all block sizes for which every processor has equally many rows and columns. The cost is two statements
// on the items of the busiest processor, and a shift by a column and by a row.
//
// Small blocks balance the region and have more edges. Each processor sends the last column and row of every
// block, all in one message. The array of a processor lies in memory as one block.
func (l *Laws) BlockCyclic(c Case, region Region) (out []Distribution, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Rows > maxDistributed || c.Cols > maxDistributed || c.MeshRows*c.MeshCols > maxDistributed {
		return nil, fmt.Errorf("an array of %d x %d items on %d processors is too large; each may be at most %d", c.Rows, c.Cols, c.MeshRows*c.MeshCols, maxDistributed)
	}
	for k := int64(1); k*c.MeshRows <= c.Rows && k*c.MeshCols <= c.Cols; k++ {
		if c.Rows%(k*c.MeshRows) != 0 || c.Cols%(k*c.MeshCols) != 0 {
			continue
		}
		d, err := l.distribution(c, region, k)
		if err != nil {
			return nil, fmt.Errorf("blocks of %d: %w", k, err)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, errors.New("no block size gives all processors equally many rows and columns; use an array whose sides are multiples of the mesh's")
	}
	return out, nil
}

// maxDistributed bounds the sides of distributed arrays, and the meshes.
const maxDistributed = 1 << 14

// distribution returns the prediction for blocks of k x k.
func (l *Laws) distribution(c Case, region Region, k int64) (d Distribution, err error) {
	d.Block = k
	d.Most, d.Mean = c.share(region, k)
	steps := []step{c.statement("A = A + A@west, A + A@north", 2, int64(d.Most), 3, 1, c.rectangle(1, int64(d.Most), 0), c.rectangle(1, int64(d.Most), 0))}
	rows, cols, item := c.rows(), c.cols(), int64(c.Item)
	if c.MeshCols > 1 {
		steps = append(steps, c.message("columns", 1, contiguous(marshal.Layout{Count: rows * cols / k, Block: item, Stride: k * item})))
	}
	if c.MeshRows > 1 {
		steps = append(steps, c.message("rows", 1, contiguous(marshal.Layout{Count: rows / k, Block: cols * item, Stride: k * cols * item})))
	}
	e := newEstimate(l, fmt.Sprintf("blocks of %d", k))
	for i := range steps {
		s := &steps[i]
		f, err := s.features(l)
		if err != nil {
			return d, err
		}
		if err := e.add(s.Kind, s.Times, &f, s.bytes()); err != nil {
			return d, err
		}
	}
	d.Prediction, err = e.prediction()
	return d, err
}

// share returns the items of a region on the processor with the most, and the mean.
func (c *Case) share(region Region, k int64) (most, mean float64) {
	has := make([]int64, c.MeshRows*c.MeshCols)
	total := int64(0)
	for i := range c.Rows {
		n := region.row(i, c.Cols)
		total += n
		row := has[i/k%c.MeshRows*c.MeshCols:][:c.MeshCols]
		for q := range row {
			row[q] += itemsOf(int64(q), n, k, c.MeshCols)
		}
	}
	for _, n := range has {
		most = math.Max(most, float64(n))
	}
	return most, float64(total) / float64(len(has))
}

// itemsOf returns how many of n items come to processor q, if blocks of k go to the processors in turn.
func itemsOf(q, n, k, of int64) int64 {
	round := k * of
	return n/round*k + min(max(n%round-q*k, 0), k)
}

// Advise returns the distribution with the least time and the next one, or nil if there is none. Of equal
// times, the larger blocks are better, because they are simpler to compute with.
func Advise(all []Distribution) (best, next *Distribution) {
	for i := len(all) - 1; i >= 0; i-- {
		d := &all[i]
		switch {
		case best == nil:
			best = d
		case d.Prediction.Time < best.Prediction.Time:
			best, next = d, best
		case next == nil || d.Prediction.Time < next.Prediction.Time:
			next = d
		}
	}
	return best, next
}
