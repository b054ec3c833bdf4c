package reuse

import (
	"slices"

	"spoor/analyze/lines"
)

// A HoledStack is the LRU stack of a cache from which lines are taken out, as a protocol that keeps caches
// coherent does. It finds the exact distances of fully associative caches of all sizes at once.
//
// A line that is taken out leaves a hole at its depth: in every cache that had it, a line is invalid. A use
// pushes down only what lies above the topmost hole, which so moves to where the line was
// found, if that was deeper; a line that was not there fills the hole. So the line at depth d, holes
// counted, is in the caches of more than d lines.
//
// Slots are those of [Stack], and a hole has one like a line. A use below the topmost hole
// leaves its slot to be a hole, and takes that of the hole away.
//
// The newest lines have no slots: like [recent], most uses need to compare places only. There is no hole among them: when one is
// taken out, it and those that are older get slots.
//
// Lines are known by their places in a table of lines, of which 0 is none. Uses wait until there are enough for the
// cache misses of their steps to overlap.
type HoledStack struct {
	recent [newest]uint32 // places of the newest lines, newest first; then 0
	full   int            // how many those are
	slots  []uint32       // by place; 0: the line is not there, or recent
	lost   []uint32       // by place: the depth + 1 at which the line was taken out, the last time; 0: never
	era    era
	room   int // slots to take
	holes  holes
	uses   tally // by distance; those of lines that had never been there are cold
	losses tally // uses of lines that had been taken out, by depth at that time

	waiting [batch]step
	n       int // that wait
	dist    [batch]uint32
	depth   [batch]uint32
}

// step is a use of a line that is not recent, or its end.
type step struct {
	place uint32 // 0: none
	gone  uint32 // the place of the line that gets a slot then; 0: none
	above uint32 // recent lines
	ends  bool   // the line is taken out
}

// NewHoledStack is a stack of no lines.
func NewHoledStack() *HoledStack {
	s := &HoledStack{uses: tally{uses: make([]uint64, newest)}}
	s.begin(0)
	return s
}

// Use uses the line of a place. The error says that there are too many lines.
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
	} else if err := s.wait(step{place: place, gone: r[3], above: uint32(s.full)}); err != nil {
		return err
	} else if s.full < newest {
		s.full++
	}
	r[0], r[1], r[2], r[3] = place, r[0], r[1], r[2]
	return nil
}

// Remove takes the line of a place out, if it is there.
func (s *HoledStack) Remove(place uint32) error {
	if at := slices.Index(s.recent[:s.full], place); at >= 0 {
		for s.full > at {
			s.full--
			if err := s.wait(step{gone: s.recent[s.full]}); err != nil {
				return err
			}
			s.recent[s.full] = 0
		}
	}
	return s.wait(step{place: place, above: uint32(s.full), ends: true})
}

func (s *HoledStack) wait(what step) error {
	s.waiting[s.n] = what
	if s.n++; s.n == batch {
		return s.flush()
	}
	return nil
}

// Distances is what was found so far: the uses by stack distance, up to the largest; the uses of lines that
// had been taken out since their last use, by the depth that they had then; and the first uses.
func (s *HoledStack) Distances() (uses, lost []uint64, cold uint64, err error) {
	err = s.flush()
	return s.uses.trimmed(), s.losses.trimmed(), s.uses.cold, err
}

// flush does what waits.
func (s *HoledStack) flush() error {
	todo := s.waiting[:s.n]
	s.n = 0
	if s.room < len(todo) {
		if err := s.compact(); err != nil {
			return err
		}
	}
	s.reach(todo)
	dist, depth := s.dist[:0], s.depth[:0]
	for _, what := range todo {
		switch slot := s.slots[what.place]; {
		case what.ends:
			s.remove(what.place, what.above)
		case slot != 0:
			dist = append(dist, s.leave(slot)+what.above)
			s.slots[what.place] = 0
		case what.place == 0:
		case s.lost[what.place] != 0:
			depth = append(depth, s.lost[what.place]-1)
			s.fill()
		default:
			s.uses.cold++
			s.fill()
		}
		if what.gone != 0 {
			s.slots[what.gone] = s.era.edge.slot
			s.era.push(&s.era.edge)
		}
	}
	s.room -= len(todo)
	s.uses.add(dist)
	s.losses.add(depth)
	return nil
}

// reach makes room for places, and lets the cache misses of what follows overlap.
func (s *HoledStack) reach(todo []step) {
	top := uint32(0)
	for _, what := range todo {
		top = max(top, what.place)
	}
	s.slots, s.lost = lines.Extend(s.slots, int(top)+1), lines.Extend(s.lost, int(top)+1)
	var touched uint64
	for _, what := range todo {
		touched += s.era.blocks[s.slots[what.place]>>blockShift][7]
	}
	s.dist[0] = uint32(touched) // or the compiler drops the reads
}

// leave is the distance of a use, whose line leaves its slot.
func (s *HoledStack) leave(slot uint32) uint32 {
	e := &s.era
	if slot > s.holes.top {
		return e.remove(slot, &e.edge)
	}
	d := e.above(slot, &e.edge)
	s.fill()
	s.holes.add(slot)
	return d
}

// fill takes the topmost hole away, if there is one.
func (s *HoledStack) fill() {
	if hole := s.holes.top; hole != 0 {
		s.era.remove(hole, &s.era.edge)
		s.holes.removeTop()
	}
}

// remove takes the line of a place out, below so many recent ones.
func (s *HoledStack) remove(place, above uint32) {
	slot := s.slots[place]
	if slot == 0 {
		return
	}
	s.lost[place] = above + s.era.above(slot, &s.era.edge) + 1
	s.slots[place] = 0
	s.holes.add(slot)
}

// compact renumbers the slots of lines and holes from the bottom, in their order.
func (s *HoledStack) compact() error {
	live := make([]uint64, 0, len(s.era.blocks)<<blockShift/64)
	for i := range s.era.blocks {
		live = append(live, s.era.blocks[i][:]...)
		live[len(live)-1] = 0 // counts
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
	for slot := range old.all() {
		s.holes.add(r.slot(slot))
	}
	return nil
}

// begin starts an era in which so many slots are live. Renumbering costs a step for each place, so there are as
// many slots at least.
func (s *HoledStack) begin(live int) {
	n := min(max(minBlocks, max(live*slotsPerLine, live+len(s.slots))/blockSlots), maxBlocks)
	s.room = s.era.restart(n, live)
	s.holes = newHoles(n << blockShift)
}
