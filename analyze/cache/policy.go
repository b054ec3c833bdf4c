package cache

import (
	"fmt"
	"math/rand/v2"
)

// A key is a line as an array takes it: the number of the line above one bit that says
// whether the use dirties it. Lines are of 4 bytes or more, so the highest bit is left for [back], and a key never is empty.
type key = uint64

// empty is the key of no line, which is clean.
const empty key = 1<<64 - 2

// An array is the lines that a cache holds, and the policy that says which of them leaves.
// It is called by the run, so that no call is made for a use that hits.
type array interface {
	// use uses lines in order, and takes in those that are not there, until it has seen all or as many were not
	// there as out has room for. It returns how many it has seen, and how many of them were not there: these are in out.
	// A line that is written back is no use: if it is there, it is marked.
	use(keys []key, out []miss) (used, missed int)
	// hit uses a line if it is there, and reports whether it is.
	hit(k key) bool
	// fill takes in a line that is not there, and returns what it replaces, empty if nothing.
	fill(k key) (victim key)
	// mark makes a line dirty if it is there, which is no use of it, and reports whether it is.
	mark(line uint64) bool
	// drop takes a line out and returns it, empty if it is not there.
	drop(line uint64) key
}

// back is set in keys of lines that are written back, dirty.
const back key = 1 << 63

// A miss is a line that was not there.
type miss struct {
	at     int // among the keys
	victim key // that the line replaces, empty if none, as if the line is written back
}

// missRoom is how many misses are looked at together.
const missRoom = 256

// A Policy is a way to choose the line that leaves a full set.
type Policy struct {
	Name, Doc string
	make      func(g geometry, draw *rand.Rand) array // nil: it needs the future, see opt.go
	check     func(ways int64) error                  // nil: any number of ways
}

// Policies lists every policy, the default first.
func Policies() []Policy {
	return []Policy{lruPolicy, plruPolicy, fifoPolicy, randomPolicy, optPolicy}
}

// findPolicy is the policy of that name.
func findPolicy(name string) (Policy, bool) {
	for _, p := range Policies() {
		if p.Name == name {
			return p, true
		}
	}
	return Policy{}, false
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

// odd reports whether the number of sets is no power of two.
func (g *geometry) odd() bool { return g.sets&(g.sets-1) != 0 }

// set is where a line belongs: the low bits of its number, or the remainder where the
// number of sets is no power of two.
func (g *geometry) set(line uint64) uint64 {
	if g.odd() {
		return line % g.sets
	}
	return line & g.mask
}

// emptied is n keys of no line.
func emptied(n uint64) []key {
	out := make([]key, n)
	for i := range out {
		out[i] = empty
	}
	return out
}

// scanned is the most ways that are searched one by one; larger sets have an index.
const scanned = 32

// tags is the keys of all sets, those of a set side by side.
type tags struct {
	geometry
	keys []key
}

func newTags(g geometry) tags { return tags{g, emptied(g.sets * g.ways)} }

// of is the keys of the set of a line.
func (t *tags) of(line uint64) []key {
	base := t.set(line) * t.ways
	return t.keys[base : base+t.ways]
}

// find is where a line is in its set, len(set) if nowhere.
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

// mustBePowerOfTwo is the check of policies that are trees.
func mustBePowerOfTwo(ways, most int64) error {
	if ways > most || ways&(ways-1) != 0 {
		return fmt.Errorf("%d ways are no power of two up to %d", ways, most)
	}
	return nil
}
