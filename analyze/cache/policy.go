package cache

import (
	"fmt"
	"math/rand/v2"
)

// A key identifies a line in an array. It is the number of the line above one bit that says whether
// the use makes it dirty. Lines have at least 4 bytes, so the highest bit is free for [back], and
// no key equals empty.
type key = uint64

// empty is the key of no line. It is clean.
const empty key = 1<<64 - 2

// An array holds the lines of a cache and implements its replacement policy. It processes many uses
// at a time, so that a hit costs no call.
type array interface {
	// use uses lines in order and loads absent lines. It stops when all are processed or out is
	// full. It returns the number of keys processed and the number of misses, which are in out. A
	// key with back set is a write-back, not a use: it makes the line dirty if it is present.
	use(keys []key, out []miss) (used, missed int)
	// hit uses a line if it is present, and reports whether it is.
	hit(k key) bool
	// fill loads an absent line. It returns the line that it replaces, or empty.
	fill(k key) (victim key)
	// mark makes a line dirty if it is present, and reports whether it is. This is not a use.
	mark(line uint64) bool
	// drop removes a line and returns it, or empty if it is absent.
	drop(line uint64) key
}

// back is set in keys of dirty lines that are written back.
const back key = 1 << 63

// A miss is a use of a line that was absent.
type miss struct {
	at     int // index among the keys
	victim key // the line that it replaces; empty if none, also for a write-back
}

// missRoom is the number of misses that are handled together.
const missRoom = 256

// A Policy chooses the line that a full set evicts.
type policy struct {
	Name, Doc string
	make      func(g geometry, draw *rand.Rand) array // nil: the policy needs the future, see opt.go
	check     func(ways int64) error                  // nil: any number of ways
}

// policies lists every policy, the default first.
func policies() []policy {
	return []policy{lruPolicy, plruPolicy, fifoPolicy, randomPolicy, optPolicy}
}

// findPolicy returns the policy with a name.
func findPolicy(name string) (policy, bool) {
	for _, p := range policies() {
		if p.Name == name {
			return p, true
		}
	}
	return policy{}, false
}

// geometry is the shape of an array.
type geometry struct {
	sets, ways uint64
	mask       uint64 // sets-1 if that selects the set, else 0
}

func newGeometry(sets, ways int64) geometry {
	g := geometry{sets: uint64(sets), ways: uint64(ways)}
	if g.sets&(g.sets-1) == 0 {
		g.mask = g.sets - 1
	}
	return g
}

// odd reports whether the number of sets is not a power of two.
func (g *geometry) odd() bool { return g.sets&(g.sets-1) != 0 }

// set returns the set of a line: the low bits of its number, or the remainder if the number of sets
// is not a power of two.
func (g *geometry) set(line uint64) uint64 {
	if g.odd() {
		return line % g.sets
	}
	return line & g.mask
}

// emptied returns n empty keys.
func emptied(n uint64) []key {
	out := make([]key, n)
	for i := range out {
		out[i] = empty
	}
	return out
}

// scanned is the maximum number of ways that are searched one by one. Larger sets have an index.
const scanned = 32

// tags holds the keys of all sets. Those of one set are adjacent.
type tags struct {
	geometry
	keys []key
}

func newTags(g geometry) tags { return tags{g, emptied(g.sets * g.ways)} }

// of returns the keys of the set of a line.
func (t *tags) of(line uint64) []key {
	base := t.set(line) * t.ways
	return t.keys[base : base+t.ways]
}

// find returns the index of a line in its set, or len(set).
func find(set []key, line uint64) int {
	k := line<<1 | 1
	for i, t := range set {
		if t|1 == k {
			return i
		}
	}
	return len(set)
}

// mark makes a line dirty.
func (t *tags) mark(line uint64) bool {
	set := t.of(line)
	i := find(set, line)
	if i == len(set) {
		return false
	}
	set[i] |= 1
	return true
}

// mustBePowerOfTwo checks the ways of policies that are trees.
func mustBePowerOfTwo(ways, most int64) error {
	if ways > most || ways&(ways-1) != 0 {
		return fmt.Errorf("%d ways are no power of two up to %d", ways, most)
	}
	return nil
}
