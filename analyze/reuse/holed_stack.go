package reuse

import (
	"math"
	"slices"

	"spoor/analyze/internal/lines"
	"spoor/analyze/reuse/internal/holes"
)

// A HoledStack is the LRU stack of a cache from which a coherence protocol invalidates lines. It finds the
// exact distances of fully associative caches of all sizes at once.
//
// An invalidated line leaves a hole at its depth: every cache that had the line now has an invalid one. A use
// pushes down only the entries above the topmost hole. If the used line was found below that hole, the hole
// moves to the depth of the line. If the line was not in the stack, it fills the hole. So a line at depth d,
// holes counted, is in the caches of more than d lines.
//
// Slots are those of [Stack], and a hole has a slot like a line. If a line below the topmost hole is used,
// its slot becomes a hole, and the slot of the topmost hole is freed.
//
// The newest lines have no slots, as in [recent]: most uses only compare places. There is no hole among them.
// If one of them is invalidated, it and all older ones get slots.
//
// Lines are identified by their places in a table of lines; place 0 is none. Uses are processed in batches,
// so that the cache misses of their steps overlap.
type HoledStack struct {
	recent       [newest]uint32 // places of the newest lines, newest first; then 0
	recentCount  int            // number of these
	slots        []uint32       // by place; 0: the line is not in the stack, or is recent
	removedDepth []uint32       // by place: 1 + depth at which the line was last removed; 0: never
	epoch        epoch
	free         int // slots not yet taken
	holes        holes.Set
	uses         tally  // by distance; uses of lines that were never in the stack are cold
	removedUses  tally  // uses of removed lines, by their depth when removed
	flushedUses  uint64 // uses of lines that were flushed since the last use
	prefetches   prefetchTally

	pending      [batch]step
	pendingCount int // steps in pending
	dist         [batch]uint32
	depth        [batch]uint32
}

// prefetchTally counts prefetches of lines.
type prefetchTally struct {
	uses          tally  // by distance; of lines that were never in the stack: cold
	flushed, lost uint64 // of lines that were flushed, or removed, since the last use
}

// step is a use of a line that is not recent, or the removal of a line.
type step struct {
	place     uint32 // 0: none
	displaced uint32 // the place of the line that then gets a slot; 0: none
	above     uint32 // number of recent lines
	removes   bool   // remove the line
	flushes   bool   // the removal is a flush
	prefetch  bool   // the use is a prefetch
}

// flushed is the removedDepth of flushed lines. No line is that deep.
const flushed = math.MaxUint32

// NewHoledStack returns an empty stack.
func NewHoledStack() *HoledStack {
	s := &HoledStack{uses: tally{uses: make([]uint64, newest)}}
	s.prefetches.uses.uses = make([]uint64, newest)
	s.begin(0)
	return s
}

// Use uses the line at a place. It returns an error if there are too many lines.
func (s *HoledStack) Use(place uint32) error {
	r, uses := &s.recent, s.uses.uses[:newest]
	switch place {
	case r[0]:
		uses[0]++
		return nil
	case r[1]:
		uses[1]++
		r[0], r[1] = place, r[0]
		return nil
	case r[2]:
		uses[2]++
		r[0], r[1], r[2] = place, r[0], r[1]
		return nil
	}
	if place == r[3] {
		uses[3]++
	} else if err := s.enqueue(step{place: place, displaced: r[3], above: uint32(s.recentCount)}); err != nil {
		return err
	} else if s.recentCount < newest {
		s.recentCount++
	}
	r[0], r[1], r[2], r[3] = place, r[0], r[1], r[2]
	return nil
}

// Prefetch brings the line at a place to the top, as a use does, and counts it apart.
func (s *HoledStack) Prefetch(place uint32) error {
	at := slices.Index(s.recent[:s.recentCount], place)
	if at < 0 {
		if err := s.enqueue(step{place: place, displaced: s.recent[newest-1], above: uint32(s.recentCount), prefetch: true}); err != nil {
			return err
		}
		at = min(s.recentCount, newest-1)
		s.recentCount = at + 1
	} else {
		s.prefetches.uses.uses[at]++
	}
	copy(s.recent[1:at+1], s.recent[:at])
	s.recent[0] = place
	return nil
}

// Remove invalidates the line at a place, if it is in the stack.
func (s *HoledStack) Remove(place uint32) error { return s.take(place, false) }

// Flush is Remove. The line's next use is counted as a use of a flushed line.
func (s *HoledStack) Flush(place uint32) error { return s.take(place, true) }

func (s *HoledStack) take(place uint32, flushes bool) error {
	if at := slices.Index(s.recent[:s.recentCount], place); at >= 0 {
		for s.recentCount > at {
			s.recentCount--
			if err := s.enqueue(step{displaced: s.recent[s.recentCount]}); err != nil {
				return err
			}
			s.recent[s.recentCount] = 0
		}
	}
	return s.enqueue(step{place: place, above: uint32(s.recentCount), removes: true, flushes: flushes})
}

func (s *HoledStack) enqueue(next step) error {
	s.pending[s.pendingCount] = next
	if s.pendingCount++; s.pendingCount == batch {
		return s.flush()
	}
	return nil
}

