package reuse

import (
	"cmp"
	"slices"
)

// colds is the number of first uses so far. The stack counts on the caller's goroutine.
func (s *Stack) colds() uint64 { return s.tally.cold + s.span.tally.cold }

// forget makes the stack count from 0. It keeps the lines, and counts on the caller's goroutine.
func (s *Stack) forget() {
	s.Distances()
	clear(s.tally.uses)
	s.tally.cold = 0
}

// reset empties the stack, and keeps its memory. It counts on the caller's goroutine.
func (s *Stack) reset() {
	s.forget()
	s.lines.Reset()
	s.slots = s.slots[:0]
	s.recent = recent{}
	s.begin(0, newest)
}

// order is the lines, the one used last at the end.
func (s *Stack) order() []uint64 {
	type live struct {
		line uint64
		slot uint32
	}
	apart := s.recent.line[:min(s.recent.full, int(s.era.apart))]
	var all []live
	for line, place := range s.lines.All() {
		if slot := s.slots[place]; slot != 0 && !slices.Contains(apart, line) {
			all = append(all, live{line, slot})
		}
	}
	slices.SortFunc(all, func(a, b live) int { return cmp.Compare(a.slot, b.slot) })
	out := make([]uint64, 0, len(all)+len(apart))
	for _, l := range all {
		out = append(out, l.line)
	}
	for _, l := range slices.Backward(apart) {
		out = append(out, l)
	}
	return out
}
