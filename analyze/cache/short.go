package cache

// short is sets of so few ways, LRU or FIFO, that their keys are kept in order and moved: the first is the last to leave.
type short struct {
	tags
	full  []uint8 // by set: ways that have a line, which are the first
	onUse bool    // a use moves a line to the front: LRU
}

// shortWays is the most: more are searched and moved slower than packed ones.
const shortWays = 4

func newShort(g geometry, onUse bool) *short {
	return &short{tags: newTags(g), full: make([]uint8, g.sets), onUse: onUse}
}

// lines is those of the set of a line.
func (c *short) lines(line uint64) []key { return c.of(line)[:c.full[c.set(line)]] }

// toFirst puts a key first, in the place of another one, whose place those before that take.
func toFirst(set []key, at int, k key) {
	for ; at > 0; at-- {
		set[at] = set[at-1]
	}
	set[0] = k
}

func (c *short) use(keys []key) (int, key) {
	for i, k := range keys {
		number := c.set(k >> 1)
		set, n := c.keys[number*c.ways:][:c.ways], int(c.full[number])
		at := find(set[:n], k>>1)
		switch {
		case at == n && n < len(set):
			c.full[number]++
			toFirst(set, n, k)
			return i, empty
		case at == n:
			victim := set[n-1]
			toFirst(set, n-1, k)
			return i, victim
		case c.onUse && at > 0:
			toFirst(set, at, set[at]|k)
		default:
			set[at] |= k
		}
	}
	return len(keys), empty
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
