package cache

// index finds the way of a line. It is a hash table with linear probing, at most half
// full, and grows; removal moves later entries back, so nothing marks where one was.
type index struct {
	entries []indexEntry
	shift   uint // 64 - log2(len(entries))
	used    int  // entries with a line
}

type indexEntry struct {
	line uint64
	way  uint32 // + 1; 0: no entry
}

// newIndex is an index of no lines.
func newIndex() index {
	const log = 4
	return index{entries: make([]indexEntry, 1<<log), shift: 64 - log}
}

// home is where the search for a line begins: multiplicative hashing, twice, for lines at
// power-of-two strides crowd after once.
func (x *index) home(line uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	line *= golden
	return ((line ^ line>>32) * golden) >> (x.shift & 63)
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
		x.grow()
	}
	x.place(indexEntry{line, way + 1})
}

// grow makes the table twice as long.
func (x *index) grow() {
	old := x.entries
	x.entries = make([]indexEntry, 2*len(old))
	x.shift--
	for _, e := range old {
		if e.way != 0 {
			x.place(e)
		}
	}
}

// place puts an entry where its search ends.
func (x *index) place(e indexEntry) {
	mask := uint64(len(x.entries) - 1)
	h := x.home(e.line)
	for x.entries[h&mask].way != 0 {
		h++
	}
	x.entries[h&mask] = e
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
