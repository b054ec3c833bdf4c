package memsys

import (
	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// privateCaches is the caches of one processor, nearest first. Each level has all lines of the levels before it, with
// the same permissions.
type privateCaches struct {
	levels    []cache
	first     cache        // a copy of levels[0]
	latency   []unit.Picos // of a hit in each level: all levels up to it; 0 in the first
	lookup    unit.Picos   // time of a lookup that misses in all levels
	counts    touch.Counts
	lookahead lookahead // result of the last Lookahead
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

// lookupBelow looks for a line in the levels behind the first. It returns the word and level of the line, or 0. A hit
// makes the line the most recently used in that level and in all before it.
func (c *privateCaches) lookupBelow(line uint64) (word uint64, level int) {
	for k := 1; k < len(c.levels); k++ {
		set := c.levels[k].Set(line)
		if w := lru.FindCopy(set, line); w >= 0 {
			word = set[w]
			lru.ToFront(set, w, word)
			c.fill(k, word)
			return word, k
		}
	}
	return 0, 0
}

// fill puts a line into the levels before level. Lines that it evicts there stay in the other levels.
func (c *privateCaches) fill(level int, word uint64) {
	for k := level - 1; k >= 0; k-- {
		set := c.levels[k].Set(word >> lru.PermissionBits)
		lru.ToFront(set, lru.Victim(set), word)
	}
}

// insert puts a line that no level has into all of them. It returns the word of the line that is evicted from the
// last level, or 0.
func (c *privateCaches) insert(word uint64) (old uint64) {
	last := len(c.levels) - 1
	set := c.levels[last].Set(word >> lru.PermissionBits)
	w := lru.Victim(set)
	old = set[w]
	lru.ToFront(set, w, word)
	if old != 0 {
		for k := range last {
			c.levels[k].Permit(old>>lru.PermissionBits, 0)
		}
	}
	c.fill(last, word)
	return old
}

// permit sets the permission for a line in every level that has it.
func (c *privateCaches) permit(line, right uint64) {
	for k := range c.levels {
		c.levels[k].Permit(line, right)
	}
}
