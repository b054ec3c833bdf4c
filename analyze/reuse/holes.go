package reuse

import (
	"iter"
	"math/bits"
)

// holes is a set of slots, with fast access to the topmost. Every level has a bit for each word of the level
// before that is not empty.
type holes struct {
	levels [][]uint64
	top    uint32 // 0: the set is empty
}

func newHoles(slots int) (h holes) {
	for n := slots; ; {
		n = (n + 63) / 64
		h.levels = append(h.levels, make([]uint64, n))
		if n == 1 {
			return h
		}
	}
}

func (h *holes) add(slot uint32) {
	h.top = max(h.top, slot)
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

func (h *holes) removeTop() {
	x := h.top
	h.top = 0
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
		h.top = x
		return
	}
}

// all yields the holes from the bottom.
func (h *holes) all() iter.Seq[uint32] {
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
