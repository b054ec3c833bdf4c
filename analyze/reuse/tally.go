package reuse

import "encoding/binary"

// tally counts uses by distance. They fall anywhere between 0 and the number of lines, so that counting them is as slow as the
// cache that holds all counts: these are bytes, with a carry once in 256 uses.
type tally struct {
	few  []uint8  // by distance, modulo 256
	uses []uint64 // by distance, without few
	cold uint64

	classes []uint64 // uses by class of distance, without few; nil: nobody has asked
}

// add counts uses at distances.
func (t *tally) add(dist []uint32) {
	top := uint32(0)
	for _, d := range dist {
		top = max(top, d)
	}
	if int(top) >= len(t.few) {
		t.few = longer(t.few, int(top)+1)
	}
	few := t.few
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
	if int(d) >= len(t.uses) {
		t.uses = longer(t.uses, len(t.few))
	}
	t.uses[d] += 256
	if t.classes != nil {
		t.classes[classOf(d)] += 256
	}
}

// longer is counts with room for n at least, twice as much as before or more.
func longer[T any](counts []T, n int) []T {
	grown := make([]T, max(n, 2*len(counts)))
	copy(grown, counts)
	return grown
}

// width is above all distances so far.
func (t *tally) width() int { return max(len(t.few), len(t.uses)) }

// counted is the number of uses by distance so far, with zeros at the end.
func (t *tally) counted() []uint64 {
	t.take(t.few)
	clear(t.few)
	return t.uses
}

// take adds few uses at each distance.
func (t *tally) take(few []uint8) {
	t.classes = nil
	if len(t.uses) < len(few) {
		t.uses = longer(t.uses, len(few))
	}
	uses := t.uses[:len(few)]
	d := 0
	for ; d+8 <= len(few); d += 8 { // most are of no use
		if binary.NativeEndian.Uint64(few[d:]) == 0 {
			continue
		}
		for i, n := range few[d : d+8] {
			uses[d+i] += uint64(n)
		}
	}
	for ; d < len(few); d++ {
		uses[d] += uint64(few[d])
	}
}

// trimmed is the uses up to the largest distance found.
func (t *tally) trimmed() []uint64 {
	uses := t.counted()
	n := len(uses)
	for n > 0 && uses[n-1] == 0 {
		n--
	}
	return uses[:n]
}

// drain takes over what from has counted.
func (t *tally) drain(from *tally) {
	t.take(from.few)
	if len(t.uses) < len(from.uses) {
		t.uses, from.uses = from.uses, t.uses
	}
	for d, n := range from.uses {
		t.uses[d] += n
	}
	t.cold += from.cold
	from.forget()
}

// forget counts from 0.
func (t *tally) forget() {
	clear(t.few)
	clear(t.uses)
	t.cold, t.classes = 0, nil
}
