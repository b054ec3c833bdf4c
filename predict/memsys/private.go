package memsys

import "spoor/traces/unit"

// private is the caches of one processor, nearest first. Each level has all lines of the levels
// before it, with the same rights.
type privateCaches struct {
	levels    []cache
	first     cache        // the first of them, at hand
	latency   []unit.Picos // of a touch that finds its line in a level: all levels up to it; 0 in the first
	lookup    unit.Picos   // how long it takes to see that no level has a line
	counts    Counts
	lookahead lookahead // by Hits at last
}

func newPrivateCaches(levels []Cache) (c privateCaches) {
	sum := unit.Picos(0)
	for i, l := range levels {
		if i > 0 {
			sum += l.Latency
		}
		c.levels, c.latency = append(c.levels, newCache(l)), append(c.latency, sum)
	}
	c.first, c.lookup = c.levels[0], sum
	return c
}

// behind looks for a line in the levels behind the first, and makes it the latest used of the first
// ones up to where it is. It returns its word, or 0.
func (c *privateCaches) lookupBelow(line uint64) (word uint64, level int) {
	for k := 1; k < len(c.levels); k++ {
		set := c.levels[k].set(line)
		if w := find(set, line); w >= 0 {
			word = set[w]
			toFront(set, w, word)
			c.fill(k, word)
			return word, k
		}
	}
	return 0, 0
}

// fill puts a line into the levels before level. What it pushes out there stays in the others.
func (c *privateCaches) fill(level int, word uint64) {
	for k := level - 1; k >= 0; k-- {
		set := c.levels[k].set(word >> permBits)
		toFront(set, victim(set), word)
	}
}

// insert puts a line that no level has into all of them, and returns the word of the line that
// leaves the last, or 0.
func (c *privateCaches) insert(word uint64) (old uint64) {
	last := len(c.levels) - 1
	set := c.levels[last].set(word >> permBits)
	w := victim(set)
	old = set[w]
	toFront(set, w, word)
	if old != 0 {
		for k := range last {
			c.levels[k].setPerm(old>>permBits, permNone)
		}
	}
	c.fill(last, word)
	return old
}

// put sets the right to a line in every level that has it.
func (c *privateCaches) setPerm(line, right uint64) {
	for k := range c.levels {
		c.levels[k].setPerm(line, right)
	}
}
