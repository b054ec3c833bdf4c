package reuse

import (
	"math/bits"
	"slices"
)

// span counts the uses that take a stretch of slots. Those that leave a slot of the stretch
// need nothing else, so that spans can be measured at the same time. The others,
// older, are kept until all spans before are done.
type span struct {
	era   *era
	first uint32 // slot
	edge  edge
	tally tally
	live  uint32 // slots
	older []older
	dist  [batch]uint32

	touched uint64
}

// older is a use that leaves a slot before the span.
type older struct {
	slot uint32
	live uint32 // slots in the span at the time
}

// start makes s empty, with slots from at on. Those below first are of others.
func (s *span) start(e *era, first uint32, at edge) {
	s.era, s.first, s.edge, s.live, s.older = e, first, at, 0, s.older[:0]
}

// measure takes the uses of a batch through the slots: each leaves the slot that it is given, or
// none, 0, and takes the next one. All take theirs first, which fills words at a time: what a use finds
// above the slot that it leaves is too many by itself and those after it, of which none has left its slot before.
func (s *span) measure(left []uint32) {
	e, at := s.era, &s.edge
	near := left[:s.divide(left)]
	s.reach(near)
	e.pushAll(at, uint32(len(left)), e.level)
	blocks, current := e.blocks, at.slot>>blockShift
	live := at.live // in a register
	for i, slot := range near {
		number := slot >> blockShift
		d := blocks[number].remove(slot) + s.dist[i&(batch-1)]
		if number == current {
			live--
		} else {
			d += live + e.counts.remove(number, current, &at.closed)
		}
		s.dist[i&(batch-1)] = d
	}
	at.live = live
	s.tally.add(s.dist[:len(near)])
}

// divide moves the slots of the span to the front, and returns how many there are. It keeps older ones, and counts
// uses that leave none. Which is which is hard to predict, so that there is no branch. In dist is what each
// distance is besides the slots above.
func (s *span) divide(left []uint32) (near int) {
	if s.first == 1 {
		return s.drop(left)
	}
	had := len(s.older)
	s.older = slices.Grow(s.older, len(left))
	room := s.older[had : had+len(left)]
	olds := 0
	apart := s.era.apart - uint32(len(left))
	for i, slot := range left {
		s.dist[near&(batch-1)] = apart + uint32(i)
		left[near] = slot
		room[olds] = older{slot, s.live + uint32(i-near)}
		_, before := bits.Sub32(slot, s.first, 0)
		_, none := bits.Sub32(slot, 1, 0)
		near += int(1 - before)
		olds += int(before - none)
	}
	s.older = s.older[:had+olds]
	s.tally.cold += uint64(len(left) - near - olds)
	s.live += uint32(len(left) - near)
	return near
}

// drop is divide where no slots are older.
func (s *span) drop(left []uint32) (near int) {
	apart := s.era.apart - uint32(len(left))
	for i, slot := range left {
		s.dist[near&(batch-1)] = apart + uint32(i)
		left[near] = slot
		_, none := bits.Sub32(slot, 1, 0)
		near += int(1 - none)
	}
	s.tally.cold += uint64(len(left) - near)
	return near
}

// reach lets the cache misses of what a batch leaves overlap.
func (s *span) reach(left []uint32) {
	blocks := s.era.blocks
	var touched uint64
	for _, slot := range left {
		touched += blocks[slot>>blockShift][7]
	}
	s.touched = touched // or the compiler drops the loads
}

// join finds the distances of the older uses, when all spans before have been joined.
func (s *span) join(t *tally) {
	e := s.era
	at := &e.edge
	at.slot, at.live = s.first, 0
	blocks, current, apart := e.blocks, s.first>>blockShift, e.apart
	for part := s.older; len(part) > 0; part = part[min(batch, len(part)):] {
		part := part[:min(batch, len(part))]
		var touched uint64
		for _, o := range part {
			touched += blocks[o.slot>>blockShift][7]
		}
		s.touched = touched
		for i, o := range part {
			number := o.slot >> blockShift // never the current one
			d := blocks[number].remove(o.slot) + o.live + apart
			s.dist[i&(batch-1)] = d + e.counts.remove(number, current, &at.closed)
		}
		t.add(s.dist[:len(part)])
	}
	for end := s.first | (e.spanBlocks()<<blockShift - 1); s.edge.slot <= end; {
		e.closeBlock(&s.edge, e.level)
	}
	number := s.first >> blockShift >> (2 * e.level)
	e.counts.close(e.level, topLevel, number, s.edge.closed[e.level], &at.closed)
}
