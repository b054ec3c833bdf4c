package cache

// list is sets of many ways, LRU or FIFO: each set a ring of its ways in the order in which
// they leave, found by an index, so that a use costs the same whatever the number of ways. A set gets a way
// when a line needs one, so that memory is bounded by lines.
type list struct {
	geometry
	index      index
	keys       []key    // by way; the first are of no way, but where the ring of each set begins and ends
	prev, next []uint32 // by way
	has        []uint32 // by set: how many ways it has
	onUse      bool     // a use moves a line to the front: LRU
}

func newList(g geometry, onUse bool) *list {
	c := &list{geometry: g, index: newIndex(), keys: emptied(g.sets), prev: make([]uint32, g.sets), next: make([]uint32, g.sets),
		has: make([]uint32, g.sets), onUse: onUse}
	for s := range c.prev {
		c.prev[s], c.next[s] = uint32(s), uint32(s)
	}
	return c
}

// ring is the end of the ring of a line's set.
func (c *list) ring(line uint64) uint32 { return uint32(c.set(line)) }

// move puts a way behind another in its ring.
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

// leaves is the way that leaves a ring next: one without a line, else a new one, else the last.
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

// fill takes a line in and returns what it replaces.
func (c *list) fill(k key) (victim key) {
	line := k >> 1
	ring := c.ring(line)
	way := c.leaves(ring)
	if victim = c.keys[way]; victim != empty {
		c.index.remove(victim >> 1)
	}
	c.keys[way] = k
	c.index.insert(line, way)
	c.move(way, ring)
	return victim
}

func (c *list) hit(k key) bool {
	way, ok := c.index.find(k >> 1)
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
	way, ok := c.index.find(line)
	if ok {
		c.keys[way] |= 1
	}
	return ok
}

func (c *list) drop(line uint64) key {
	way, ok := c.index.find(line)
	if !ok {
		return empty
	}
	k := c.keys[way]
	c.index.remove(line)
	c.keys[way] = empty
	c.move(way, c.prev[c.ring(line)])
	return k
}
