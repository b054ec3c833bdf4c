package reuse

import "math/bits"

// counts holds the number of live slots above each block. It excludes the open block, the one that still
// gives out slots.
//
// It is a tree of fan-out four over the blocks. A node has, for each of its first three children, the number
// of live slots of the later closed children. These are three fields: of one word, if they fit into 21 bits,
// or of two words. Adding a count below a child takes one multiplication and one addition; removing a slot
// takes one subtraction. Counts that the open nodes do not contain yet are in [closed].
//
// Differs: Mattson's and Olken's trees have one node per line. Here a leaf is 448 slots. A removal climbs
// only to the first node that contains the open block, which is near for recently used lines.
type counts struct {
	narrow [narrowLevels][]uint64
	wide   [wideLevels][][2]uint64
}

// closed has, by height of the open node, the number of live slots of its closed children.
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

// remove removes a live slot of a closed block. It returns the number of live slots in closed blocks above
// it. open is the number of the open block.
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

// above returns the number of live slots in closed blocks above a closed block. open is the number of the
// open block.
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

// close adds a node of the given level that gives out no more slots. Blocks are of level 0. It climbs up to
// the level top.
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
