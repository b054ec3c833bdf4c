package message

import (
	"fmt"

	"spoor/analyze/marshal"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// step is an action of every processor, done Times times: a message, a statement on arrays, or a scan.
type step struct {
	Name     string
	Times    float64
	Kind     packing.Experiment // Transfer, Array or Scan
	Item     unit.Bytes
	Touched  []marshal.Layout // touched buffers; addresses are not known
	Accesses float64          // loads and stores of an Array
	Ops      float64          // arithmetic operations
}

// bytes returns the size of all touched buffers.
func (s *step) bytes() (n int64) {
	for _, t := range s.Touched {
		n += t.Count * t.Block
	}
	return n
}

// features returns the inputs of the models for one execution of the step.
func (s *step) features(l *Laws) (f packing.Features, err error) {
	for _, t := range s.Touched {
		one, err := s.touched(t, l)
		if err != nil {
			return f, fmt.Errorf("%s: %w", s.Name, err)
		}
		f.MLT, f.Exact, f.Pages = f.MLT+one.MLT, f.Exact+one.Exact, f.Pages+one.Pages
		f.Runs += one.Runs
	}
	f.N, f.Ops = float64(s.bytes()), s.Ops
	if s.Kind == packing.Array {
		f.N = s.Accesses
	}
	if f.Space = f.Exact * float64(l.Line); s.Kind != packing.Array {
		f.Space += f.N
	}
	return f, nil
}

// touched returns the lines and pages of one layout: the mean over all addresses that are multiples of an
// item.
func (s *step) touched(t marshal.Layout, l *Laws) (f packing.Features, err error) {
	t = contiguous(t)
	p := packing.Point{Experiment: packing.Transfer, Rows: t.Count, Cols: t.Block / int64(s.Item), Item: s.Item, Stride: unit.Bytes(t.Stride),
		Blocks: 1, Bytes: unit.Bytes(t.Count * t.Block)}
	if f, err = packing.Of(&p, l.Line, l.Page); err != nil {
		return f, err
	}
	if l.Printed && l.Model.Layout {
		if f.MLT, err = printedMLT(t, l.Line); err != nil {
			return f, err
		}
	}
	if f.Exact, err = expected(t, s.Item, l.Line); err != nil {
		return f, err
	}
	f.Pages, err = expected(t, s.Item, l.Page)
	return f, err
}

// contiguous converts a layout with adjacent blocks to one block.
func contiguous(t marshal.Layout) marshal.Layout {
	if t.Count > 1 && t.Stride == t.Block {
		return marshal.Layout{Addr: t.Addr, Count: 1, Block: t.Count * t.Block}
	}
	return t
}

// expected returns the mean number of lines over all first addresses that are multiples of an item.
func expected(t marshal.Layout, item, line unit.Bytes) (float64, error) {
	align := line
	for item%align != 0 || t.Count > 1 && t.Stride%int64(align) != 0 {
		align /= 2
	}
	return t.Expected(line, align)
}

// printedMLT returns the mean of the bounds as printed, for an unknown base address. With l the bytes of a
// line, of n contiguous bytes
//
//	LB = ceil(n/l), UB = ceil(n/l) + 1   [hur1999, eqs. 3-4]
//
// and of b_r rows of d bytes that are b_c apart, q = gcd(b_c, l),
//
//	LB = floor(b_r q/l) (l/q + ceil(d/q) - 1), UB = ceil(b_r q/l) (l/q + ceil(d/q))   [hur1999, eqs. 5-6]
//
// for b_c > 2 l. The paper does not say how the bounds of columns are combined; this uses their mean, as for
// rows. [marshal.ColumnBounds] refuses d > b_c - l, where LB fails.
func printedMLT(t marshal.Layout, line unit.Bytes) (float64, error) {
	if t.Count == 1 || t.Stride == t.Block {
		lower, upper := marshal.RowBounds(unit.Bytes(t.Count*t.Block), line)
		return (float64(lower) + float64(upper)) / 2, nil
	}
	l := int64(line)
	if t.Stride <= 2*l {
		return 0, fmt.Errorf("rows are %d bytes apart, but theorem 2 needs more than two lines of %v; omit --as-printed", t.Stride, line)
	}
	q := t.Stride
	for r := l; r != 0; {
		q, r = r, q%r
	}
	rows, period, more := t.Count, l/q, (t.Block-1)/q+1
	lower := float64(rows/period) * float64(period+more-1)
	upper := float64((rows-1)/period+1) * float64(period+more)
	return (lower + upper) / 2, nil
}
