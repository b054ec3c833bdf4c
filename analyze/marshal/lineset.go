package marshal

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// lineSet is the lines that are used in an interval. It is emptied without being
// cleared: every line that ever was in it keeps its place, with the interval in which it was
// used last. So memory is that of the distinct lines of the processor.
type lineSet struct {
	line     unit.Bytes
	shift    uint
	interval uint64 // from 1
	used     []uint64
	slots    []lineSlot // a power of two of them, half free
	known    int
	recent   [recentLines]lineSlot // lines found lately: most are used again at once
}

// lineSlot is a line with the interval in which it was used last; 0 is a free slot.
type lineSlot struct {
	number   uint64
	interval uint64
}

const recentLines = 1 << 9

func newLineSet(line unit.Bytes) *lineSet {
	return &lineSet{line: line, shift: line.Shift(), interval: 1, slots: make([]lineSlot, 1<<10)}
}

// add puts the lines of loads and stores in.
func (s *lineSet) add(refs *trace.Refs) {
	size, op := refs.Size[:len(refs.Addr)], refs.Op[:len(refs.Addr)]
	for i, addr := range refs.Addr {
		if !op[i].Data() {
			continue
		}
		first, last := addr>>s.shift, (addr+uint64(size[i])-1)>>s.shift
		for {
			if r := &s.recent[first%recentLines]; r.number != first || r.interval != s.interval {
				*r = lineSlot{first, s.interval}
				s.use(first)
			}
			if first == last {
				break
			}
			first++
		}
	}
}

func (s *lineSet) use(number uint64) {
	slot := s.find(number)
	if slot.interval == s.interval {
		return
	}
	isNew := slot.interval == 0
	*slot = lineSlot{number, s.interval}
	s.used = append(s.used, number)
	if isNew {
		if s.known++; s.known > len(s.slots)/2 {
			s.grow()
		}
	}
}

// find is the slot of a line, or the free one where it belongs.
func (s *lineSet) find(number uint64) *lineSlot {
	mask := uint64(len(s.slots) - 1)
	for i := number * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		if slot := &s.slots[i]; slot.number == number || slot.interval == 0 {
			return slot
		}
	}
}

func (s *lineSet) grow() {
	old := s.slots
	s.slots = make([]lineSlot, 2*len(old))
	for _, slot := range old {
		if slot.interval > 0 {
			*s.find(slot.number) = slot
		}
	}
}

// clear begins another interval.
func (s *lineSet) clear() {
	s.interval++
	s.used = s.used[:0]
}

// of is how many of the lines that a buffer touches have been used, found out in a
// time of the fewer of the two.
func (s *lineSet) of(b Buffer, touched uint64) (n uint64) {
	switch {
	case len(s.used) == 0:
	case touched > uint64(len(s.used)):
		for _, number := range s.used {
			if b.touches(number, s.line) {
				n++
			}
		}
	default:
		for number := range b.touched(s.line) {
			if s.find(number).interval == s.interval {
				n++
			}
		}
	}
	return n
}
