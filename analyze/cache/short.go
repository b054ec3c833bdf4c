package cache

// short simulates sets of very few ways, LRU or FIFO. It keeps their keys in order and moves them:
// the first is the last to be evicted.
type short struct {
	tags
	full  []uint8 // by set: number of ways with a line, which are the first
	onUse bool    // LRU: a use moves the line to the front
}

// shortWays is the maximum number of ways. For more, searching and moving is slower than packed.
const shortWays = 4

func newShort(g geometry, onUse bool) *short {
	return &short{tags: newTags(g), full: make([]uint8, g.sets), onUse: onUse}
}

// lines returns the keys of the set of a line.
func (c *short) lines(line uint64) []key { return c.of(line)[:c.full[c.set(line)]] }

// toFirst moves a key from index at to the front. The keys before it move back by one.
func toFirst(set []key, at int, k key) {
	for ; at > 0; at-- {
		set[at] = set[at-1]
	}
	set[0] = k
}

func (c *short) use(keys []key, out []miss) (used, missed int) {
	for i, k := range keys {
		if k < back {
			number := c.set(k >> 1)
			set, n := c.keys[number*c.ways:][:c.ways], int(c.full[number])
			if at := find(set[:n], k>>1); at < n {
				if k |= set[at]; c.onUse && at > 0 {
					toFirst(set, at, k)
				} else {
					set[at] = k
				}
				continue
			}
			out[missed] = miss{i, c.fill(k)}
		} else {
			if c.mark(k &^ back >> 1) {
				continue
			}
			out[missed] = miss{i, empty}
		}
		if missed++; missed == len(out) {
			return i + 1, missed
		}
	}
	return len(keys), missed
}

func (c *short) fill(k key) (victim key) {
	number := c.set(k >> 1)
	set, n := c.keys[number*c.ways:][:c.ways], int(c.full[number])
	if n == len(set) {
		n--
		victim = set[n]
	} else {
		c.full[number]++
		victim = empty
	}
	toFirst(set, n, k)
	return victim
}

func (c *short) hit(k key) bool {
	set := c.lines(k >> 1)
	at := find(set, k>>1)
	if at == len(set) {
		return false
	}
	if set[at] |= k; c.onUse {
		toFirst(set, at, set[at])
	}
	return true
}

func (c *short) mark(line uint64) bool {
	set := c.lines(line)
	at := find(set, line)
	if at == len(set) {
		return false
	}
	set[at] |= 1
	return true
}

func (c *short) drop(line uint64) key {
	set := c.lines(line)
	at := find(set, line)
	if at == len(set) {
		return empty
	}
	k := set[at]
	copy(set[at:], set[at+1:])
	c.full[c.set(line)]--
	return k
}
