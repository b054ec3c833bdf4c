package message

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"spoor/analyze/marshal"
)

// Region is the part of an array in which a statement is executed.
type Region struct {
	Name, Doc string
	// rows is how many items of row i there are, from column 0 on.
	row func(i, cols int64) int64
}

// Regions lists them.
var Regions = []Region{
	{"full", "all of the array", func(_, cols int64) int64 { return cols }},
	{"lower", "the lower triangle with the diagonal", func(i, cols int64) int64 { return min(i+1, cols) }},
}

// RegionNamed is the region called name.
func RegionNamed(name string) (Region, error) {
	for _, r := range Regions {
		if r.Name == name {
			return r, nil
		}
	}
	return Region{}, fmt.Errorf("there is no region %q; there are %s", name, strings.Join(names(Regions, func(r Region) string { return r.Name }), ", "))
}

// Distribution is an array in blocks of Block x Block items, dealt out to the mesh in turn.
type Distribution struct {
	Block      int64
	Most, Mean float64 // items of the region that a processor has: the most, and the mean
	Prediction Prediction
}

// Imbalance is how much more the busiest processor has than the mean.
func (d Distribution) Imbalance() float64 { return d.Most/d.Mean - 1 }

// BlockCyclic predicts A = A + A@west + A@north in a region of an array that is dealt out in square blocks, for all sizes of
// blocks for which every processor has as many rows and columns: two statements on the items of the region, of
// which the busiest processor has most, and a shift by a column and by a row. Small blocks balance the region and have
// more edges: of every block, each processor sends the last column and row, all of them in one message. Its array lies in memory as one block.
func (l *Laws) BlockCyclic(c Case, region Region) (out []Distribution, err error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Rows > mostDealt || c.Cols > mostDealt || c.MeshRows*c.MeshCols > mostDealt {
		return nil, fmt.Errorf("an array of %d x %d items on %d processors; sizes of blocks are looked for up to %d each", c.Rows, c.Cols, c.MeshRows*c.MeshCols, mostDealt)
	}
	for k := int64(1); k*c.MeshRows <= c.Rows && k*c.MeshCols <= c.Cols; k++ {
		if c.Rows%(k*c.MeshRows) != 0 || c.Cols%(k*c.MeshCols) != 0 {
			continue
		}
		d, err := l.dealt(c, region, k)
		if err != nil {
			return nil, fmt.Errorf("blocks of %d: %w", k, err)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, errors.New("no size of square blocks gives every processor as many rows and columns; take an array whose rows and columns are multiples of the mesh's")
	}
	return out, nil
}

// mostDealt bounds arrays and meshes that are dealt out.
const mostDealt = 1 << 14

// dealt is the prediction for blocks of k x k.
func (l *Laws) dealt(c Case, region Region, k int64) (d Distribution, err error) {
	d.Block = k
	d.Most, d.Mean = c.share(region, k)
	steps := []Step{c.statement("A = A + A@west, A + A@north", 2, int64(d.Most), 3, 1, c.rectangle(1, int64(d.Most), 0), c.rectangle(1, int64(d.Most), 0))}
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

// share is how many items of a region the processor with most of them has, and the mean.
func (c *Case) share(region Region, k int64) (most, mean float64) {
	has := make([]int64, c.MeshRows*c.MeshCols)
	total := int64(0)
	for i := range c.Rows {
		n := region.row(i, c.Cols)
		total += n
		row := has[i/k%c.MeshRows*c.MeshCols:][:c.MeshCols]
		for q := range row {
			row[q] += dealtTo(int64(q), n, k, c.MeshCols)
		}
	}
	for _, n := range has {
		most = math.Max(most, float64(n))
	}
	return most, float64(total) / float64(len(has))
}

// dealtTo is how many of n items that are dealt out in blocks of k to so many come to the one called q.
func dealtTo(q, n, k, of int64) int64 {
	round := k * of
	return n/round*k + min(max(n%round-q*k, 0), k)
}

// Advise is the distribution that takes the least time, and the one after it; nil if there is none. Of equals it is
// that of larger blocks, which are simpler to compute with.
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
