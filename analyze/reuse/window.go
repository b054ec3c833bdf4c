package reuse

import "math/bits"

// window counts the uses that take a range of slots. Uses whose old slot is in the window need no other
// window. Therefore windows are measured in parallel. The other uses, and first uses, are kept in older until
// all earlier windows are done.
type window struct {
	epoch *epoch
	first uint32 // first slot
	edge  edge
	tally tally
	older []uint32 // old slots before the window, and 0 for first uses; at index i, i slots of the window are live

	inside  [batch]uint32
	dist    [batch]uint32
	touched uint64
}

// start makes s an empty window that assigns the slots from at on. Slots below first belong to earlier
// windows.
func (s *window) start(e *epoch, first uint32, at edge) {
	s.epoch, s.first, s.edge, s.older = e, first, at, nil
}

// measure processes the uses of a batch. Each leaves its old slot, or none (0), and takes the next one. All
// take the next slots first, which fills whole words. So a use counts too many live slots above its old slot:
// itself, and the later uses of the batch, none of which has left its old slot yet.
func (s *window) measure(oldSlots []uint32) {
	e, at := s.epoch, &s.edge
	inside := s.partition(oldSlots)
	s.prefetch(inside)
	e.pushAll(at, uint32(len(oldSlots)), e.level)
	blocks, current := e.blocks, at.slot>>blockShift
	live := at.live // keeps it in a register
	for i, slot := range inside {
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
	s.tally.add(s.dist[:len(inside)])
}

// partition returns the old slots inside the window, and appends the others to older. older may share memory
// with oldSlots, if it is not ahead. It has no branch, because the two kinds are hard to predict. It sets
// dist to the part of each distance that is not live slots.
func (s *window) partition(oldSlots []uint32) (inside []uint32) {
	if s.first == 1 {
		return s.partitionFirst(oldSlots)
	}
	had := len(s.older)
	older := s.older[had : had+len(oldSlots)]
	above := s.epoch.topExcluded - uint32(len(oldSlots))
	first, n := s.first, 0
	for i, slot := range oldSlots {
		s.dist[n&(batch-1)] = above + uint32(i)
		s.inside[n&(batch-1)] = slot
		older[i-n] = slot
		_, before := bits.Sub32(slot, first, 0)
		n += int(1 - before)
	}
	s.older = s.older[:had+len(oldSlots)-n]
	return s.inside[:n]
}

// partitionFirst is partition for a first window, which has no older slots. It counts the first uses.
func (s *window) partitionFirst(oldSlots []uint32) (inside []uint32) {
	above := s.epoch.topExcluded - uint32(len(oldSlots))
	n := 0
	for i, slot := range oldSlots {
		s.dist[n&(batch-1)] = above + uint32(i)
		oldSlots[n] = slot
		_, none := bits.Sub32(slot, 1, 0)
		n += int(1 - none)
	}
	s.tally.cold += uint64(len(oldSlots) - n)
	return oldSlots[:n]
}

// prefetch loads the blocks of old slots, so that the cache misses overlap.
func (s *window) prefetch(oldSlots []uint32) {
	blocks := s.epoch.blocks
	var touched uint64
	for _, slot := range oldSlots {
		touched += blocks[slot>>blockShift][7]
	}
	s.touched = touched // keeps the compiler from dropping the loads
}

// mergeOlder computes the distances of the older uses, after all earlier windows were merged. It writes the
// distances over the slots, and notes how many there are at each stop.
func (s *window) mergeOlder(stops []stop) (distances []uint32) {
	e := s.epoch
	at := &e.edge
	at.slot, at.live = s.first, 0
	from, n := 0, 0
	for i := range stops {
		n = s.mergeTo(n, from, stops[i].older)
		from, stops[i].found = stops[i].older, n
	}
	n = s.mergeTo(n, from, len(s.older))
	s.tally.cold += uint64(len(s.older) - n)
	for end := s.first | (e.windowBlocks()<<blockShift - 1); s.edge.slot <= end; {
		e.closeBlock(&s.edge, e.level)
	}
	number := s.first >> blockShift >> (2 * e.level)
	e.counts.close(e.level, topLevel, number, s.edge.closed[e.level], &at.closed)
	return s.older[:n]
}

// mergeTo computes the distances of the older uses from one index to another. It writes them from index n on, and
// returns the index after the last one.
func (s *window) mergeTo(n, from, to int) int {
	e := s.epoch
	blocks, current := e.blocks, s.first>>blockShift
	for ; from < to; from += batch {
		for i, slot := range s.nextOlder(from, to) {
			number := slot >> blockShift // never the current one
			d := blocks[number].remove(slot) + s.dist[i&(batch-1)]
			s.older[n] = d + e.counts.remove(number, current, &e.edge.closed)
			n++
		}
	}
	return n
}

// nextOlder returns a batch of older uses before index to without first uses. It loads their blocks, so that the
// cache misses overlap.
func (s *window) nextOlder(from, to int) []uint32 {
	part := s.older[from:min(from+batch, to)]
	blocks, live := s.epoch.blocks, s.epoch.topExcluded+uint32(from)
	n := 0
	var touched uint64
	for i, slot := range part {
		touched += blocks[slot>>blockShift][7]
		s.inside[n&(batch-1)], s.dist[n&(batch-1)] = slot, live+uint32(i)
		_, none := bits.Sub32(slot, 1, 0)
		n += int(1 - none)
	}
	s.touched = touched // keeps the compiler from dropping the loads
	return s.inside[:n]
}
