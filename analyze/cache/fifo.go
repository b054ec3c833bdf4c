package cache

var fifoPolicy = Policy{Name: "fifo", Doc: "the line that came first leaves",
	make: func(g geometry, _ uint64) array {
		if g.ways > scanned {
			return newList(g, false)
		}
		return &fifo{ordered{newTags(g)}}
	}}

// fifo is sets in the order of arrival, latest first.
type fifo struct{ ordered }

func (c *fifo) use(keys []key) (int, key) {
	for i, k := range keys {
		set := c.of(k >> 1)
		if at := find(set, k>>1); at < len(set) {
			set[at] |= k
			continue
		}
		victim := set[len(set)-1]
		copy(set[1:], set)
		set[0] = k
		return i, victim
	}
	return len(keys), empty
}

func (c *fifo) hit(k key) bool {
	set := c.of(k >> 1)
	i := find(set, k>>1)
	if i == len(set) {
		return false
	}
	set[i] |= k
	return true
}
