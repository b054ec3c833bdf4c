package cache

import "math/bits"

// pairs simulates LRU sets of up to eight ways. The order is a bit matrix with one bit for every
// pair of ways: which of the two is evicted later. A use sets the row of its way and clears its
// column. The way whose row is zero is evicted next. Therefore every use takes the same few
// operations, without branches that are hard to predict.
type pairs struct {
	geometry
	all    []pairSet
	exists uint64           // the highest bit of the byte of each way
	rows   [pairWays]uint64 // by way: its row, without itself
	others [pairWays]uint64 // by way: all except its row and column
}

// pairSet is one set.
type pairSet struct {
	later      uint64 // bit 8 v + w: way v is evicted later than way w
	signatures uint64 // a byte for each way, in one word: a use reads what the previous one wrote
	keys       [pairWays]key
}

const pairWays = 8

// candidates returns the highest bit of the byte of each way with a signature, and perhaps others.
func (s *pairSet) candidates(sig uint8) uint64 {
	return zeroBytes(s.signatures ^ uint64(sig)*everyByte)
}

// sign sets the signature of a way.
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

// use processes keys by runs. It processes keys that end a run one by one.
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

// run processes keys from index used on. It stops at a key whose signature matches another line, or
// that is written back. It continues the counts used and missed.
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

// way returns the set of a line and its way, or -1.
func (c *pairs) way(line uint64) (set *pairSet, way int) {
	set = &c.all[c.set(line)]
	for found := set.candidates(signature(line)) & c.exists; found != 0; found &= found - 1 {
		if w := bits.TrailingZeros64(found) >> 3; set.keys[w]>>1 == line {
			return set, w
		}
	}
	return set, -1
}

// touch makes a way the last to be evicted.
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

// fill loads a line and returns the line that it replaces.
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

// drop removes a line. Its way is filled next.
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
