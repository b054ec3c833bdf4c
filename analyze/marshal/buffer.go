package marshal

import (
	"iter"
	"math"

	"spoor/traces/unit"
)

// Buffer is the part of a layout that a message fills: whole blocks, and the beginning of one more
// block, the rest.
type Buffer struct {
	Whole, Rest Layout
}

// First returns the part that n bytes fill, one block after the other, or the whole layout if it
// has no more bytes.
func (l Layout) First(n int64) Buffer {
	if l.Count <= 0 || l.Block <= 0 || n/l.Block >= l.Count {
		return Buffer{Whole: l}
	}
	b := Buffer{Whole: l}
	b.Whole.Count = n / l.Block
	if n%l.Block > 0 {
		b.Rest = Layout{Addr: l.Addr + uint64(b.Whole.Count)*uint64(l.Stride), Count: 1, Block: n % l.Block}
	}
	return b
}

// Lines returns the number of distinct lines of the given size that the buffer touches.
func (b Buffer) Lines(line unit.Bytes) (uint64, error) {
	n, err := b.Whole.Lines(line)
	if err != nil || b.Rest.Count == 0 {
		return n, err
	}
	_, own, err := b.own(line)
	return n + own, err
}

// own returns the lines of the rest that are outside the whole blocks: their number and the first
// one. The rest begins after the last line of the whole blocks, or in it.
func (b Buffer) own(line unit.Bytes) (first, n uint64, err error) {
	r, err := b.Rest.hull(line)
	if err != nil {
		return 0, 0, err
	}
	w, err := b.Whole.hull(line)
	n = r.final - r.first + 1
	switch {
	case err != nil || w.count == 0:
		return r.first, n, err
	case b.Whole.Stride < 0:
		return r.first, min(n, w.first-min(w.first, r.first)), nil
	}
	n = min(n, r.final-min(r.final, w.final))
	return r.final - n + 1, n, nil
}

// touched yields the lines of a buffer that fits into the address space, each once.
func (b Buffer) touched(line unit.Bytes) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if !b.Whole.each(line, yield) || b.Rest.Count == 0 {
			return
		}
		first, n, _ := b.own(line)
		for i := range n {
			if !yield(first + i) {
				return
			}
		}
	}
}

// each yields the lines of a layout ascending, each once.
func (l Layout) each(line unit.Bytes, yield func(uint64) bool) bool {
	h, _ := l.hull(line)
	if h.count > 0 && !h.separate(line) {
		h = hull{low: h.low, count: 1, block: h.last - h.low + 1}
	}
	for i := range h.count {
		start := h.low + i*h.stride
		first := start / uint64(line)
		for j := range (start+h.block-1)/uint64(line) - first + 1 {
			if !yield(first + j) {
				return false
			}
		}
	}
	return true
}

// touches reports whether a buffer that fits into the address space touches a line.
func (b Buffer) touches(number uint64, line unit.Bytes) bool {
	return b.Whole.touches(number, line) || b.Rest.touches(number, line)
}

// touches looks at the first block that ends in the line or behind it.
func (l Layout) touches(number uint64, line unit.Bytes) bool {
	h, _ := l.hull(line)
	if h.count == 0 || number < h.first || number > h.final {
		return false
	}
	if !h.separate(line) {
		return true
	}
	block := uint64(0)
	if end, low := number*uint64(line), h.low+h.block-1; end > low {
		block = (end-low-1)/h.stride + 1
	}
	return block < h.count && (h.low+block*h.stride)/uint64(line) <= number
}

// expected returns the mean number of lines over all addresses of the first byte. If less than a
// line separates the whole blocks from the rest, all of them form one range of lines.
func (b Buffer) expected(line unit.Bytes) (float64, error) {
	whole, err := b.Whole.Expected(line, 1)
	if err != nil || b.Rest.Count == 0 {
		return whole, err
	}
	rest, err := b.Rest.Expected(line, 1)
	if err != nil || b.Whole.Count == 0 {
		return rest, err
	}
	count, block, part := float64(b.Whole.Count), float64(b.Whole.Block), float64(b.Rest.Block)
	stride := math.Abs(float64(b.Whole.Stride))
	hole, stretch := stride-block, max(count*stride+part, (count-1)*stride+block)
	if b.Whole.Stride < 0 { // the rest is before the whole blocks
		hole, stretch = stride-part, count*stride+block
	}
	if hole < float64(line) {
		return (stretch + float64(line) - 1) / float64(line), nil
	}
	return whole + rest, nil
}
