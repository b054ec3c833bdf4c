package memsys

import "spoor/traces/trace"

// What a cache lets its processor do with a line, as the low bits of its word. The bits of
// readable are part of those of writable, so that one comparison finds a line that
// may be loaded: word|writable == line's writable word.
const (
	permNone  = 0
	permRead  = 1
	permWrite = 3

	permBits = 2
	permMask = 1<<permBits - 1
)

// right is what a cache lets its processor do with a line in a valid state.
func permOf(state uint8) uint64 {
	if state == modified {
		return permWrite
	}
	return permRead
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
		if word|permWrite == line<<permBits|permWrite && word != 0 {
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
func (c *cache) setPerm(line, right uint64) {
	set := c.set(line)
	w := find(set, line)
	switch {
	case w < 0:
	case right == permNone:
		set[w] = 0
	default:
		set[w] = line<<permBits | right
	}
}

// holds reports whether a load, or a store, of line needs nothing but this cache.
func (c *cache) holds(line uint64, store bool) bool {
	whole, any := line<<permBits|permWrite, uint64(permWrite)
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

// hits is the first references that find all their lines in a cache as they need them.
type lookahead struct {
	rows          int
	otherRows     int    // of rows, that are neither loads nor stores
	loads, stores uint64 // touches of lines
	unmoved       int    // so many of the first rows touch only lines that are the most recently used of their sets
}

// hits sets h to what it finds of the references.
func (c *cache) lookahead(h *lookahead, shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) {
	*h = lookahead{unmoved: len(addrs)}
	for {
		i := h.rows
		rows, stores, still := c.scanSingleLines(shift, addrs[i:], sizes[i:], ops[i:])
		h.rows += rows
		h.loads += uint64(rows) - stores
		h.stores += stores
		h.unmoved = min(h.unmoved, i+still)
		if i = h.rows; i == len(addrs) || ops[i].Data() && addrs[i]>>shift == (addrs[i]+uint64(sizes[i])-1)>>shift ||
			!c.scanAny(h, shift, addrs[i], sizes[i], ops[i]) {
			return
		}
	}
}

// lone is how many of the first references load or store one line alone, as they may, how many of them store, and before which of them
// all lines are the most recently used of their sets. It calls nothing, and so keeps all in registers.
func (c *cache) scanSingleLines(shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) (rows int, stores uint64, still int) {
	words, ways, mask := c.words, c.ways, c.mask
	sizes, ops = sizes[:len(addrs)], ops[:len(addrs)]
	still = len(addrs)
next:
	for i, addr := range addrs {
		line, op := addr>>(shift&63), ops[i]
		if (addr+uint64(sizes[i])-1)>>(shift&63) != line || !op.Data() {
			return i, stores, still
		}
		whole, any := line<<permBits|permWrite, uint64(permWrite)
		if op == trace.Store {
			any = 0
			stores++
		}
		first := (line & mask) * ways
		if word := words[first]; word|any == whole && word != 0 {
			continue
		}
		for w := first + 1; w < first+ways; w++ {
			if word := words[w]; word|any == whole && word != 0 {
				still = min(still, i)
				continue next
			}
		}
		if op == trace.Store {
			stores--
		}
		return i, stores, still
	}
	return len(addrs), stores, still
}

// look adds the next reference to h, whatever it is, if it finds all its lines in c.
func (c *cache) scanAny(h *lookahead, shift uint, addr uint64, size uint16, op trace.Op) bool {
	if !op.Data() {
		h.rows++
		h.otherRows++
		return true
	}
	first, last := addr>>shift, (addr+uint64(size)-1)>>shift
	for line := first; ; line++ {
		switch w := find(c.set(line), line); {
		case w < 0 || op == trace.Store && c.set(line)[w]&permMask != permWrite:
			return false
		case w > 0:
			h.unmoved = min(h.unmoved, h.rows)
		}
		if line == last {
			break
		}
	}
	h.rows++
	if op == trace.Store {
		h.stores += last - first + 1
	} else {
		h.loads += last - first + 1
	}
	return true
}

// touch makes the lines of references, which all are in c, the most recently used of their sets.
func (c *cache) commit(shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) {
	words, ways, mask := c.words, c.ways, c.mask
	sizes, ops = sizes[:len(addrs)], ops[:len(addrs)]
	for i, addr := range addrs {
		if !ops[i].Data() {
			continue
		}
		for line, last := addr>>(shift&63), (addr+uint64(sizes[i])-1)>>(shift&63); line <= last; line++ {
			first := (line & mask) * ways
			word, whole := words[first], line<<permBits|permWrite
			for w := first; word|permWrite != whole || word == 0; {
				w++ // what was there moves one way back
				word, words[w] = words[w], word
			}
			words[first] = word
		}
	}
}
