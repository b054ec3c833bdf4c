package memsys

import (
	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/traces/trace"
)

// permOf returns the permission for a line in a valid state.
func permOf(state uint8) uint64 {
	if state == coherence.Modified {
		return lru.MayStore
	}
	return lru.MayLoad
}

// cache is a set-associative cache of lines with permissions.
type cache struct{ lru.Copies }

func newCache(c Cache) cache { return cache{lru.NewCopies(int64(c.Sets()), int64(c.Ways))} }

// holds reports whether a load, or a store, of line hits with the needed permission.
func (c *cache) holds(line uint64, store bool) bool {
	whole, any := line<<lru.PermissionBits|lru.MayStore, uint64(lru.MayStore)
	if store {
		any = 0
	}
	for _, word := range c.Set(line) {
		if word|any == whole && word != 0 {
			return true
		}
	}
	return false
}

// lookahead describes the longest prefix of some references whose lines are all in a cache with the needed
// permission.
type lookahead struct {
	rows          int
	otherRows     int    // rows that are neither loads nor stores
	loads, stores uint64 // touches of lines
	// the first rows touch only lines that are the most recently used of their sets; this is their number
	unmoved int
}

// lookahead computes h for the references.
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

// scanSingleLines returns how many of the first references load or store a single line with the needed permission.
// stores is how many of them store. unmoved is the number of references before the first line that is not the most
// recently used of its set. The function calls nothing, so that all its variables stay in registers.
func (c *cache) scanSingleLines(shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) (rows int, stores uint64, still int) {
	words, ways, mask := c.Words, c.Ways, c.Mask
	sizes, ops = sizes[:len(addrs)], ops[:len(addrs)]
	still = len(addrs)
next:
	for i, addr := range addrs {
		line, op := addr>>(shift&63), ops[i]
		if (addr+uint64(sizes[i])-1)>>(shift&63) != line || !op.Data() {
			return i, stores, still
		}
		whole, any := line<<lru.PermissionBits|lru.MayStore, uint64(lru.MayStore)
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

// scanAny adds the next reference, of any kind, to h. It reports false if a line is not in c with the needed
// permission.
func (c *cache) scanAny(h *lookahead, shift uint, addr uint64, size uint16, op trace.Op) bool {
	if !op.Data() {
		if !isPrivate(op) {
			return false
		}
		h.rows++
		h.otherRows++
		return true
	}
	first, last := addr>>shift, (addr+uint64(size)-1)>>shift
	for line := first; ; line++ {
		switch w := lru.FindCopy(c.Set(line), line); {
		case w < 0 || op == trace.Store && !lru.Stores(c.Set(line)[w]):
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

// commit makes the lines of references, which are all in c, the most recently used of their sets.
func (c *cache) commit(shift uint, addrs []uint64, sizes []uint16, ops []trace.Op) {
	words, ways, mask := c.Words, c.Ways, c.Mask
	sizes, ops = sizes[:len(addrs)], ops[:len(addrs)]
	for i, addr := range addrs {
		if !ops[i].Data() {
			continue
		}
		for line, last := addr>>(shift&63), (addr+uint64(sizes[i])-1)>>(shift&63); line <= last; line++ {
			first := (line & mask) * ways
			word, whole := words[first], line<<lru.PermissionBits|lru.MayStore
			for w := first; word|lru.MayStore != whole || word == 0; {
				w++ // the word before moves one way back
				word, words[w] = words[w], word
			}
			words[first] = word
		}
	}
}
