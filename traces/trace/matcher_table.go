package trace

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// flows finds flows by their channel. It is a hash table of numbers of flows; the flows
// lie in pages. If every message has its own tag, there may be as many flows as messages.
// Flows are therefore small, and the table drops those in which nothing waits.
type flows struct {
	slots []uint32 // number of a flow + 1, or 0 if free; their count is a power of two
	pages [][]flow
	n     int
	swept bool // some flows were dropped
}

// flowsOfPage is the number of flows that are allocated at a time.
const flowsOfPage = 1 << 8

func (t *flows) at(number int) *flow { return &t.pages[number/flowsOfPage][number%flowsOfPage] }

// find returns the flow of c, or nil.
func (t *flows) find(c channel) *flow {
	if len(t.slots) == 0 {
		return nil
	}
	mask := len(t.slots) - 1
	for i := int(c.hash()) & mask; ; i = (i + 1) & mask {
		number := t.slots[i]
		if number == 0 {
			return nil
		}
		if f := t.at(int(number - 1)); f.channel == c {
			return f
		}
	}
}

// salt is random, so that no trace can contain channels that were chosen to collide. The findings do not depend on it.
var salt = [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64() | 1}

// hash mixes all of c.
func (c channel) hash() uint64 {
	ends := uint64(uint32(c.from))<<32 | uint64(uint32(c.to))
	what := uint64(uint32(c.tag))<<32 | uint64(uint32(c.group))
	hi, lo := bits.Mul64(ends^salt[0], what^salt[1])
	hi, lo = bits.Mul64(hi^lo^ends, salt[2])
	return hi ^ lo
}

// add makes a flow of channel c, which must not have one. Pointers to other flows become
// invalid.
func (t *flows) add(c channel, b *box) *flow {
	if t.n >= len(t.slots)/4*3 {
		t.grow()
	}
	if t.n == len(t.pages)*flowsOfPage {
		t.pages = append(t.pages, make([]flow, flowsOfPage))
	}
	f := t.at(t.n)
	*f = flow{channel: c, box: b, later: t.swept}
	t.n++
	t.enter(c, uint32(t.n))
	return f
}

// enter puts a number into the first free slot for c.
func (t *flows) enter(c channel, number uint32) {
	mask := len(t.slots) - 1
	i := int(c.hash()) & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = number
}

// grow makes room. It drops the flows in which nothing waits, and doubles the slots if
// that frees too few.
func (t *flows) grow() {
	kept := 0
	for f := range t.all() {
		if f.pool != nil || f.doubtful || !f.waiting.Empty() {
			*t.at(kept) = *f
			kept++
		}
	}
	t.swept = t.swept || kept < t.n
	t.n = kept
	t.pages = slices.Delete(t.pages, (kept+flowsOfPage-1)/flowsOfPage, len(t.pages))
	size := max(len(t.slots), 1<<6)
	if kept > size*3/8 {
		size *= 2
	}
	t.slots = make([]uint32, size)
	for i := range kept {
		t.enter(t.at(i).channel, uint32(i+1))
	}
}

// all yields every flow.
func (t *flows) all() iter.Seq[*flow] {
	return func(yield func(*flow) bool) {
		for i := range t.n {
			if !yield(t.at(i)) {
				return
			}
		}
	}
}