// Distances returns what was found so far. Prefetches of lines that were removed since their last use count as
// those of flushed lines. lost has the uses of lines that were removed since their last use, by their depth when
// removed. The stack owns the slices.
func (s *HoledStack) Distances() (found *Distances, lost []uint64, err error) {
	err = s.flush()
	found = &Distances{Uses: s.uses.nonZero(), Cold: s.uses.cold, Flushed: s.flushedUses}
	t := &s.prefetches
	if uses := t.uses.nonZero(); len(uses) > 0 || t.uses.cold+t.flushed+t.lost > 0 {
		found.Prefetches = &Distances{Uses: uses, Cold: t.uses.cold, Flushed: t.flushed + t.lost}
	}
	return found, s.removedUses.nonZero(), err
}

// flush processes the pending steps.
func (s *HoledStack) flush() error {
	steps := s.pending[:s.pendingCount]
	s.pendingCount = 0
	if s.free < len(steps) {
		if err := s.compact(); err != nil {
			return err
		}
	}
	s.prepare(steps)
	dist, depth := s.dist[:0], s.depth[:0]
	for _, step := range steps {
		switch slot := s.slots[step.place]; {
		case step.removes:
			s.remove(step)
		case step.prefetch:
			s.prefetch(step, slot)
		case slot != 0:
			dist = append(dist, s.vacate(slot)+step.above)
			s.slots[step.place] = 0
		case step.place == 0:
		case s.removedDepth[step.place] == flushed:
			s.flushedUses++
			s.fillTopHole()
		case s.removedDepth[step.place] != 0:
			depth = append(depth, s.removedDepth[step.place]-1)
			s.fillTopHole()
		default:
			s.uses.cold++
			s.fillTopHole()
		}
		if step.displaced != 0 {
			s.slots[step.displaced] = s.epoch.edge.slot
			s.epoch.push(&s.epoch.edge)
		}
	}
	s.free -= len(steps)
	s.uses.add(dist)
	s.removedUses.add(depth)
	return nil
}

// prepare extends the arrays to all places, and loads the blocks of the steps, so that their cache misses
// overlap.
func (s *HoledStack) prepare(steps []step) {
	top := uint32(0)
	for _, step := range steps {
		top = max(top, step.place)
	}
	s.slots, s.removedDepth = lines.Extend(s.slots, int(top)+1), lines.Extend(s.removedDepth, int(top)+1)
	var touched uint64
	for _, step := range steps {
		touched += s.epoch.blocks[s.slots[step.place]>>blockShift][7]
	}
	s.dist[0] = uint32(touched) // keeps the compiler from dropping the loads
}

// vacate frees the slot of a line that is used, and returns the distance of the use.
func (s *HoledStack) vacate(slot uint32) uint32 {
	e := &s.epoch
	if slot > s.holes.Top {
		return e.remove(slot, &e.edge)
	}
	d := e.above(slot, &e.edge)
	s.fillTopHole()
	s.holes.Add(slot)
	return d
}

// fillTopHole removes the topmost hole, if there is one.
func (s *HoledStack) fillTopHole() {
	if hole := s.holes.Top; hole != 0 {
		s.epoch.remove(hole, &s.epoch.edge)
		s.holes.RemoveTop()
	}
}

// prefetch brings a line that is not recent to the top.
func (s *HoledStack) prefetch(step step, slot uint32) {
	t := &s.prefetches
	if slot != 0 {
		t.uses.add([]uint32{s.vacate(slot) + step.above})
		s.slots[step.place] = 0
		return
	}
	switch s.removedDepth[step.place] {
	case 0:
		t.uses.cold++
	case flushed:
		t.flushed++
	default:
		t.lost++
	}
	s.fillTopHole()
}

// remove invalidates a line.
func (s *HoledStack) remove(step step) {
	slot := s.slots[step.place]
	if slot == 0 {
		return
	}
	s.removedDepth[step.place] = step.above + s.epoch.above(slot, &s.epoch.edge) + 1
	if step.flushes {
		s.removedDepth[step.place] = flushed
	}
	s.slots[step.place] = 0
	s.holes.Add(slot)
}

// compact renumbers the slots of lines and holes from the bottom, in their order.
func (s *HoledStack) compact() error {
	live := make([]uint64, 0, len(s.epoch.blocks)<<blockShift/64)
	for i := range s.epoch.blocks {
		live = append(live, s.epoch.blocks[i][:]...)
		live[len(live)-1] = 0 // the counts of the block
	}
	r, n, err := rank(live)
	if err != nil {
		return err
	}
	for i, slot := range s.slots {
		s.slots[i] = r.slot(slot)
	}
	old := s.holes
	s.begin(n)
	for slot := range old.All() {
		s.holes.Add(r.slot(slot))
	}
	return nil
}

// begin starts an epoch with the given number of live slots. It has at least as many free slots as there are
// places, because renumbering takes a step for each place.
func (s *HoledStack) begin(live int) {
	n := min(max(minBlocks, max(live*slotsPerLine, live+len(s.slots))/blockSlots), maxBlocks)
	s.free = s.epoch.restart(n, live)
	s.holes = holes.New(n << blockShift)
}
