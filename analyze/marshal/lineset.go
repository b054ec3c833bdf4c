package marshal

import (
	"math/bits"
	"math/rand/v2"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// lineSet is the set of lines that are used in an interval, as bits of pages of 64 neighbours.
// Emptying it does not clear it: every page stays in its slot, with the interval in which it was
// used last. Therefore memory grows with the pages of distinct lines of the processor.
type lineSet struct {
	line     unit.Bytes
	shift    uint
	refs     trace.OpSet // that use lines
	interval uint64      // from 1
	count    uint64      // lines in it
	used     []uint64    // pages in it
	slots    []pageSlot  // a power of two of them, half free
	factor   uint64      // of the hash
	top      uint        // 64 - log2(len(slots))
	known    int
}

// pageSlot holds a page, the interval in which it was used last, and its used lines. A slot with
// interval 0 is free.
type pageSlot struct {
	number   uint64 // of the page: that of its first line / 64
	interval uint64
	lines    uint64
}

const (
	pageShift = 6
	pageLines = 1 << pageShift

	logSlots  = 3                  // at first; processors without references have no pages
	golden    = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	mostSteps = 1 << 9             // maximum distance of a page from its home; with half the slots free, only chosen addresses exceed it
)

func newLineSet(line unit.Bytes, refs trace.OpSet) *lineSet {
	return &lineSet{line: line, refs: refs, shift: line.Shift(), interval: 1, slots: make([]pageSlot, 1<<logSlots), factor: golden, top: 64 - logSlots}
}

// add adds the lines of references.
func (s *lineSet) add(refs *trace.Refs) {
	size, op := refs.Size[:len(refs.Addr)], refs.Op[:len(refs.Addr)]
	for i, addr := range refs.Addr {
		if !s.refs.Has(op[i]) {
			continue
		}
		first, last := addr>>s.shift, (addr+uint64(size[i])-1)>>s.shift
		for {
			if !s.has(first) {
				s.use(first)
			}
			if first == last {
				break
			}
			first++
		}
	}
}

// has reports whether a line is used.
func (s *lineSet) has(line uint64) bool {
	slot := s.find(line >> pageShift)
	return slot.interval == s.interval && slot.lines>>(line%pageLines)&1 != 0
}

// use adds a line that is absent.
func (s *lineSet) use(line uint64) {
	slot := s.find(line >> pageShift)
	isNew := slot.interval == 0
	if slot.interval != s.interval {
		*slot = pageSlot{number: line >> pageShift, interval: s.interval}
		s.used = append(s.used, slot.number)
	}
	slot.lines |= 1 << (line % pageLines)
	s.count++
	if isNew {
		s.made(slot.number)
	}
}

// made grows the table after a page was added. If the page is far from its home, the table takes a
// random hash. Results do not depend on it.
func (s *lineSet) made(number uint64) {
	s.known++
	_, steps := s.search(number)
	if steps > mostSteps {
		s.factor = rand.Uint64() | 1
		s.rehash(len(s.slots))
	}
	if s.known > len(s.slots)/2 {
		s.top--
		s.rehash(2 * len(s.slots))
	}
}

// find returns the slot of a page, or the free slot where it belongs.
func (s *lineSet) find(number uint64) *pageSlot {
	slot, _ := s.search(number)
	return slot
}

// search is find, and also returns the distance of the slot from the page's home.
func (s *lineSet) search(number uint64) (slot *pageSlot, steps uint64) {
	mask := uint64(len(s.slots) - 1)
	home := number * s.factor >> (s.top & 63)
	for ; ; steps++ {
		if slot = &s.slots[(home+steps)&mask]; slot.number == number || slot.interval == 0 {
			return slot, steps
		}
	}
}

// rehash resizes the table.
func (s *lineSet) rehash(size int) {
	old := s.slots
	s.slots = make([]pageSlot, size)
	for _, slot := range old {
		if slot.interval > 0 {
			*s.find(slot.number) = slot
		}
	}
}

// clear begins another interval.
func (s *lineSet) clear() {
	s.interval++
	s.used, s.count = s.used[:0], 0
}

// of returns how many of the lines that a buffer touches have been used. Its time depends on the
// smaller of the two sets.
func (s *lineSet) of(b Buffer, touched uint64) (n uint64) {
	if touched <= s.count {
		for line := range b.touched(s.line) {
			if s.has(line) {
				n++
			}
		}
		return n
	}
	for _, number := range s.used {
		for rest := s.find(number).lines; rest != 0; rest &= rest - 1 {
			if b.touches(number<<pageShift|uint64(bits.TrailingZeros64(rest)), s.line) {
				n++
			}
		}
	}
	return n
}
