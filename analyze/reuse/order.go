package reuse

import (
	"slices"

	"spoor/analyze/lines"
)

// colds is the number of first uses so far. The stack counts on the caller's goroutine.
func (s *Stack) colds() uint64 { return s.tally.cold + s.span.tally.cold }

// forget makes the stack count from 0. It keeps the lines, and counts on the caller's goroutine.
func (s *Stack) forget() {
	for _, t := range []*tally{&s.tally, &s.span.tally} {
		t.forget()
	}
}

// reset empties the stack, and keeps its memory, and the newest lines apart if that paid. It counts on the caller's goroutine.
// What it costs depends on whether lines are used with their neighbours.
func (s *Stack) reset(of lines.Sharing) {
	s.forget()
	s.lines.(*lines.Table).Reset(of)
	s.slots, s.check = s.slots[:0], s.few
	s.recent = recent{}
	apart := s.again.pays()
	if apart == 0 {
		s.recent.full = newest // nothing is special about the start
	}
	s.begin(0, apart)
}

// order is the lines, the one used last at the end.
func (s *Stack) order() []uint64 {
	apart := s.recent.line[:min(s.recent.full, int(s.era.apart))]
	var lines, live []uint64 // live: slots above indexes of lines
	for line, place := range s.lines.All() {
		if slot := s.slots[place]; slot != 0 && !slices.Contains(apart, line) {
			live = append(live, uint64(slot)<<32|uint64(len(lines)))
			lines = append(lines, line)
		}
	}
	slices.Sort(live)
	out := make([]uint64, 0, len(live)+len(apart))
	for _, l := range live {
		out = append(out, lines[uint32(l)])
	}
	for _, l := range slices.Backward(apart) {
		out = append(out, l)
	}
	return out
}
