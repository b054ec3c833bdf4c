package reuse

import "slices"

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
// none, 0, and takes the next one.
func (s *span) measure(left []uint32) {
	e, at := s.era, &s.edge
	apart := e.apart
	blocks := e.blocks
	// This pass only makes the cache misses overlap.
	var touched uint64
	for _, slot := range left {
		touched += blocks[max(slot, s.first)>>blockShift][7]
	}
	s.dist[0] = uint32(touched) // or the compiler drops the pass
	s.older = slices.Grow(s.older, len(left))
	had := len(s.older)
	room := s.older[had : had+len(left)]
	n, olds, colds := 0, 0, 0
	next, live := at.slot, at.live // in registers
	for i, slot := range left {
		if slot >= s.first {
			number := slot >> blockShift
			d := blocks[number].remove(slot)
			if current := next >> blockShift; number == current {
				live--
			} else {
				d += live + e.counts.remove(number, current, &at.closed)
			}
			s.dist[n&(batch-1)] = d + apart
			n++
		} else if slot == 0 {
			colds++
		} else {
			room[olds] = older{slot, s.live + uint32(i-n)}
			olds++
		}
		b := &blocks[next>>blockShift]
		w := next >> 6 & 7
		b[w] |= 1 << (next & 63)
		b[7] += below[w]
		live++
		next++
		if next&positionMask == blockSlots {
			at.slot, at.live = next-1, live
			e.closeBlock(at, e.level)
			next, live = at.slot, 0
		}
	}
	at.slot, at.live = next, live
	s.older = s.older[:had+olds]
	s.tally.cold += uint64(colds)
	s.live += uint32(len(left) - n)
	s.tally.add(s.dist[:n])
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
		s.dist[0] = uint32(touched)
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
