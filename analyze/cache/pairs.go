package cache

import "math/bits"

// pairs is LRU sets of up to eight ways, whose order is a bit for every pair of ways: which of them leaves later. A use
// sets the row of its way and clears its column, and the way whose row is zero leaves next. So a use takes the
// same few operations whatever it finds, and no branch that is hard to predict.
type pairs struct {
	geometry
	all    []pairSet
	exists uint64           // the highest bit of the byte of each way
	rows   [pairWays]uint64 // by way: its row, without itself
	others [pairWays]uint64 // by way: all but its row and column
}

// pairSet is one set.
type pairSet struct {
	later      uint64 // bit 8 v + w: way v leaves later than way w
	signatures uint64 // a byte for each way, in one word: a use reads what the one before wrote
	keys       [pairWays]key
}

const pairWays = 8

// candidates is the ways with a signature, the highest bit of each's byte, and perhaps more.
func (s *pairSet) candidates(sig uint8) uint64 {
	return zeroBytes(s.signatures ^ uint64(sig)*everyByte)
}

// sign gives a way a signature.
func (s *pairSet) sign(way int, sig uint8) {
	shift := 8 * way & 63
	s.signatures = s.signatures&^(0xFF<<shift) | uint64(sig)<<shift
}

func newPairs(g geometry) *pairs {
	c := &pairs{geometry: g, all: make([]pairSet, g.sets)}
	first := pairSet{}
	for w := range first.keys {
		first.keys[w] = empty
	}
	for w := range g.ways {
		row, column := (uint64(1)<<g.ways-1)<<(8*w), uint64(everyByte)<<w
		c.exists |= 0x80 << (8 * w)
		c.rows[w] = row &^ column
		c.others[w] = ^(row | column)
		first.later |= row &^ (everyByte * (1<<(w+1) - 1))
	}
	for s := range c.all {
		c.all[s] = first
	}
	return c
}

// use is by runs. Keys that are not for them are used alone.
func (c *pairs) use(keys []key, out []miss) (used, missed int) {
	for {
		used, missed = c.run(keys, out, used, missed)
		if used == len(keys) || missed == len(out) {
			return used, missed
		}
		_, one := useEach(c, keys[used:used+1], out[missed:])
		if one > 0 {
			out[missed].at = used
		}
		used, missed = used+1, missed+one
	}
}

// run is use from some key on, up to one whose signature is that of another line, or that is written back. It goes on
// counting from what it is given.
func (c *pairs) run(keys []key, out []miss, used, missed int) (int, int) {
	all, mask, exists := c.all, c.mask, c.exists // in registers
	for ; used < len(keys) && missed < len(out); used++ {
		k := keys[used]
		at := k >> 1 & mask
		if mask == 0 && c.odd() {
			at = k &^ back >> 1 % c.sets
		}
		set := &all[at]
		sig := signature(k >> 1)
		found := set.candidates(sig) & exists
		leaves := zeroBytes(set.later) & exists
		_, none := bits.Sub64(found, 1, 0)
		w := bits.TrailingZeros64(found|leaves&-none) >> 3 & (pairWays - 1)
		old := set.keys[w]
		_, more := bits.Sub64(1, old^k, 0)
		absent := -more
		if found&absent != 0 || k >= back {
			break
		}
		set.later = set.later&c.others[w] | c.rows[w]
		set.sign(w, sig)
		set.keys[w] = k | old&^absent
		out[missed] = miss{used, old}
		missed += int(more)
	}
	return used, missed
}

// way is where a line is in its set, -1 if nowhere.
func (c *pairs) way(line uint64) (set *pairSet, way int) {
	set = &c.all[c.set(line)]
	for found := set.candidates(signature(line)) & c.exists; found != 0; found &= found - 1 {
		if w := bits.TrailingZeros64(found) >> 3; set.keys[w]>>1 == line {
			return set, w
		}
	}
	return set, -1
}

// touch has a way leave last.
func (c *pairs) touch(set *pairSet, w int) { set.later = set.later&c.others[w] | c.rows[w] }

func (c *pairs) hit(k key) bool {
	set, w := c.way(k >> 1)
	if w < 0 {
		return false
	}
	set.keys[w] |= k
	c.touch(set, w)
	return true
}

// fill takes in a line and returns what it replaces.
func (c *pairs) fill(k key) (victim key) {
	set := &c.all[c.set(k>>1)]
	w := bits.TrailingZeros64(zeroBytes(set.later)&c.exists) >> 3
	victim, set.keys[w] = set.keys[w], k
	set.sign(w, signature(k>>1))
	c.touch(set, w)
	return victim
}

func (c *pairs) mark(line uint64) bool {
	set, w := c.way(line)
	if w < 0 {
		return false
	}
	set.keys[w] |= 1
	return true
}

// drop has the way of the line leave next.
func (c *pairs) drop(line uint64) key {
	set, w := c.way(line)
	if w < 0 {
		return empty
	}
	k := set.keys[w]
	set.keys[w] = empty
	row, column := uint64(0xFF)<<(8*w), uint64(everyByte)<<w
	set.later = set.later&^row | column&(c.exists>>7*0xFF)&^row
	return k
}
