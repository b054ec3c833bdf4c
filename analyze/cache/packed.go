package cache

import "math/bits"

// packed is sets of few ways, LRU or FIFO, whose order and signatures are words: nothing is
// searched or moved one by one, and a use costs the same wherever its line is in the order.
//
// A set is the order, two words of signatures, and the keys by way. The order has the ways in the
// order in which they leave, four bits each: the lowest is the last to leave. Ways that a set
// does not have stay above. A signature is eight bits of a hash of the line, so that one subtraction
// compares eight of them; what it finds is held to the key, so a false match costs time only.
type packed struct {
	geometry
	words  []uint64
	stride uint64 // words of a set
	last   uint   // shift of the way in the order that leaves next
	onUse  bool   // a use moves a line to the front: LRU
}

const (
	packedWays = 16 // the most: 64 bits of four each
	header     = 3
	inOrder    = 0xFEDCBA9876543210
	everyByte  = 0x0101010101010101
	everyFour  = 0x1111111111111111
)

func newPacked(g geometry, onUse bool) *packed {
	c := &packed{geometry: g, stride: header + g.ways, last: uint(4 * (g.ways - 1)), onUse: onUse}
	c.words = make([]uint64, g.sets*c.stride)
	for s := range g.sets {
		set := c.words[s*c.stride:][:c.stride]
		set[0] = inOrder
		for w := header; w < len(set); w++ {
			set[w] = empty
		}
	}
	return c
}

// of is the set of a line.
func (c *packed) of(line uint64) []uint64 {
	return c.words[c.set(line)*c.stride:][:c.stride]
}

// signature is that of a line, in every byte.
func signature(line uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	return line * golden >> 56 * everyByte
}

// zeroBytes has the highest bit of every byte of x that is zero, and perhaps of some above the lowest of those.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & (everyByte << 7) }

// candidates is the ways with a signature: bit 7 of byte n for way n, bit 6 for way n+8.
func candidates(set []uint64, sig uint64) uint64 {
	return zeroBytes(set[1]^sig) | zeroBytes(set[2]^sig)>>1
}

// lowest is the way of the lowest candidate.
func lowest(found uint64) int {
	b := bits.TrailingZeros64(found)
	return b>>3 | ^b&1<<3
}

// way is where a line is in its set, -1 if nowhere.
func way(set []uint64, line uint64) int {
	for found := candidates(set, signature(line)); found != 0; found &= found - 1 {
		w := lowest(found)
		if at := header + w; at < len(set) && set[at]>>1 == line {
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
	words, stride, mask, onUse := c.words, c.stride, c.mask, c.onUse // in registers
next:
	for i, k := range keys {
		at := k >> 1 & mask
		if mask == 0 {
			at = c.set(k >> 1)
		}
		set := words[at*stride:][:stride]
		sig := signature(k >> 1)
		for found := candidates(set, sig); found != 0; found &= found - 1 {
			w := lowest(found)
			at := header + w
			if at < len(set) && set[at]|1 == k|1 {
				set[at] |= k
				if onUse {
					set[0] = toFront(set[0], place(set[0], w))
				}
				continue next
			}
		}
		return i, c.replace(set, k, sig)
	}
	return len(keys), empty
}

// replace puts a line in the place of the one that leaves, and returns that.
func (c *packed) replace(set []uint64, k key, sig uint64) (victim key) {
	order, last := set[0], c.last&63
	all := uint64(16)<<last - 1
	w := order >> last & 15
	set[0] = order&^all | order<<4&all | w
	ours := uint64(0xFF) << (w & 7 * 8)
	set[1+w>>3] = set[1+w>>3]&^ours | sig&ours
	victim = set[header+w]
	set[header+w] = k
	return victim
}

func (c *packed) hit(k key) bool {
	set := c.of(k >> 1)
	w := way(set, k>>1)
	if w < 0 {
		return false
	}
	set[header+w] |= k
	if c.onUse {
		set[0] = toFront(set[0], place(set[0], w))
	}
	return true
}

func (c *packed) mark(line uint64) bool {
	set := c.of(line)
	w := way(set, line)
	if w < 0 {
		return false
	}
	set[header+w] |= 1
	return true
}

func (c *packed) drop(line uint64) key {
	set := c.of(line)
	w := way(set, line)
	if w < 0 {
		return empty
	}
	k := set[header+w]
	set[header+w] = empty
	set[0] = c.toBack(set[0], place(set[0], w))
	return k
}
