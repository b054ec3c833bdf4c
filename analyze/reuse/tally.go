package reuse

import (
	"encoding/binary"
	"slices"
)

// tally counts uses by distance. Distances fall anywhere between 0 and the number of lines. So counting is as
// slow as the cache that holds all counts. Counts are therefore bytes, with a carry once in 256 uses.
type tally struct {
	bytes []uint8  // by distance, modulo 256
	uses  []uint64 // by distance, without bytes
	cold  uint64
	top   uint32 // largest distance that add counted

	byUse   *classTally // counts each use by class, too; nil: no
	classes []uint64    // uses by class of distance, without bytes; nil: not requested
}

// add counts uses at distances.
func (t *tally) add(dist []uint32) {
	top := uint32(0)
	for _, d := range dist {
		top = max(top, d)
	}
	t.top = max(t.top, top)
	if int(top) >= len(t.bytes) {
		t.bytes = grow(t.bytes, int(top)+1)
	}
	if t.byUse != nil {
		t.byUse.add(dist)
	}
	few := t.bytes
	for _, d := range dist {
		n := few[d] + 1
		few[d] = n
		if n == 0 {
			t.carry(d)
		}
	}
}

//go:noinline
func (t *tally) carry(d uint32) {
	if int(d) >= len(t.uses) { // most carries are of small distances
		t.uses = grow(t.uses, int(d)+1)
	}
	t.uses[d] += 256
	if t.classes != nil {
		t.classes[classOf(d)] += 256
	}
}

// grow returns the counts with room for at least n, and at least twice the length.
func grow[T any](counts []T, n int) []T {
	grown := make([]T, max(n, 2*len(counts)))
	copy(grown, counts)
	return grown
}

// width returns one more than the largest distance so far, or newest if that is more.
func (t *tally) width() int { return max(int(t.top)+1, newest) }

// flush adds the bytes to the uses. It returns the uses so far by distance, with zeros at the end.
func (t *tally) flush() []uint64 {
	t.addBytes(t.used())
	clear(t.bytes)
	return t.uses
}

// used returns the bytes up to the largest distance.
func (t *tally) used() []uint8 { return t.bytes[:min(len(t.bytes), int(t.top)+1)] }

// addBytes adds bytes of each distance to the uses.
func (t *tally) addBytes(bytes []uint8) {
	t.classes = nil
	if have := len(t.uses); have < len(bytes) {
		t.uses = slices.Grow(t.uses, len(bytes)-have)[:len(bytes)]
		clear(t.uses[have:])
	}
	uses := t.uses[:len(bytes)]
	d := 0
	for ; d+8 <= len(bytes); d += 8 { // most are zero
		if binary.NativeEndian.Uint64(bytes[d:]) == 0 {
			continue
		}
		for i, n := range bytes[d : d+8] {
			uses[d+i] += uint64(n)
		}
	}
	for ; d < len(bytes); d++ {
		uses[d] += uint64(bytes[d])
	}
}

// nonZero returns the uses up to the largest distance found.
func (t *tally) nonZero() []uint64 {
	uses := t.flush()
	n := len(uses)
	for n > 0 && uses[n-1] == 0 {
		n--
	}
	return uses[:n]
}

// drain adds the counts of another tally, and resets that.
func (t *tally) drain(from *tally) {
	t.addBytes(from.used())
	if len(t.uses) < len(from.uses) {
		t.uses, from.uses = from.uses, t.uses
	}
	for d, n := range from.uses {
		t.uses[d] += n
	}
	t.cold += from.cold
	t.top = max(t.top, from.top)
	from.reset()
}

// reset sets all counts to 0.
func (t *tally) reset() {
	clear(t.bytes)
	clear(t.uses)
	t.cold, t.top, t.classes = 0, 0, nil
	if t.byUse != nil {
		*t.byUse = classTally{}
	}
}
