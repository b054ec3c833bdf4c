package cache

import "math/rand/v2"

var randomPolicy = Policy{Name: "random", Doc: "any line leaves, drawn with the seed of --cache-seed",
	make: func(g geometry, draw *rand.Rand) array { return newRandom(g, draw) }}

// random is sets that are full up to a number of ways. The line that is dropped from a set
// leaves its way to the last one.
type random struct {
	tags
	full  []uint32 // by set
	draw  *rand.Rand
	index *index // of sets too large to search
}

func newRandom(g geometry, draw *rand.Rand) *random {
	c := &random{tags: newTags(g), full: make([]uint32, g.sets), draw: draw}
	if g.ways > scanned {
		x := newIndex(g.sets * g.ways)
		c.index = &x
	}
	return c
}

// at is where a line is among all keys.
func (c *random) at(line uint64) (uint64, bool) {
	if c.index != nil {
		way, ok := c.index.find(line)
		return uint64(way), ok
	}
	base := c.set(line) * c.ways
	w := uint64(find(c.keys[base:base+c.ways], line))
	return base + w, w < c.ways
}

func (c *random) use(keys []key, out []miss) (used, missed int) { return useEach(c, keys, out) }

// fill takes a line in and returns what it replaces.
func (c *random) fill(k key) key {
	s := c.set(k >> 1)
	way := s * c.ways
	if n := uint64(c.full[s]); n < c.ways {
		way += n
		c.full[s]++
	} else {
		way += c.draw.Uint64N(c.ways)
	}
	victim := c.keys[way]
	c.keys[way] = k
	if c.index != nil {
		if victim != empty {
			c.index.remove(victim >> 1)
		}
		c.index.insert(k>>1, uint32(way))
	}
	return victim
}

func (c *random) hit(k key) bool {
	at, ok := c.at(k >> 1)
	if ok {
		c.keys[at] |= k
	}
	return ok
}

func (c *random) mark(line uint64) bool { return c.hit(line<<1 | 1) }

func (c *random) drop(line uint64) key {
	at, ok := c.at(line)
	if !ok {
		return empty
	}
	s := c.set(line)
	c.full[s]--
	last := s*c.ways + uint64(c.full[s])
	k, moved := c.keys[at], c.keys[last]
	c.keys[at], c.keys[last] = moved, empty
	if c.index != nil {
		c.index.remove(line)
		if at != last {
			c.index.remove(moved >> 1)
			c.index.insert(moved>>1, uint32(at))
		}
	}
	return k
}
