package marshal

import (
	"fmt"
	"math"
	"math/bits"

	"spoor/traces/unit"
)

// RowBounds returns the bounds of [hur1999, sec. 3.2] for a buffer of n contiguous bytes with
// unknown base: ceil(n/l), and one more. The paper uses their mean for MLT. The mean over all bases
// is (n+l-1)/l, see Layout.Expected.
func RowBounds(n, line unit.Bytes) (lower, upper uint64) {
	lower = (uint64(n) + uint64(line) - 1) / uint64(line)
	return lower, lower + 1
}

// ColumnBounds returns the bounds of [hur1999, thm. 2] for a buffer with unknown base. It has rows
// blocks of width bytes; apart is the distance from one block to the next in bytes. With q =
// gcd(apart, line),
//
//	LB = floor(rows q/line) (line/q + ceil(width/q) - 1)
//	UB = ceil(rows q/line)  (line/q + ceil(width/q)).
//
// All arguments are at least 1. It fails if the theorem does not hold or if the bounds exceed 2^63.
//
// Differs: the theorem requires only apart > 2 line. Then the lower bound fails if blocks share
// lines; width <= apart - line excludes that.
func ColumnBounds(rows int64, apart, width, line unit.Bytes) (lower, upper uint64, err error) {
	if apart/2 < line || apart == 2*line || width > apart-line {
		return 0, 0, fmt.Errorf("blocks of %d bytes, %d apart, and lines of %d: no theorem", width, apart, line)
	}
	q := gcd(uint64(apart), uint64(line))
	l, d := uint64(line)/q, (uint64(width)-1)/q+1
	groups, part := uint64(rows)/l, uint64(rows)%l
	hi, lower := bits.Mul64(groups, l+d-1)
	if part > 0 {
		groups++
	}
	hi2, upper := bits.Mul64(groups, l+d)
	if hi|hi2 != 0 || upper > math.MaxInt64 {
		return 0, 0, fmt.Errorf("%d blocks of %d bytes touch too many lines", rows, width)
	}
	return lower, upper, nil
}

// Bounds returns the paper's bounds for the layout, as if its base were unknown: for a column, or
// for a row if the blocks follow each other without a hole. It fails if the theorem does not hold.
func (l Layout) Bounds(line unit.Bytes) (lower, upper uint64, err error) {
	h, err := l.hull(line)
	switch {
	case err != nil || h.count == 0:
		return 0, 0, err
	case h.count == 1 || h.stride == h.block:
		lower, upper = RowBounds(unit.Bytes(h.count*h.block), line)
		return lower, upper, nil
	case h.stride > math.MaxInt64:
		return 0, 0, fmt.Errorf("blocks 2^63 bytes apart")
	}
	return ColumnBounds(l.Count, unit.Bytes(h.stride), unit.Bytes(h.block), line)
}
