package cache

import "math/rand/v2"

var plruPolicy = policy{Name: "plru", Doc: "tree pseudo-LRU: a bit per pair of halves says which half was used longer ago; the line they lead to leaves",
	make: func(g geometry, _ *rand.Rand) array { return newPLRU(g) },
	check: func(ways int64) error {
		return mustBePowerOfTwo(ways, 64)
	}}

// plru is a tree of one-bit decisions over the ways: node 1 is the root, node n has the children 2n
// and 2n+1, and way w is the leaf ways+w. A bit points to the half that is evicted next. Every use
// and every arrival makes the bits on its path point away from it. Empty ways are filled first,
// from the lowest.
type plru struct {
	tags
	bits []uint64   // by set; bit n is that of node n
	away [64]uint64 // by way: the bits of its path that point away from it
	path [64]uint64 // by way: all bits of its path
}

func newPLRU(g geometry) *plru {
	c := &plru{tags: newTags(g), bits: make([]uint64, g.sets)}
	for w := range g.ways {
		for n := g.ways + w; n > 1; n /= 2 {
			c.path[w] |= 1 << (n / 2)
			c.away[w] |= (^n & 1) << (n / 2)
		}
	}
	return c
}

func (c *plru) touch(set uint64, way int) {
	c.bits[set] = c.bits[set]&^c.path[way&63] | c.away[way&63]
}

// victim returns the way to which the bits lead.
func (c *plru) victim(set uint64) int {
	b, n := c.bits[set], uint64(1)
	for n < c.ways {
		n = 2*n + b>>(n&63)&1
	}
	return int(n - c.ways)
}

func (c *plru) use(keys []key, out []miss) (used, missed int) { return useEach(c, keys, out) }

func (c *plru) hit(k key) bool {
	s := c.set(k >> 1)
	set := c.keys[s*c.ways:][:c.ways]
	at := find(set, k>>1)
	if at == len(set) {
		return false
	}
	set[at] |= k
	c.touch(s, at)
	return true
}

func (c *plru) drop(line uint64) key {
	set := c.of(line)
	at := find(set, line)
	if at == len(set) {
		return empty
	}
	k := set[at]
	set[at] = empty
	return k
}

// fill loads a line and returns the line that it replaces.
func (c *plru) fill(k key) (victim key) {
	s := c.set(k >> 1)
	set := c.keys[s*c.ways:][:c.ways]
	at := find(set, empty>>1)
	if at == len(set) {
		at = c.victim(s)
	}
	victim, set[at] = set[at], k
	c.touch(s, at)
	return victim
}
