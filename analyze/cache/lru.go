package cache

var lruPolicy = Policy{Name: "lru", Doc: "the least recently used line leaves",
	make: func(g geometry, _ uint64) array {
		if g.ways > scanned {
			return newList(g, true)
		}
		return &lru{ordered{newTags(g)}}
	}}

// lru is sets in the order of use, most recent first.
type lru struct{ ordered }

// use looks for the line and moves those before it down in one pass, for it goes
// to the front whether it is there or not.
func (c *lru) use(keys []key) (int, key) {
	ways := c.ways
next:
	for i, k := range keys {
		base := c.set(k>>1) * ways
		set := c.keys[base : base+ways]
		above := set[0]
		if above|1 == k|1 {
			set[0] = above | k
			continue
		}
		set[0] = k
		for j := 1; j < len(set); j++ {
			t := set[j]
			set[j] = above
			if t|1 == k|1 {
				set[0] = t | k
				continue next
			}
			above = t
		}
		return i, above
	}
	return len(keys), empty
}

func (c *lru) hit(k key) bool {
	set := c.of(k >> 1)
	i := find(set, k>>1)
	if i == len(set) {
		return false
	}
	k |= set[i]
	copy(set[1:i+1], set[:i])
	set[0] = k
	return true
}
