package cache

import (
	"encoding/binary"
	"math/bits"
)

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
	heads  []head // by set
	keys   []key  // by set and way
	last   uint   // shift of the way in the order that leaves next
	onUse  bool   // a use moves a line to the front: LRU
	exists uint64 // candidates of ways that there are
}

// head is 32 bytes, so that none lies in two lines of the host's caches.
type head struct {
	order      uint64
	signatures [packedWays]uint8
	_          uint64
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
	for w := range g.ways {
		c.exists |= 1 << (w&7*8 + 7 - w>>3)
	}
	return c
}

// of is the set of a line.
func (c *packed) of(line uint64) (*head, []key) {
	s := c.set(line)
	return &c.heads[s], c.keys[s*c.ways:][:c.ways]
}

// signature is that of a line.
func signature(line uint64) uint8 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	return uint8(line * golden >> 54)
}

// zeroBytes has the highest bit of every byte of x that is zero, and perhaps of some above the lowest of those.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & (everyByte << 7) }

// candidates is the ways with a signature: bit 7 of byte n for way n, bit 6 for way n+8.
func (h *head) candidates(sig uint8) uint64 {
	all := uint64(sig) * everyByte
	low, high := binary.LittleEndian.Uint64(h.signatures[:8]), binary.LittleEndian.Uint64(h.signatures[8:])
	return zeroBytes(low^all) | zeroBytes(high^all)>>1
}

// lowest is the way of the lowest candidate.
func lowest(found uint64) uint64 {
	b := uint64(bits.TrailingZeros64(found))
	return b>>3 | ^b&1<<3
}

// way is where a line is in its set, -1 if nowhere.
func (h *head) way(set []key, line uint64) int {
	for found := h.candidates(signature(line)); found != 0; found &= found - 1 {
		if w := lowest(found); w < uint64(len(set)) && set[w]>>1 == line {
			return int(w)
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

func (c *packed) use(keys []key, out []miss) (used, missed int) {
	return useRuns(c, keys, out)
}

// run is use from some key on, up to one whose signature is that of another line. It goes on counting from what
// it is given.
func (c *packed) run(keys []key, out []miss, used, missed int) (int, int) {
	heads, all, ways, mask, last := c.heads, c.keys, c.ways, c.mask, c.last&63 // in registers
	odd := c.odd()
	for ; used < len(keys) && missed < len(out); used++ {
		k := keys[used]
		at := k >> 1 & mask
		if odd {
			at = k &^ back >> 1 % c.sets
		}
		h, sig := &heads[at], signature(k>>1)
		order, found := h.order, h.candidates(sig)&c.exists
		if found == 0 {
			to := &out[missed]
			missed++
			to.at = used
			if k >= back {
				continue
			}
			w := order >> last & 15
			h.order = order>>4>>last<<4<<last | order<<4&(16<<last-1) | w
			h.signatures[w] = sig
			here := &all[at*ways+w]
			to.victim = *here
			*here = k
			continue
		}
		w := lowest(found)
		here := &all[at*ways+w]
		if (*here^k)<<1 > 2 {
			break
		}
		*here |= k &^ back
		if c.onUse && k < back {
			h.order = toFront(order, place(order, int(w)))
		}
	}
	return used, missed
}

// fill takes in a line and returns what it replaces.
func (c *packed) fill(k key) (victim key) {
	h, set := c.of(k >> 1)
	w := h.order >> c.last & 15
	h.order = toFront(h.order, c.last)
	h.signatures[w] = signature(k >> 1)
	victim, set[w] = set[w], k
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
