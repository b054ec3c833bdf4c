package reuse

import "math/bits"

// counts tells how many live slots lie above a block, without those of the open block,
// which is the one that still takes slots.
//
// It is a tree of fan-out four over the blocks. A node says for each of its first three
// children how many live slots the later, closed children have: three fields of a
// word, where they fit into 21 bits, or of two words. Adding c below a child is one multiplication
// and one addition, taking one away is one subtraction. What the open nodes do
// not say yet is in [closed].
//
// Differs: Mattson's and Olken's trees have a node per line; here a leaf is 448 slots,
// and a removal climbs only to the first node that contains the open block, which is
// near for lines used not long ago.
type counts struct {
	narrow [narrowLevels][]uint64
	wide   [wideLevels][][2]uint64
}

// closed is, by height of the open node, how many live slots its closed children have.
type closed [1 + topLevel]uint32

const (
	narrowBits   = 21
	narrowMask   = 1<<narrowBits - 1
	narrowLevels = 6 // 3 * 448 * 4^5 < 2^21
	wideLevels   = 6 // 4^12 blocks are more than maxBlocks
	topLevel     = narrowLevels + wideLevels
)

// earlier[j] has a one in the field of every child before j.
var (
	earlier     = [4]uint64{0, 1, 1 | 1<<narrowBits, 1 | 1<<narrowBits | 1<<(2*narrowBits)}
	earlierWide = [4][2]uint64{{}, {1, 0}, {1 | 1<<32, 0}, {1 | 1<<32, 1}}
)

// reset makes c the counts of n empty blocks.
func (c *counts) reset(n int) {
	for i := range c.narrow {
		n = n/4 + 1
		c.narrow[i] = zeroed(c.narrow[i], n)
	}
	for i := range c.wide {
		n = n/4 + 1
		c.wide[i] = zeroed(c.wide[i], n)
	}
}

func zeroed[T any](s []T, n int) []T {
	if len(s) != n {
		return make([]T, n)
	}
	clear(s)
	return s
}

// remove takes one live slot away from a closed block and returns how many live slots
// lie in closed blocks above it. The open block is given too.
func (c *counts) remove(block, open uint32, at *closed) uint32 {
	levels := (bits.Len32(block^open) + 1) / 2
	at[levels]--
	j := block & 3
	block >>= 2
	node := &c.narrow[0][block]
	d := uint32(*node>>(narrowBits*j)) & narrowMask
	*node -= earlier[j]
	for i := 1; i < min(levels, narrowLevels); i++ {
		j = block & 3
		block >>= 2
		node := &c.narrow[i][block]
		d += at[i] + uint32(*node>>(narrowBits*j))&narrowMask
		*node -= earlier[j]
	}
	for i := narrowLevels; i < levels; i++ {
		j = block & 3
		block >>= 2
		node := &c.wide[i-narrowLevels][block]
		d += at[i] + uint32(node[j>>1]>>(32*(j&1)))
		node[0] -= earlierWide[j][0]
		node[1] -= earlierWide[j][1]
	}
	return d
}

// above is how many live slots lie in closed blocks above a closed block. The open block is given too.
func (c *counts) above(block, open uint32, at *closed) (d uint32) {
	for i := range (bits.Len32(block^open) + 1) / 2 {
		j := block & 3
		block >>= 2
		d += at[i]
		if i < narrowLevels {
			d += uint32(c.narrow[i][block]>>(narrowBits*j)) & narrowMask
		} else {
			d += uint32(c.wide[i-narrowLevels][block][j>>1] >> (32 * (j & 1)))
		}
	}
	return d
}

// close adds a node of the given level that has stopped taking slots: a block is of level 0.
// It climbs to the level top at most.
func (c *counts) close(level, top int, number, live uint32, at *closed) {
	n := uint64(live)
	for i := level; i < top; i++ {
		j := number & 3
		number >>= 2
		if i < narrowLevels {
			c.narrow[i][number] += n * earlier[j]
		} else {
			node := &c.wide[i-narrowLevels][number]
			node[0] += n * earlierWide[j][0]
			node[1] += n * earlierWide[j][1]
		}
		at[i+1] += uint32(n)
		if j != 3 || i+1 == top {
			return
		}
		n = uint64(at[i+1])
		at[i+1] = 0
	}
}
