package describe

import "math/bits"

// lineShift is log2 of the size of a line, 64 bytes. It is also log2 of the lines in a page.
const lineShift = 6

// lineSet is a set of 64-byte lines, with one bit for each. A word has the 64 lines of a
// page of 4 KiB. The latest word is cached, because most accesses are near the previous one.
type lineSet struct {
	words map[uint64]uint64
	key   uint64
	word  uint64
}

func newLineSet() *lineSet { return &lineSet{words: map[uint64]uint64{}} }

// touch adds every line that has one of the size bytes from addr.
func (s *lineSet) touch(addr uint64, size uint16) {
	last := (addr + uint64(size) - 1) >> lineShift
	for line := addr >> lineShift; ; line++ {
		if key := line >> 6; key != s.key {
			s.swap(key)
		}
		s.word |= 1 << (line & 63)
		if line >= last {
			return
		}
	}
}

func (s *lineSet) swap(key uint64) {
	if s.word != 0 {
		s.words[s.key] = s.word
	}
	s.key, s.word = key, s.words[key]
}

// count returns the number of lines in the set.
func (s *lineSet) count() (n uint64) {
	s.swap(s.key)
	for _, w := range s.words {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// pages returns the number of pages with a line in the set.
func (s *lineSet) pages() uint64 {
	s.swap(s.key)
	return uint64(len(s.words))
}

// merge adds the lines of o, which must not be used afterwards.
func (s *lineSet) merge(o *lineSet) {
	s.swap(s.key)
	o.swap(o.key)
	if len(s.words) == 0 {
		s.words = o.words
	} else {
		for key, w := range o.words {
			s.words[key] |= w
		}
	}
	s.word = s.words[s.key]
}
