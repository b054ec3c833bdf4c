package coherence

import (
	"math/bits"
	"math/rand/v2"
)

// Table holds the state of every line ever touched in the caches of each processor. So a bus transaction need not
// search all caches, and a miss knows its reason. It is a hash table with linear probing. Each slot has one byte for
// each processor.
type Table struct {
	procs  int
	keys   []uint64 // line+1, 0 for a free slot
	states []uint8  // by slot and processor
	Count  int
	shift  uint // 64 - log2(len(keys))

	factor uint64 // of the hash
}

const (
	firstLines = 1 << 6
	HashFactor = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	// probes of a lookup; more happen only for adversarial lines, because half the slots are free
	maxProbes = 1 << 9
)

// NewTable returns an empty table for a number of processors.
func NewTable(procs int) Table {
	return Table{procs: procs, keys: make([]uint64, firstLines), states: make([]uint8, firstLines*procs),
		shift: 64 - uint(bits.TrailingZeros(firstLines)), factor: HashFactor}
}

// Lookup returns the state of line for each processor. Writing to the slice changes the table. It is valid until the
// next call.
func (l *Table) Lookup(line uint64) []uint8 {
	i := l.slot(line)
	if l.keys[i] == 0 {
		if 2*(l.Count+1) > len(l.keys) {
			l.shift--
			l.rehash(2 * len(l.keys))
			i = l.slot(line)
		}
		if (i-l.home(line))&(len(l.keys)-1) > maxProbes {
			l.factor = rand.Uint64() | 1 // results do not depend on it
			l.rehash(len(l.keys))
			i = l.slot(line)
		}
		l.keys[i] = line + 1
		l.Count++
	}
	return l.states[i*l.procs : (i+1)*l.procs]
}

// Get is like lookup, but returns nil if the line was never touched.
func (l *Table) Get(line uint64) []uint8 {
	i := l.slot(line)
	if l.keys[i] == 0 {
		return nil
	}
	return l.states[i*l.procs : (i+1)*l.procs]
}

// slot returns the slot of line, or the free slot for it. Lines have at least four bytes, so line+1 never wraps to
// the mark of a free slot.
func (l *Table) slot(line uint64) int {
	i := l.home(line)
	for l.keys[i] != 0 && l.keys[i] != line+1 {
		i = (i + 1) & (len(l.keys) - 1)
	}
	return i
}

// home returns the slot at which the search for a line begins.
func (l *Table) home(line uint64) int { return int(line * l.factor >> (l.shift & 63)) }

// rehash changes the size of the table.
func (l *Table) rehash(size int) {
	keys, states := l.keys, l.states
	l.keys, l.states = make([]uint64, size), make([]uint8, size*l.procs)
	for i, key := range keys {
		if key != 0 {
			to := l.slot(key - 1)
			l.keys[to] = key
			copy(l.states[to*l.procs:(to+1)*l.procs], states[i*l.procs:(i+1)*l.procs])
		}
	}
}
