package cache

// An LRU is one cache with LRU replacement that no level is above or below, for analyses
// that simulate by themselves. Lines are numbers below 2^63 - 1.
type LRU struct {
	array  array
	keys   []key
	missed [missRoom]miss
}

// NewLRU is an empty cache of sets*ways lines, which must be below 2^31. Where so many such caches are too large together, its memory is bounded
// by the lines that are used.
func NewLRU(sets, ways int64, caches int) *LRU {
	return &LRU{array: roomy(newGeometry(sets, ways), mostDense/int64(max(caches, 1)), func(g geometry) array { return lruPolicy.make(g, nil) })}
}

// Misses uses lines in order and counts those that were not there.
func (c *LRU) Misses(lines []uint64) (n uint64) {
	c.keys = c.keys[:0]
	for _, l := range lines {
		k := l << 1
		if k < back {
			c.keys = append(c.keys, k)
			continue
		}
		n += c.flush() // arrays take keys as large as this one by one alone
		if !c.array.hit(k) {
			c.array.fill(k)
			n++
		}
	}
	return n + c.flush()
}

// flush uses the keys at hand, and counts those that were not there.
func (c *LRU) flush() (n uint64) {
	for keys := c.keys; len(keys) > 0; {
		used, missed := c.array.use(keys, c.missed[:])
		keys = keys[used:]
		n += uint64(missed)
	}
	c.keys = c.keys[:0]
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
