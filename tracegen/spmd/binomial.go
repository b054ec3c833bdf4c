package spmd

import "math/bits"

// A binomial tree here consists of aligned blocks of ranks. Two blocks of 2^k ranks that start at a multiple of
// 2^(k+1) form one block of 2^(k+1). The last blocks end at the number of ranks. The leader of a block is the root,
// if the block contains it, else the block's lowest rank. So the root leads all ranks, and yet a block is always a
// range of ranks. Therefore reductions combine neighbours, and blocks of data are contiguous, for any root.
//
// Differs: MPICH numbers ranks from the root, so neighbours in the tree depend on the root. Then only operations
// that commute may be combined in that order.

// role is the part of a rank when two blocks are joined.
type role uint8

const (
	idle   role = iota // leads neither block, or there is no second block
	parent             // leads the joined block
	child              // led one of the two blocks
)

// join returns the role of rank me when blocks of size ranks are joined in pairs, and the other leader of its pair.
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

// leader returns the leader of the block of size ranks that starts at base.
func leader(base, size, root int) int {
	if base <= root && root < base+size {
		return root
	}
	return base
}

// blockOf returns the ranks lo..hi-1 of the block that contains rank.
func blockOf(procs, rank, size int) (lo, hi int) {
	lo = rank &^ (size - 1)
	return lo, min(lo+size, procs)
}

// halfOf returns the size of the two blocks that form all procs ranks, or 0 for one rank.
func halfOf(procs int) int { return 1 << log2Ceil(procs) >> 1 }

// log2Ceil returns the least k with 2^k >= n, for n >= 1.
func log2Ceil(n int) int { return bits.Len(uint(n - 1)) }

// log2Floor returns the greatest k with 2^k <= n, for n >= 1.
func log2Floor(n int) int { return bits.Len(uint(n)) - 1 }

// log2Led returns the closed form of the tree: log2 of the largest block that a rank other than the root leads,
// before the block is cut at the number of ranks. The block is all ranks or the largest power of two that divides
// the rank and does not include the root.
func (c Call) log2Led() int {
	k := log2Ceil(c.Procs)
	if c.ID > 0 {
		k = bits.TrailingZeros(uint(c.ID))
	}
	if c.ID < c.Root {
		k = min(k, log2Floor(c.Root-c.ID))
	}
	return k
}

// ranksLed returns the size of that block, cut at the number of ranks.
func (c Call) ranksLed() int64 {
	if c.ID == c.Root {
		return int64(c.Procs)
	}
	return int64(min(1<<c.log2Led(), c.Procs-c.ID))
}

// children returns the number of blocks that join those that the rank leads:
//
//	rank r, not the root:  min(k, ceil(log2(P-r)))              with k = log2Led
//	root r:                the k < ceil(log2 P) with (floor(r/2^k) xor 1) 2^k < P
func (c Call) children() int64 {
	if c.ID != c.Root {
		return int64(min(c.log2Led(), log2Ceil(c.Procs-c.ID)))
	}
	n := int64(0)
	for k := range log2Ceil(c.Procs) {
		if (c.Root>>k^1)<<k < c.Procs {
			n++
		}
	}
	return n
}

// Bytes returns Count times Size.
func (c Call) Bytes() int64 { return c.Count * c.Size }
