// Package holes keeps the holes of a stack: slots without a line.
package holes

import (
	"iter"
	"math/bits"
)

// Set is a set of slots, with fast access to the topmost. Every level has a bit for each word of the level
// before that is not empty.
type Set struct {
	levels [][]uint64
	Top    uint32 // 0: the set is empty
}

// New returns an empty set of slots below a number.
func New(slots int) (h Set) {
	for n := slots; ; {
		n = (n + 63) / 64
		h.levels = append(h.levels, make([]uint64, n))
		if n == 1 {
			return h
		}
	}
}

// Add adds a slot.
func (h *Set) Add(slot uint32) {
	h.Top = max(h.Top, slot)
	for _, words := range h.levels {
		w := &words[slot>>6]
		was := *w
		*w |= 1 << (slot & 63)
		if was != 0 {
			return
		}
		slot >>= 6
	}
}

// RemoveTop removes the topmost slot.
func (h *Set) RemoveTop() {
	x := h.Top
	h.Top = 0
	for i, words := range h.levels {
		w := &words[x>>6]
		*w &^= 1 << (x & 63)
		x >>= 6
		if *w == 0 {
			continue
		}
		for ; i >= 0; i-- {
			x = x<<6 | uint32(bits.Len64(h.levels[i][x])-1)
		}
		h.Top = x
		return
	}
}

// All yields the holes from the bottom.
func (h *Set) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, w := range h.levels[0] {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i<<6 | bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
