package marshal

import (
	"fmt"
	"math"
	"math/bits"

	"spoor/traces/unit"
)

// Layout is the position of a buffer in memory: Count blocks of Block bytes. The first is at Addr;
// the starts of consecutive blocks are Stride bytes apart. The stride may be negative, and blocks
// may overlap.
type Layout struct {
	Addr                 uint64
	Count, Block, Stride int64
}

// hull is a layout in ascending order: blocks from low on, and the bytes from the first to the last
// one.
type hull struct {
	low, last    uint64 // addresses
	count, block uint64
	stride       uint64
	first, final uint64 // lines, of the first byte and of the last
}

// hull computes the hull for lines of the given size. It fails if the buffer does not fit into the
// address space.
func (l Layout) hull(line unit.Bytes) (h hull, err error) {
	switch {
	case line < 1:
		return h, fmt.Errorf("lines of %d bytes", line)
	case l.Count < 0 || l.Block < 0:
		return h, fmt.Errorf("a buffer of %d blocks of %d bytes", l.Count, l.Block)
	case l.Count == 0 || l.Block == 0:
		return h, nil
	}
	h = hull{low: l.Addr, count: uint64(l.Count), block: uint64(l.Block), stride: uint64(l.Stride)}
	if l.Stride < 0 {
		h.stride = -h.stride
	}
	over, reach := bits.Mul64(h.count-1, h.stride)
	top, outside := l.Addr, uint64(0) // where the highest block begins
	if l.Stride < 0 {
		h.low, outside = bits.Sub64(l.Addr, reach, 0)
	} else {
		top, outside = bits.Add64(l.Addr, reach, 0)
	}
	var wrapped uint64
	h.last, wrapped = bits.Add64(top, h.block-1, 0)
	if over|outside|wrapped != 0 {
		return h, fmt.Errorf("%d blocks of %d bytes, %d apart, from %#x, reach beyond the address space", l.Count, l.Block, l.Stride, l.Addr)
	}
	h.first, h.final = h.low/uint64(line), h.last/uint64(line)
	return h, nil
}

// separate reports whether at least a line's length is between blocks, so that no two blocks share
// a line. Otherwise every line from the first to the last is touched.
func (h *hull) separate(line unit.Bytes) bool {
	return h.count > 1 && h.stride > h.block && h.stride-h.block >= uint64(line)
}

// Lines returns the number of distinct lines of the given size, at least 1, that the buffer
// touches: MLT of [hur1999], exactly, for the buffer's base address. Its time is logarithmic in the
// line size and does not depend on the number of blocks.
//
// Let o be the address of the lowest block, c, d and s the number, bytes and distance of blocks,
// and l the bytes of a line. Then MLT is
//
//	floor((o+(c-1)s+d-1)/l) - floor(o/l) + 1                            if c = 1 or s-d < l,
//	c (1+D) + #{0 <= i < c: (o+is) mod l >= l-r}, d-1 = D l + r, r < l  otherwise.
//
// In the first case the hole between two blocks is shorter than a line, so no line is skipped. In
// the second case no two blocks share a line. Block i has one line more than 1+D if it begins so
// late in its first line that r+1 bytes do not fit. The offsets (o+is) mod l repeat after l/q
// blocks, with q = gcd(s, l). In these blocks they take each of p, p+q, p+2q, ... below l once,
// with p = o mod q; floor((r+p)/q) of them count. Two floor sums count the remaining blocks.
//
// Differs: [hur1999, thm. 2] gives only bounds, see ColumnBounds.
func (l Layout) Lines(line unit.Bytes) (uint64, error) {
	h, err := l.hull(line)
	switch {
	case err != nil || h.count == 0:
		return 0, err
	case !h.separate(line) && h.final-h.first == math.MaxUint64:
		return 0, fmt.Errorf("the buffer touches 2^64 lines, one more than can be said")
	case !h.separate(line):
		return h.final - h.first + 1, nil
	}
	size := uint64(line)
	whole, rest := (h.block-1)/size, (h.block-1)%size
	start, step := h.low%size, h.stride%size
	q := gcd(step, size)
	period := size / q
	late := h.count / period * ((rest + start%q) / q)
	if left := h.count % period; left > 0 {
		late += floorSum(left, size, step, start+rest) - floorSum(left, size, step, start)
	}
	return h.count*(1+whole) + late, nil
}

// Expected returns the mean number of lines if all multiples of align are equally likely addresses
// of the buffer's first byte. align must divide the line size and, for several blocks, the stride.
// It is
//
//	floor((n-1)/l) + 1 + floor(((n-1) mod l)/a) a/l.
//
// If two blocks touch the same lines, n is the number of bytes from the first block to the last.
// Otherwise n is the bytes of one block, and the result is multiplied by the number of blocks. With
// a = 1 it is (n+l-1)/l.
func (l Layout) Expected(line, align unit.Bytes) (float64, error) {
	moved := l
	moved.Addr = 0
	if l.Stride < 0 {
		moved.Stride = -l.Stride // the order of the blocks does not matter
	}
	h, err := moved.hull(line)
	switch {
	case err != nil || h.count == 0:
		return 0, err
	case align < 1 || line%align != 0 || h.count > 1 && h.stride%uint64(align) != 0:
		return 0, fmt.Errorf("an alignment of %d bytes, with lines of %d and blocks %d apart", align, line, l.Stride)
	}
	behind, blocks := h.last, 1.0 // bytes after the first: n-1
	if h.separate(line) {
		behind, blocks = h.block-1, float64(h.count)
	}
	size, a := uint64(line), uint64(align)
	return blocks * (float64(behind/size) + 1 + float64(behind%size/a*a)/float64(size)), nil
}

// floorSum returns the sum of floor((a i + b)/m) for i from 0 to n-1, modulo 2^64. a must be below
// m.
func floorSum(n, m, a, b uint64) (sum uint64) {
	for n > 0 {
		sum += b / m * n
		b %= m
		hi, lo := bits.Mul64(a, n)
		lo, carry := bits.Add64(lo, b, 0)
		y, left := bits.Div64(hi+carry, lo, m) // hi < m, because a < m and n < 2^64
		if y == 0 {
			return sum
		}
		// The pairs below the line, counted along the other axis.
		n, b, m, a = y, left, a, m
		sum += a / m * triangle(n)
		a %= m
	}
	return sum
}

// triangle returns 0 + 1 + ... + (n-1), modulo 2^64.
func triangle(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
