package reuse

import (
	"slices"

	"spoor/analyze/internal/lines"
)

// coldUses returns the number of first uses so far. Only for stacks that count on the caller's goroutine.
func (s *Stack) coldUses() uint64 { return s.tally.cold + s.window.tally.cold }

// resetCounts sets all counts to 0 and keeps the lines. Only for stacks that count on the caller's goroutine.
func (s *Stack) resetCounts() {
	for _, t := range []*tally{&s.tally, &s.window.tally} {
		t.reset()
	}
}

// reset empties the stack and keeps its memory. It keeps the newest lines without slots if that saved time.
// Only for stacks that count on the caller's goroutine. Its cost depends on whether neighbouring lines are
// used.
func (s *Stack) reset(of lines.Sharing) {
	s.resetCounts()
	s.lines.(*lines.Table).Reset(of)
	s.slots, s.checkPlacesAt = s.slots[:0], s.minPlacesToCheck
	s.recent = recent{}
	topExcluded := s.recency.topExcluded()
	if topExcluded == 0 {
		s.recent.count = newest // the start needs no special treatment
	}
	s.begin(0, topExcluded)
}

// order returns the lines by last use, the newest at the end.
func (s *Stack) order() []uint64 {
	s.extendSlots(s.lines.Places())
	excluded := s.recent.line[:min(s.recent.count, int(s.epoch.topExcluded))]
	var lines, live []uint64 // live: slots, above indexes of lines
	for line, place := range s.lines.All() {
		if slot := s.slots[place]; slot != 0 && !slices.Contains(excluded, line) {
			live = append(live, uint64(slot)<<32|uint64(len(lines)))
			lines = append(lines, line)
		}
	}
	slices.Sort(live)
	out := make([]uint64, 0, len(live)+len(excluded))
	for _, l := range live {
		out = append(out, lines[uint32(l)])
	}
	for _, l := range slices.Backward(excluded) {
		out = append(out, l)
	}
	return out
}
