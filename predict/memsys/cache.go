package memsys

import "spoor/traces/trace"

// What a cache lets its processor do with a line, as the low bits of its word. The bits of
// readable are part of those of writable, so that one comparison finds a line that
// may be loaded: word|writable == line's writable word.
const (
	absent   = 0
	readable = 1
	writable = 3

	rightBits = 2
	rightMask = 1<<rightBits - 1
)

// right is what a cache lets its processor do with a line in a valid state.
func right(state uint8) uint64 {
	if state == modified {
		return writable
	}
	return readable
}

// cache is a set-associative cache of line words: line<<rightBits | right, or 0
// for an invalid way. The words of a set are contiguous, most recently used
// first, with invalid ways anywhere among them.
type cache struct {
	words []uint64
	ways  uint64
	mask  uint64 // the number of sets, a power of two, less 1
}

func newCache(c Cache) cache {
	return cache{words: make([]uint64, c.Sets()*c.Ways), ways: uint64(c.Ways), mask: uint64(c.Sets() - 1)}
}

// set is the words of the set that line belongs to.
func (c *cache) set(line uint64) []uint64 {
	i := (line & c.mask) * c.ways
	return c.words[i : i+c.ways]
}

// find is the way of set that holds line with any right, or -1.
func find(set []uint64, line uint64) int {
	for w, word := range set {
		if word|writable == line<<rightBits|writable && word != 0 {
			return w
		}
	}
	return -1
}

// victim is the way that a new line goes to: an invalid one, otherwise the least
// recently used.
func victim(set []uint64) int {
	for w := len(set) - 1; w >= 0; w-- {
		if set[w] == 0 {
			return w
		}
	}
	return len(set) - 1
}

// toFront puts word into set as the most recently used, in place of way w.
func toFront(set []uint64, w int, word uint64) {
	for ; w > 0; w-- {
		set[w] = set[w-1]
	}
	set[0] = word
}

// put overwrites the right to line, if c holds it.
func (c *cache) put(line, right uint64) {
	set := c.set(line)
	w := find(set, line)
	switch {
	case w < 0:
	case right == absent:
		set[w] = 0
	default:
		set[w] = line<<rightBits | right
	}
}

// holds reports whether a load, or a store, of line needs nothing but this cache.
func (c *cache) holds(line uint64, store bool) bool {
	whole, any := line<<rightBits|writable, uint64(writable)
	if store {
		any = 0
	}
	for _, word := range c.set(line) {
		if word|any == whole && word != 0 {
			return true
		}
	}
	return false
}

// hits is how many of the first references find all their lines in c as they need
// them, and how many lines those touch.
func (c *cache) hits(shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) (rows int, touches uint64) {
	sizes, ops = sizes[:len(addrs)], ops[:len(addrs)]
	for i, addr := range addrs {
		if !ops[i].Data() {
			continue
		}
		line, last := addr>>shift, (addr+uint64(sizes[i])-1)>>shift
		for lines := last - line + 1; ; line++ {
			if !c.holds(line, ops[i] == trace.Store) {
				return i, touches
			}
			if line == last {
				touches += lines
				break
			}
		}
	}
	return len(addrs), touches
}
