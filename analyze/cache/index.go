package cache

import "math/rand/v2"

// index finds the way of a line. It is a hash table with linear probing, at most half
// full, and grows; removal moves later entries back, so nothing marks where one was.
type index struct {
	entries []indexEntry
	shift   uint   // 64 - log2(len(entries))
	factor  uint64 // of the hash
	used    int    // entries with a line
}

type indexEntry struct {
	line uint64
	way  uint32 // + 1; 0: no entry
}

// golden is 2^64 divided by the golden ratio.
const golden = 0x9E3779B97F4A7C15

// newIndex is an index of no lines.
func newIndex() index {
	const log = 4
	return index{entries: make([]indexEntry, 1<<log), shift: 64 - log, factor: golden}
}

// home is where the search for a line begins: multiplicative hashing, twice, for lines at
// power-of-two strides crowd after once.
func (x *index) home(line uint64) uint64 {
	line *= x.factor
	return ((line ^ line>>32) * x.factor) >> (x.shift & 63)
}

func (x *index) find(line uint64) (way uint32, ok bool) {
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

// insert adds a line that is not there.
func (x *index) insert(line uint64, way uint32) {
	if x.used++; 2*x.used > len(x.entries) {
		x.shift--
		x.rehash(2 * len(x.entries))
	}
	if x.place(indexEntry{line, way + 1}) > mostSteps {
		x.factor = rand.Uint64() | 1 // what is found does not depend on it
		x.rehash(len(x.entries))
	}
}

// mostSteps is how far an entry is behind its home at most, unless lines were made to crowd: in a table that is half full, chance does not put
// any so far behind. Then the hash becomes one that nobody knows.
const mostSteps = 1 << 9

// rehash makes the table so long.
func (x *index) rehash(size int) {
	old := x.entries
	x.entries = make([]indexEntry, size)
	for _, e := range old {
		if e.way != 0 {
			x.place(e)
		}
	}
}

// place puts an entry where its search ends, and returns how far that is from its home.
func (x *index) place(e indexEntry) (steps uint64) {
	mask := uint64(len(x.entries) - 1)
	home := x.home(e.line)
	h := home
	for x.entries[h&mask].way != 0 {
		h++
	}
	x.entries[h&mask] = e
	return h - home
}

// remove takes out a line that is there.
func (x *index) remove(line uint64) {
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
		if (h-x.home(e.line))&mask >= (h-hole)&mask { // its search passes the hole
			x.entries[hole&mask] = e
			hole = h
		}
	}
	x.entries[hole&mask] = indexEntry{}
}
