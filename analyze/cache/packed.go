package cache

import (
	"encoding/binary"
	"math/bits"

	"spoor/analyze/cache/internal/index"
)

// packed simulates sets of few ways, LRU or FIFO. The order and the signatures of a set are single
// words. No way is searched or moved one by one, so the cost of a use does not depend on the
// position of the line.
//
// The order lists the ways, four bits each, in eviction order: the lowest is the last to be
// evicted. Bits above the ways of a set may have any value. A signature is eight bits of a hash of
// the line, so that one subtraction compares eight signatures. The key confirms each match, so a
// false match costs only time.
type packed struct {
	geometry
	all   []packedSet
	last  uint // shift of the way in the order that is evicted next
	onUse bool // LRU: a use moves the line to the front

	hits    bool   // most recent uses were hits
	touched uint64 // see touch
}

// packedSet is one set. Its order and signatures are all that most misses need. They lie in one
// line of the host's caches.
type packedSet struct {
	order      uint64
	signatures [packedWays]uint8
	keys       [packedWays]key // empty where there is no way
	_          uint64
}

const (
	packedWays = 16      // the maximum: 64 bits hold 16 ways of four bits
	nearSets   = 1 << 10 // this many sets fit the host's caches
	inOrder    = 0xFEDCBA9876543210
	everyByte  = 0x0101010101010101
	everyFour  = 0x1111111111111111
)

func newPacked(g geometry, onUse bool) *packed {
	c := &packed{geometry: g, all: make([]packedSet, g.sets), last: uint(4 * (g.ways - 1)), onUse: onUse}
	first := packedSet{order: inOrder}
	for w := range first.keys {
		first.keys[w] = empty
	}
	for s := range c.all {
		c.all[s] = first
	}
	return c
}

// signature returns the signature of a line.
func signature(line uint64) uint8 {
	return uint8(line * index.HashFactor >> 54)
}

// zeroBytes returns the highest bit of every byte of x that is zero, and perhaps of some bytes
// above the lowest of those.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & (everyByte << 7) }

// matches returns the highest bit of the byte of every way with a signature, for the first eight
// ways and the others. Bits above the lowest match may be false matches. The lower bits of each
// byte mean nothing.
func (s *packedSet) matches(sig uint8) (low, high uint64) {
	all := uint64(sig) * everyByte
	low, high = binary.LittleEndian.Uint64(s.signatures[:8])^all, binary.LittleEndian.Uint64(s.signatures[8:])^all
	return (low - everyByte) &^ low, (high - everyByte) &^ high
}

// merged combines the results of matches into one word: bit 7 of byte n for way n, bit 6 for way
// n+8.
func merged(low, high uint64) uint64 { return low&(everyByte<<7) | high>>1&(everyByte<<6) }

// candidates returns the ways with a signature.
func (s *packedSet) candidates(sig uint8) uint64 { return merged(s.matches(sig)) }

// lowest returns the way of the lowest candidate.
func lowest(found uint64) uint64 {
	b := uint64(bits.TrailingZeros64(found))
	return b>>3 | ^b&1<<3
}

// way returns the candidate that has a line, or -1.
func (s *packedSet) way(found, line uint64) int {
	for ; found != 0; found &= found - 1 {
		if w := lowest(found) & (packedWays - 1); s.keys[w]>>1 == line {
			return int(w)
		}
	}
	return -1
}

// find returns the set of a line and its way, or -1.
func (c *packed) find(line uint64) (set *packedSet, way int) {
	set = &c.all[c.set(line)]
	return set, set.way(set.candidates(signature(line)), line)
}

// place returns the shift of a way in the order.
func place(order uint64, way int) uint {
	x := order ^ uint64(way)*everyFour
	return uint(bits.TrailingZeros64((x-everyFour)&^x&(everyFour<<3))) - 3
}

// toFront moves the way at a position to the front of the order.
func toFront(order uint64, place uint) uint64 {
	before := order & (1<<(place&63) - 1)
	return order&^(16<<(place&63)-1) | before<<4 | order>>(place&63)&15
}

// toBack moves the way at a position to the place where it is evicted next, the last one.
func toBack(order uint64, place, last uint) uint64 {
	w := order >> place & 15
	behind := order & (16<<last - 1) &^ (16<<place - 1)
	return order&^(16<<last-1) | order&(1<<place-1) | behind>>4 | w<<last
}

// touch loads a word of each of the host's cache lines that contain sets, so that the loads
// overlap.
func (c *packed) touch(keys []key) {
	var touched uint64
	all, mask := c.all, c.mask
	for _, k := range keys {
		set := &all[k>>1&mask]
		touched += set.order + set.keys[6] + set.keys[13]
	}
	c.touched += touched // or the compiler drops the loads
}

func (c *packed) use(keys []key, out []miss) (used, missed int) {
	if c.hits && len(c.all) > nearSets {
		c.touch(keys[:min(len(keys), len(out))])
	}
	all, mask, last := c.all, c.mask, c.last&63 // in registers
	for i, k := range keys {
		if missed >= len(out) {
			return i, missed
		}
		at := k >> 1 & mask
		if mask == 0 && c.odd() {
			at = k &^ back >> 1 % c.sets
		}
		set, sig := &all[at], signature(k>>1)
		low, high := set.matches(sig)
		if k >= back { // decided before memory answers
			if w := set.way(merged(low, high), k&^back>>1); w >= 0 {
				set.keys[w&(packedWays-1)] |= 1
				continue
			}
			out[missed] = miss{i, empty}
			missed++
			continue
		}
		if (low|high)&(everyByte<<7) != 0 {
			if w := set.way(merged(low, high), k>>1); w >= 0 {
				set.keys[w&(packedWays-1)] |= k
				if c.onUse {
					set.order = toFront(set.order, place(set.order, w))
				}
				continue
			}
		}
		order := set.order
		w := order >> last & 15
		out[missed] = miss{i, set.keys[w]}
		missed++
		set.order = order<<4 | w
		set.signatures[w] = sig
		set.keys[w] = k
	}
	c.hits = 2*missed < len(keys)
	return len(keys), missed
}

// fill loads a line and returns the line that it replaces.
func (c *packed) fill(k key) (victim key) {
	set := &c.all[c.set(k>>1)]
	w := set.order >> c.last & 15
	set.order = toFront(set.order, c.last)
	set.signatures[w] = signature(k >> 1)
	victim, set.keys[w] = set.keys[w], k
	return victim
}

func (c *packed) hit(k key) bool {
	set, w := c.find(k >> 1)
	if w < 0 {
		return false
	}
	set.keys[w] |= k
	if c.onUse {
		set.order = toFront(set.order, place(set.order, w))
	}
	return true
}

func (c *packed) mark(line uint64) bool {
	set, w := c.find(line)
	if w < 0 {
		return false
	}
	set.keys[w] |= 1
	return true
}

func (c *packed) drop(line uint64) key {
	set, w := c.find(line)
	if w < 0 {
		return empty
	}
	k := set.keys[w]
	set.keys[w] = empty
	set.order = toBack(set.order, place(set.order, w), c.last)
	return k
}
