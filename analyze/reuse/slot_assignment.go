package reuse

import (
	"math/bits"

	"spoor/analyze/internal/lines"
)

// extendSlots extends slots to the given number of places. New lines have no slot.
func (s *Stack) extendSlots(places int) { s.slots = lines.Extend(s.slots, places) }

// assignSlots assigns consecutive slots, from slot on, to the lines of a batch. uses has the places of the
// lines, and then their old slots, 0 for first uses. It returns the next slot. It loads all old slots first,
// because loads without stores in between overlap more.
func (s *Stack) assignSlots(uses []uint32, slot uint32) (next uint32) {
	slots := s.slots
	var touched uint32
	for _, at := range uses {
		touched += slots[at]
	}
	s.touched = touched // keeps the compiler from dropping the loads
	recent := uint32(0)
	for i, at := range uses {
		old := slots[at]
		uses[i] = old
		slots[at] = slot
		_, isFar := bits.Sub32(recentDistance, slot-old, 0)
		recent += 1 - isFar
		slot = nextSlot(slot)
	}
	s.recency.newest += uint64(recent)
	return slot
}

// assignDisplaced looks up the old slots of the used lines, of which uses has the places. Each use displaces
// a line from the newest ones; it assigns the slots from slot on to the displaced lines.
func (s *Stack) assignDisplaced(uses, displaced []uint32, slot uint32) {
	slots := s.slots
	for i, at := range displaced[:len(uses)] {
		uses[i] = slots[uses[i]]
		slots[at] = slot
		slot = nextSlot(slot)
	}
}

// assignBatch does the same for a batch without a list of displaced lines. The list would cost a matrix
// product 3 % of its time.
func (s *Stack) assignBatch(oldSlots []uint32) {
	slots, slot := s.slots, s.slot
	for i, at := range s.place[newest:][:len(oldSlots)] {
		oldSlots[i] = slots[at]
		slots[s.place[s.displaced[i&(batch-1)]]] = slot
		slot = nextSlot(slot)
	}
	s.slot = slot
}

// nextSlot returns the slot after the given one.
func nextSlot(slot uint32) uint32 {
	slot++
	if slot&positionMask == blockSlots {
		slot += 1<<blockShift - blockSlots
	}
	return slot
}

// grow appends n uses to a job, and returns where their places go.
func (j *job) grow(n int) []uint32 {
	at := len(j.oldSlots)
	j.oldSlots = j.oldSlots[:at+n]
	return j.oldSlots[at:]
}

// add adds uses. place has the places of the newest lines, then those of the uses. Each use displaces the
// line at an index of place.
func (j *job) add(displaced []uint16, place *[newest + batch]uint32) {
	copy(j.grow(len(displaced)), place[newest:])
	at := len(j.displaced)
	j.displaced = j.displaced[:at+len(displaced)]
	places := j.displaced[at:]
	for i, from := range displaced {
		places[i] = place[from]
	}
}

// assignSlots assigns the slots of a job, after those of all earlier jobs. places is the number of places.
func (j *job) assignSlots(s *Stack, places int) {
	s.extendSlots(places)
	if j.epoch.topExcluded > 0 {
		s.assignDisplaced(j.oldSlots, j.displaced, j.first)
		return
	}
	slot := j.first
	for uses := j.oldSlots; len(uses) > 0; uses = uses[min(batch, len(uses)):] {
		slot = s.assignSlots(uses[:min(batch, len(uses))], slot)
	}
}
