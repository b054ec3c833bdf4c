package spmd

import "math/bits"

// A binomial tree here is made of aligned blocks of ranks: two blocks of 2^k ranks
// from a multiple of 2^(k+1) on make one of 2^(k+1), and the last blocks are cut at
// the number of ranks. Every block has a leader: the root if it is in the block, else
// the lowest rank of it. The root therefore leads the whole, and yet every block is
// ranks in order, whatever the root: reductions combine neighbours, and blocks of
// data lie side by side.
//
// Differs: MPICH numbers ranks from the root, so that what lies side by side
// depends on the root; only operations that commute may be combined that way.

// role is what a rank does when two blocks become one.
type role uint8

const (
	idle   role = iota // leads neither, or there is no second block
	parent             // leads both from now on
	child              // led one
)

// join is what rank me does when blocks of size ranks become twice as large, and
// with whom.
func join(procs, root, me, size int) (mate int, as role) {
	lower := me &^ (2*size - 1)
	upper := lower + size
	if upper >= procs {
		return 0, idle
	}
	a, b := leader(lower, size, root), leader(upper, size, root)
	switch {
	case me != a && me != b:
		return 0, idle
	case me == leader(lower, 2*size, root):
		return a + b - me, parent
	default:
		return a + b - me, child
	}
}

// leader is who leads the block of size ranks from base on.
func leader(base, size, root int) int {
	if base <= root && root < base+size {
		return root
	}
	return base
}

// blockOf is the ranks lo..hi-1 of the block that a rank is in.
func blockOf(procs, rank, size int) (lo, hi int) {
	lo = rank &^ (size - 1)
	return lo, min(lo+size, procs)
}

// halfOf is the size of the blocks that become all of procs ranks; 0 for one rank.
func halfOf(procs int) int { return 1 << log2Ceil(procs) >> 1 }

// log2Ceil is the least k with 2^k >= n, for n from 1.
func log2Ceil(n int) int { return bits.Len(uint(n - 1)) }

// log2Floor is the greatest k with 2^k <= n, for n from 1.
func log2Floor(n int) int { return bits.Len(uint(n)) - 1 }

// ledBy is the closed form of the tree: log2 of the largest block that a rank
// other than the root leads, before it is cut, which is the largest power of two that
// divides the rank and does not reach the root, or all ranks.
func (c Call) ledBy() int {
	k := log2Ceil(c.Procs)
	if c.ID > 0 {
		k = bits.TrailingZeros(uint(c.ID))
	}
	if c.ID < c.Root {
		k = min(k, log2Floor(c.Root-c.ID))
	}
	return k
}

// ranksLed is the size of that block, cut at the number of ranks.
func (c Call) ranksLed() int64 {
	if c.ID == c.Root {
		return int64(c.Procs)
	}
	return int64(min(1<<c.ledBy(), c.Procs-c.ID))
}

// children is how many blocks join those that the rank leads:
//
//	rank r, not the root:  min(k, ceil(log2(P-r)))              with k = ledBy
//	root r:                the k < ceil(log2 P) with (floor(r/2^k) xor 1) 2^k < P
func (c Call) children() int64 {
	if c.ID != c.Root {
		return int64(min(c.ledBy(), log2Ceil(c.Procs-c.ID)))
	}
	n := int64(0)
	for k := range log2Ceil(c.Procs) {
		if (c.Root>>k^1)<<k < c.Procs {
			n++
		}
	}
	return n
}

// Bytes is Count times Size.
func (c Call) Bytes() int64 { return c.Count * c.Size }
