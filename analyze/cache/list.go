package cache

import "spoor/analyze/cache/internal/index"

// list simulates sets of many ways, LRU or FIFO. Each set is a ring of its ways in eviction order.
// An index finds the way of a line, so the cost of a use does not depend on the number of ways. A
// set allocates a way when a line needs one, so memory grows with the lines.
type list struct {
	geometry
	index      index.Ways
	keys       []key    // by way; the first entries are no ways but the start and end of the ring of each set
	prev, next []uint32 // by way
	has        []uint32 // by set: number of allocated ways
	onUse      bool     // LRU: a use moves the line to the front
}

func newList(g geometry, onUse bool) *list {
	c := &list{geometry: g, index: index.New(), keys: emptied(g.sets), prev: make([]uint32, g.sets), next: make([]uint32, g.sets),
		has: make([]uint32, g.sets), onUse: onUse}
	for s := range c.prev {
		c.prev[s], c.next[s] = uint32(s), uint32(s)
	}
	return c
}

// ring returns the end of the ring of a line's set.
func (c *list) ring(line uint64) uint32 { return uint32(c.set(line)) }

// move moves a way behind another one in its ring.
func (c *list) move(way, behind uint32) {
	if way == behind || c.next[behind] == way {
		return
	}
	p, n := c.prev[way], c.next[way]
	c.next[p], c.prev[n] = n, p
	n = c.next[behind]
	c.next[behind], c.prev[way] = way, behind
	c.next[way], c.prev[n] = n, way
}

func (c *list) use(keys []key, out []miss) (used, missed int) { return useEach(c, keys, out) }

// leaves returns the way to fill next: an empty one, else a new one, else the last in eviction
// order.
func (c *list) leaves(ring uint32) uint32 {
	way := c.prev[ring]
	if uint64(c.has[ring]) == c.ways || way != ring && c.keys[way] == empty {
		return way
	}
	c.has[ring]++
	added := uint32(len(c.keys))
	c.keys, c.prev, c.next = append(c.keys, empty), append(c.prev, way), append(c.next, ring)
	c.next[way], c.prev[ring] = added, added
	return added
}

// fill loads a line and returns the line that it replaces.
func (c *list) fill(k key) (victim key) {
	line := k >> 1
	ring := c.ring(line)
	way := c.leaves(ring)
	if victim = c.keys[way]; victim != empty {
		c.index.Remove(victim >> 1)
	}
	c.keys[way] = k
	c.index.Insert(line, way)
	c.move(way, ring)
	return victim
}

func (c *list) hit(k key) bool {
	way, ok := c.index.Find(k >> 1)
	if !ok {
		return false
	}
	c.keys[way] |= k
	if c.onUse {
		c.move(way, c.ring(k>>1))
	}
	return true
}

func (c *list) mark(line uint64) bool {
	way, ok := c.index.Find(line)
	if ok {
		c.keys[way] |= 1
	}
	return ok
}

func (c *list) drop(line uint64) key {
	way, ok := c.index.Find(line)
	if !ok {
		return empty
	}
	k := c.keys[way]
	c.index.Remove(line)
	c.keys[way] = empty
	c.move(way, c.prev[c.ring(line)])
	return k
}
