package reuse

import "math/bits"

// span counts the uses that take a stretch of slots. Those that leave a slot of the stretch
// need nothing else, so that spans can be measured at the same time. The others,
// older, are kept until all spans before are done, with first uses among them.
type span struct {
	era   *era
	first uint32 // slot
	edge  edge
	tally tally
	older []uint32 // what uses leave that leave no slot of the span: one before, or none, 0. At the index of each, as many slots of the span are live

	near    [batch]uint32
	dist    [batch]uint32
	touched uint64
}

// start makes s empty, with slots from at on. Those below first are of others.
func (s *span) start(e *era, first uint32, at edge) {
	s.era, s.first, s.edge, s.older = e, first, at, nil
}

// measure takes the uses of a batch through the slots: each leaves the slot that it is given, or
// none, 0, and takes the next one. All take theirs first, which fills words at a time: what a use finds
// above the slot that it leaves is too many by itself and those after it, of which none has left its slot before.
func (s *span) measure(left []uint32) {
	e, at := s.era, &s.edge
	near := s.divide(left)
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

// divide finds the slots of the span, and keeps the others, which may be written where left is or before. Which is which is hard to
// predict, so that there is no branch. In dist is what each distance is besides the slots above.
func (s *span) divide(left []uint32) (near []uint32) {
	if s.first == 1 {
		return s.drop(left)
	}
	had := len(s.older)
	older := s.older[had : had+len(left)]
	apart := s.era.apart - uint32(len(left))
	first, n := s.first, 0
	for i, slot := range left {
		s.dist[n&(batch-1)] = apart + uint32(i)
		s.near[n&(batch-1)] = slot
		older[i-n] = slot
		_, before := bits.Sub32(slot, first, 0)
		n += int(1 - before)
	}
	s.older = s.older[:had+len(left)-n]
	return s.near[:n]
}

// drop is divide where no slots are older: it counts the uses that leave none.
func (s *span) drop(left []uint32) (near []uint32) {
	apart := s.era.apart - uint32(len(left))
	n := 0
	for i, slot := range left {
		s.dist[n&(batch-1)] = apart + uint32(i)
		left[n] = slot
		_, none := bits.Sub32(slot, 1, 0)
		n += int(1 - none)
	}
	s.tally.cold += uint64(len(left) - n)
	return left[:n]
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

// join finds the distances of the older uses, when all spans before have been joined, and writes them where their slots were.
func (s *span) join() (found []uint32) {
	e := s.era
	at := &e.edge
	at.slot, at.live = s.first, 0
	blocks, current := e.blocks, s.first>>blockShift
	n := 0
	for from := 0; from < len(s.older); from += batch {
		part := s.skipNew(from)
		for i, slot := range part {
			number := slot >> blockShift // never the current one
			d := blocks[number].remove(slot) + s.dist[i&(batch-1)]
			s.older[n] = d + e.counts.remove(number, current, &at.closed)
			n++
		}
	}
	s.tally.cold += uint64(len(s.older) - n)
	for end := s.first | (e.spanBlocks()<<blockShift - 1); s.edge.slot <= end; {
		e.closeBlock(&s.edge, e.level)
	}
	number := s.first >> blockShift >> (2 * e.level)
	e.counts.close(e.level, topLevel, number, s.edge.closed[e.level], &at.closed)
	return s.older[:n]
}

// skipNew is a batch of older uses without those that leave no slot. It lets the cache misses of what they leave overlap.
func (s *span) skipNew(from int) []uint32 {
	part := s.older[from:min(from+batch, len(s.older))]
	blocks, live := s.era.blocks, s.era.apart+uint32(from)
	n := 0
	var touched uint64
	for i, slot := range part {
		touched += blocks[slot>>blockShift][7]
		s.near[n&(batch-1)], s.dist[n&(batch-1)] = slot, live+uint32(i)
		_, none := bits.Sub32(slot, 1, 0)
		n += int(1 - none)
	}
	s.touched = touched // or the compiler drops the loads
	return s.near[:n]
}
