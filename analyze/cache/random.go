package cache

import (
	"math/rand/v2"

	"spoor/analyze/cache/internal/index"
)

var randomPolicy = policy{Name: "random", Doc: "any line leaves, drawn with the seed of --cache-seed",
	make: func(g geometry, draw *rand.Rand) array { return newRandom(g, draw) }}

// random simulates sets with random replacement. The ways in use are the first ones. When a line is
// removed, the last line moves to its way.
type random struct {
	geometry
	lines [][]key // by set; large sets allocate memory as lines come
	draw  *rand.Rand
	index *index.Ways // for sets too large to search
}

func newRandom(g geometry, draw *rand.Rand) *random {
	c := &random{geometry: g, lines: make([][]key, g.sets), draw: draw}
	if g.ways > scanned {
		x := index.New()
		c.index = &x
		return c
	}
	all := make([]key, g.sets*g.ways)
	for s := range c.lines {
		c.lines[s] = all[:0:g.ways]
		all = all[g.ways:]
	}
	return c
}

// at returns the set of a line and its way.
func (c *random) at(line uint64) (set *[]key, way int, ok bool) {
	set = &c.lines[c.set(line)]
	if c.index != nil {
		way, ok := c.index.Find(line)
		return set, int(way), ok
	}
	way = find(*set, line)
	return set, way, way < len(*set)
}

func (c *random) use(keys []key, out []miss) (used, missed int) { return useEach(c, keys, out) }

// fill loads a line and returns the line that it replaces.
func (c *random) fill(k key) (victim key) {
	set := &c.lines[c.set(k>>1)]
	way := uint64(len(*set))
	if victim = empty; way < c.ways {
		*set = append(*set, k)
	} else {
		way = c.draw.Uint64N(c.ways)
		victim, (*set)[way] = (*set)[way], k
	}
	if c.index != nil {
		if victim != empty {
			c.index.Remove(victim >> 1)
		}
		c.index.Insert(k>>1, uint32(way))
	}
	return victim
}

func (c *random) hit(k key) bool {
	set, way, ok := c.at(k >> 1)
	if ok {
		(*set)[way] |= k
	}
	return ok
}

func (c *random) mark(line uint64) bool { return c.hit(line<<1 | 1) }

func (c *random) drop(line uint64) key {
	set, way, ok := c.at(line)
	if !ok {
		return empty
	}
	last := len(*set) - 1
	k, moved := (*set)[way], (*set)[last]
	(*set)[way] = moved
	*set = (*set)[:last]
	if c.index != nil {
		c.index.Remove(line)
		if way != last {
			c.index.Remove(moved >> 1)
			c.index.Insert(moved>>1, uint32(way))
		}
	}
	return k
}
