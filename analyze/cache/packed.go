package cache

import "math/bits"

// packed is sets of few ways, LRU or FIFO, whose order and signatures are words: nothing is
// searched or moved one by one, and a use costs the same wherever its line is in the order.
//
// A set is its head, the order and two words of signatures, and its keys by way. Heads lie side by side: they are all that most misses
// need to see. The order has the ways in the
// order in which they leave, four bits each: the lowest is the last to leave. Ways that a set
// does not have stay above. A signature is eight bits of a hash of the line, so that one subtraction
// compares eight of them; what it finds is held to the key, so a false match costs time only.
type packed struct {
	geometry
	heads []head // by set
	keys  []key  // by set and way
	last  uint   // shift of the way in the order that leaves next
	onUse bool   // a use moves a line to the front: LRU
}

type head struct {
	order      uint64
	signatures [2]uint64
}

const (
	packedWays = 16 // the most: 64 bits of four each
	inOrder    = 0xFEDCBA9876543210
	everyByte  = 0x0101010101010101
	everyFour  = 0x1111111111111111
)

func newPacked(g geometry, onUse bool) *packed {
	c := &packed{geometry: g, heads: make([]head, g.sets), keys: emptied(g.sets * g.ways), last: uint(4 * (g.ways - 1)), onUse: onUse}
	for s := range c.heads {
		c.heads[s].order = inOrder
	}
	return c
}

// of is the set of a line.
func (c *packed) of(line uint64) (*head, []key) {
	s := c.set(line)
	return &c.heads[s], c.keys[s*c.ways:][:c.ways]
}

// signature is that of a line, in every byte.
func signature(line uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	return line * golden >> 56 * everyByte
}

// zeroBytes has the highest bit of every byte of x that is zero, and perhaps of some above the lowest of those.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & (everyByte << 7) }

// candidates is the ways with a signature: bit 7 of byte n for way n, bit 6 for way n+8.
func (h *head) candidates(sig uint64) uint64 {
	return zeroBytes(h.signatures[0]^sig) | zeroBytes(h.signatures[1]^sig)>>1
}

// lowest is the way of the lowest candidate.
func lowest(found uint64) int {
	b := bits.TrailingZeros64(found)
	return b>>3 | ^b&1<<3
}

// way is where a line is in its set, -1 if nowhere.
func (h *head) way(set []key, line uint64) int {
	for found := h.candidates(signature(line)); found != 0; found &= found - 1 {
		if w := lowest(found); w < len(set) && set[w]>>1 == line {
			return w
		}
	}
	return -1
}

// place is the shift of a way in the order.
func place(order uint64, way int) uint {
	x := order ^ uint64(way)*everyFour
	return uint(bits.TrailingZeros64((x-everyFour)&^x&(everyFour<<3))) - 3
}

// toFront moves the way at a place to the front of the order.
func toFront(order uint64, place uint) uint64 {
	before := order & (1<<(place&63) - 1)
	return order&^(16<<(place&63)-1) | before<<4 | order>>(place&63)&15
}

// toBack moves the way at a place to where the next one leaves.
func (c *packed) toBack(order uint64, place uint) uint64 {
	w := order >> place & 15
	behind := order & (16<<c.last - 1) &^ (16<<place - 1)
	return order&^(16<<c.last-1) | order&(1<<place-1) | behind>>4 | w<<c.last
}

func (c *packed) use(keys []key) (int, key) {
	heads, all, ways, mask, onUse := c.heads, c.keys, c.ways, c.mask, c.onUse // in registers
next:
	for i, k := range keys {
		at := k >> 1 & mask
		if mask == 0 {
			at = c.set(k >> 1)
		}
		h, sig := &heads[at], signature(k>>1)
		for found := h.candidates(sig); found != 0; found &= found - 1 {
			w := lowest(found)
			if w >= int(ways) {
				continue
			}
			if here := &all[at*ways+uint64(w)]; *here|1 == k|1 {
				*here |= k
				if onUse {
					h.order = toFront(h.order, place(h.order, w))
				}
				continue next
			}
		}
		return i, c.replace(at, k, sig)
	}
	return len(keys), empty
}

// replace puts a line in the place of the one that leaves a set, and returns that.
func (c *packed) replace(set uint64, k key, sig uint64) (victim key) {
	h := &c.heads[set]
	order, last := h.order, c.last&63
	all := uint64(16)<<last - 1
	w := order >> last & 15
	h.order = order&^all | order<<4&all | w
	ours, s := uint64(0xFF)<<(w&7*8), &h.signatures[w>>3]
	*s = *s&^ours | sig&ours
	here := &c.keys[set*c.ways+w]
	victim, *here = *here, k
	return victim
}

func (c *packed) hit(k key) bool {
	h, set := c.of(k >> 1)
	w := h.way(set, k>>1)
	if w < 0 {
		return false
	}
	set[w] |= k
	if c.onUse {
		h.order = toFront(h.order, place(h.order, w))
	}
	return true
}

func (c *packed) mark(line uint64) bool {
	h, set := c.of(line)
	w := h.way(set, line)
	if w < 0 {
		return false
	}
	set[w] |= 1
	return true
}

func (c *packed) drop(line uint64) key {
	h, set := c.of(line)
	w := h.way(set, line)
	if w < 0 {
		return empty
	}
	k := set[w]
	set[w] = empty
	h.order = c.toBack(h.order, place(h.order, w))
	return k
}
