package cache

// An LRU is one cache with LRU replacement that no level is above or below, for analyses
// that simulate by themselves. Lines are numbers below 2^63.
type LRU struct {
	array  array
	keys   []key
	missed [missRoom]miss
}

// NewLRU is an empty cache of sets*ways lines, which must be below 2^31.
func NewLRU(sets, ways int64) *LRU {
	return &LRU{array: lruPolicy.make(newGeometry(sets, ways), 0)}
}

// Misses uses lines in order and counts those that were not there.
func (c *LRU) Misses(lines []uint64) (n uint64) {
	c.keys = c.keys[:0]
	for _, l := range lines {
		c.keys = append(c.keys, l<<1)
	}
	for keys := c.keys; len(keys) > 0; {
		used, missed := c.array.use(keys, c.missed[:])
		keys = keys[used:]
		n += uint64(missed)
	}
	return n
}

// Has counts the lines that are there. It uses none.
func (c *LRU) Has(lines []uint64) (n uint64) {
	for _, l := range lines {
		if c.array.mark(l) { // nothing asks what is dirty
			n++
		}
	}
	return n
}
