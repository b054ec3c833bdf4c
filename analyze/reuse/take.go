package reuse

import (
	"math/bits"

	"spoor/analyze/lines"
)

// reach makes room for the slots of lines at so many places. New lines have none.
func (s *Stack) reach(places int) { s.slots = lines.Extend(s.slots, places) }

// take gives the slots from one on to the lines of a batch, of which it has the places, and returns the next one. In left are then the
// slots that they leave, 0 for first uses. All are looked at before: loads that no stores are between overlap more.
func (s *Stack) take(left []uint32, slot uint32) (next uint32) {
	slots := s.slots
	var touched uint32
	for _, at := range left {
		touched += slots[at]
	}
	s.touched = touched // or the compiler drops the loads
	near := uint32(0)
	for i, at := range left {
		old := slots[at]
		left[i] = old
		slots[at] = slot
		_, far := bits.Sub32(soon, slot-old, 0)
		near += 1 - far
		slot = following(slot)
	}
	s.again.newest += uint64(near)
	return slot
}

// takeFor looks up the slots that lines leave, of which it has the places, and gives those from one on to others that each of
// them drives out of the newest ones.
func (s *Stack) takeFor(left, gone []uint32, slot uint32) {
	slots := s.slots
	for i, at := range gone[:len(left)] {
		left[i] = slots[left[i]]
		slots[at] = slot
		slot = following(slot)
	}
}

// takeApart is takeFor for the keys of a batch, without a list of the others, which takes a product of matrices 3 % of the time.
func (s *Stack) takeApart(left []uint32) {
	slots, slot := s.slots, s.slot
	for i, at := range s.place[newest:][:len(left)] {
		left[i] = slots[at]
		slots[s.place[s.leave[i&(batch-1)]]] = slot
		slot = following(slot)
	}
	s.slot = slot
}

// following is the next slot.
func following(slot uint32) uint32 {
	slot++
	if slot&positionMask == blockSlots {
		slot += 1<<blockShift - blockSlots
	}
	return slot
}

// more is where the places of n more uses of a job go.
func (j *job) more(n int) []uint32 {
	at := len(j.left)
	j.left = j.left[:at+n]
	return j.left[at:]
}

// add adds uses whose places are behind those of the newest lines. Each drives a line out of
// these, at an index of place.
func (j *job) add(leave []uint16, place *[newest + batch]uint32) {
	copy(j.more(len(leave)), place[newest:])
	at := len(j.gone)
	j.gone = j.gone[:at+len(leave)]
	gone := j.gone[at:]
	for i, from := range leave {
		gone[i] = place[from]
	}
}

// take takes the slots of a job, when those of all jobs before have been taken. There are so many places.
func (j *job) take(s *Stack, places int) {
	s.reach(places)
	if j.era.apart > 0 {
		s.takeFor(j.left, j.gone, j.first)
		return
	}
	slot := j.first
	for left := j.left; len(left) > 0; left = left[min(batch, len(left)):] {
		slot = s.take(left[:min(batch, len(left))], slot)
	}
}
