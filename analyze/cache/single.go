package cache

// An LRU is one cache with LRU replacement and no levels above or below, for other analyses. Lines
// are numbers below 2^63 - 1.
type LRU struct {
	array  array
	keys   []key
	missed [missRoom]miss
}

// NewLRU creates an empty cache of sets*ways lines, which must be below 2^31. If caches of this
// size would be too large together, its memory grows with the used lines instead.
func NewLRU(sets, ways int64, caches int) *LRU {
	return &LRU{array: roomy(newGeometry(sets, ways), mostDense/int64(max(caches, 1)), func(g geometry) array { return lruPolicy.make(g, nil) })}
}

// Misses uses lines in order and returns the number of misses.
func (c *LRU) Misses(lines []uint64) (n uint64) {
	c.keys = c.keys[:0]
	for _, l := range lines {
		k := l << 1
		if k < back {
			c.keys = append(c.keys, k)
			continue
		}
		n += c.flush() // arrays take such large keys only one by one
		if !c.array.hit(k) {
			c.array.fill(k)
			n++
		}
	}
	return n + c.flush()
}

// flush uses the collected keys and returns the number of misses.
func (c *LRU) flush() (n uint64) {
	for keys := c.keys; len(keys) > 0; {
		used, missed := c.array.use(keys, c.missed[:])
		keys = keys[used:]
		n += uint64(missed)
	}
	c.keys = c.keys[:0]
	return n
}

// Use uses one line. It returns the line that it evicts, if any.
func (c *LRU) Use(line uint64) (victim uint64, evicts bool) {
	k := line << 1
	if c.array.hit(k) {
		return 0, false
	}
	out := c.array.fill(k)
	return out >> 1, out != empty
}

// Has returns how many of the lines are present, without using them.
func (c *LRU) Has(lines []uint64) (n uint64) {
	for _, l := range lines {
		if c.Contains(l) {
			n++
		}
	}
	return n
}

// Contains reports whether a line is present, without using it.
func (c *LRU) Contains(line uint64) bool { return c.array.mark(line) } // nothing requests what is dirty

// Drop removes a line, if it is present.
func (c *LRU) Drop(line uint64) { c.array.drop(line) }
