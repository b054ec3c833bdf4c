// Package index finds in which way of a large set a line is.
package index

import "math/rand/v2"

// Ways finds the way of a line. It is a hash table with linear probing, at most half full, and
// grows. Removal moves later entries back, so it needs no deletion marks.
type Ways struct {
	entries []indexEntry
	shift   uint   // 64 - log2(len(entries))
	factor  uint64 // of the hash
	used    int    // entries with a line
}

type indexEntry struct {
	line uint64
	way  uint32 // + 1; 0: no entry
}

// HashFactor is 2^64 divided by the golden ratio.
const HashFactor = 0x9E3779B97F4A7C15

// New returns an empty index.
func New() Ways {
	const log = 4
	return Ways{entries: make([]indexEntry, 1<<log), shift: 64 - log, factor: HashFactor}
}

// home returns where the search for a line begins. It hashes by multiplication twice, because lines
// at power-of-two strides cluster after one.
func (x *Ways) home(line uint64) uint64 {
	line *= x.factor
	return ((line ^ line>>32) * x.factor) >> (x.shift & 63)
}

// Find returns the way of a line, if the line is there.
func (x *Ways) Find(line uint64) (way uint32, ok bool) {
	mask := uint64(len(x.entries) - 1)
	for h := x.home(line); ; h++ {
		e := &x.entries[h&mask]
		if e.line == line && e.way != 0 {
			return e.way - 1, true
		}
		if e.way == 0 {
			return 0, false
		}
	}
}

// Insert adds a line that is absent.
func (x *Ways) Insert(line uint64, way uint32) {
	if x.used++; 2*x.used > len(x.entries) {
		x.shift--
		x.rehash(2 * len(x.entries))
	}
	if x.place(indexEntry{line, way + 1}) > mostSteps {
		x.factor = rand.Uint64() | 1 // results do not depend on it
		x.rehash(len(x.entries))
	}
}

// mostSteps is the maximum distance of an entry from its home. In a half-full table chance never
// produces such a distance, but chosen addresses can. Then the table takes a random hash.
const mostSteps = 1 << 9

// rehash resizes the table.
func (x *Ways) rehash(size int) {
	old := x.entries
	x.entries = make([]indexEntry, size)
	for _, e := range old {
		if e.way != 0 {
			x.place(e)
		}
	}
}

// place stores an entry where its search ends. It returns the distance from its home.
func (x *Ways) place(e indexEntry) (steps uint64) {
	mask := uint64(len(x.entries) - 1)
	home := x.home(e.line)
	h := home
	for x.entries[h&mask].way != 0 {
		h++
	}
	x.entries[h&mask] = e
	return h - home
}

// Remove removes a line that is present.
func (x *Ways) Remove(line uint64) {
	x.used--
	mask := uint64(len(x.entries) - 1)
	hole := x.home(line)
	for x.entries[hole&mask].line != line || x.entries[hole&mask].way == 0 {
		hole++
	}
	for h := hole + 1; ; h++ {
		e := x.entries[h&mask]
		if e.way == 0 {
			break
		}
		if (h-x.home(e.line))&mask >= (h-hole)&mask { // the search for e passes the hole
			x.entries[hole&mask] = e
			hole = h
		}
	}
	x.entries[hole&mask] = indexEntry{}
}
