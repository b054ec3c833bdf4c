package reuse

import "math/bits"

// counts tells how many live slots lie above a block, without those of the open block,
// which is the one that still takes slots.
//
// It is a tree of fan-out four over the blocks. A node says for each of its first three
// children how many live slots the later, closed children have: three fields of a
// word, where they fit into 21 bits, or of two words. Adding c below a child is one multiplication
// and one addition, taking one away is one subtraction. What the open nodes do
// not say yet is in closed.
//
// Differs: Mattson's and Olken's trees have a node per line; here a leaf is 448 slots,
// and a removal climbs only to the first node that contains the open block, which is
// near for lines used not long ago.
type counts struct {
	narrow [narrowLevels][]uint64
	wide   [wideLevels][][2]uint64
	closed [1 + narrowLevels + wideLevels]uint32 // by height of the open node: live slots in its closed children
}

const (
	narrowBits   = 21
	narrowMask   = 1<<narrowBits - 1
	narrowLevels = 6 // 3 * 448 * 4^5 < 2^21
	wideLevels   = 6 // 4^12 blocks are more than maxBlocks
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
	clear(c.closed[:])
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
func (c *counts) remove(block, open uint32) uint32 {
	levels := (bits.Len32(block^open) + 1) / 2
	c.closed[levels]--
	j := block & 3
	block >>= 2
	node := &c.narrow[0][block]
	d := uint32(*node>>(narrowBits*j)) & narrowMask
	*node -= earlier[j]
	for i := 1; i < min(levels, narrowLevels); i++ {
		j = block & 3
		block >>= 2
		node := &c.narrow[i][block]
		d += c.closed[i] + uint32(*node>>(narrowBits*j))&narrowMask
		*node -= earlier[j]
	}
	for i := narrowLevels; i < levels; i++ {
		j = block & 3
		block >>= 2
		node := &c.wide[i-narrowLevels][block]
		d += c.closed[i] + uint32(node[j>>1]>>(32*(j&1)))
		node[0] -= earlierWide[j][0]
		node[1] -= earlierWide[j][1]
	}
	return d
}

// closeBlock adds a block that has stopped taking slots.
func (c *counts) closeBlock(block, live uint32) {
	n := uint64(live)
	for i := range len(c.closed) - 1 {
		j := block & 3
		block >>= 2
		if i < narrowLevels {
			c.narrow[i][block] += n * earlier[j]
		} else {
			node := &c.wide[i-narrowLevels][block]
			node[0] += n * earlierWide[j][0]
			node[1] += n * earlierWide[j][1]
		}
		c.closed[i+1] += uint32(n)
		if j != 3 {
			return
		}
		n = uint64(c.closed[i+1])
		c.closed[i+1] = 0
	}
}
