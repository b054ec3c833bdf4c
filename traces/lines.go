package main

import "math/bits"

// lineShift is log2 of the size of a line, 64 bytes, and of the lines in a page.
const lineShift = 6

// lineSet is a set of 64-byte lines: a bit for each, in words of 64 neighbours, which
// are pages of 4 KiB.
// The latest word is kept aside, for most accesses are near the one before.
type lineSet struct {
	words map[uint64]uint64
	key   uint64
	word  uint64
}

func newLineSet() *lineSet { return &lineSet{words: map[uint64]uint64{}} }

// touch adds every line in which size bytes from addr have one.
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

// count is the number of lines in the set.
func (s *lineSet) count() (n uint64) {
	s.swap(s.key)
	for _, w := range s.words {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// pages is the number of pages that have a line in the set.
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
