package comm

import (
	"math/bits"

	"spoor/traces/trace"
)

// SMPI does collectives as SMPI of SimGrid 3.32 does without options, in replays of its traces:
//
//	barrier                  star to the first member, and back
//	bcast                    binomial tree of members by their distance from the root
//	reduce, gather, scatter  star
//	allreduce                star to the first member, and the tree back
//	scan                     from each member to all after it, at once
//	allgather                all at once
//	alltoall                 Bruck, pairs of members that differ in the bits of a number, or all at once: see alltoallLimits
//
// Differs: SMPI fails if it chooses pairs and the number of members is no power of two; here all are at once then. SMPI
// does alltoall with different counts all at once. An event has the sum of the counts of a member, so only different
// sums show that.
const SMPI Algorithm = "smpi"

// alltoallLimits are the bytes from which SMPI no longer chooses Bruck's algorithm for alltoall, and those from which it
// chooses pairs, by the number of members. Between both, and from pairsEnd on, all are at once.
var alltoallLimits = []struct {
	members                int // fewer than these
	bruck, pairs, pairsEnd int64
	least                  int64 // of Bruck's algorithm
}{
	{8, 0, 512 << 10, 1 << 20, 0}, {16, 0, never, never, 0}, {32, 512, never, never, 4}, {64, 512, never, never, 0},
	{128, 1 << 10, 256 << 10, never, 0}, {256, 1 << 10, 256 << 10, never, 0}, {512, 1 << 10, 32 << 10, never, 0},
	{1 << 10, 512, 256 << 10, never, 0}, {2 << 10, 512, never, never, 0}, {4 << 10, 1 << 10, never, never, 0}, {1 << 62, 2 << 10, never, never, 0},
}

// never is more bytes than any message has.
const never = int64(1) << 62

// smpiAllToAll is alltoall of SMPI.
func (c *call) smpiAllToAll() {
	n := len(c.bytes)
	block := c.bytes[0] / int64(n)
	for _, b := range c.bytes {
		if b != c.bytes[0] {
			c.allAtOnce()
			return
		}
	}
	for _, l := range alltoallLimits {
		switch {
		case n >= l.members:
			continue
		case block >= l.least && block < l.bruck:
			c.bruckAll()
		case block >= l.pairs && block < l.pairsEnd && bits.OnesCount(uint(n)) == 1:
			c.bitPairs()
		default:
			c.allAtOnce()
		}
		return
	}
}

// bitPairs sends a message between every two members, with a round for each difference of their bits.
func (c *call) bitPairs() {
	n := len(c.bytes)
	for far := 1; far < n; far++ {
		for i := range n {
			c.send(c.round, i, i^far, share(c.bytes[i], i^far, n))
		}
		c.round++
	}
}

// distanceTree is the binomial tree of members by their distance from the root.
func (c *call) distanceTree() {
	n := len(c.bytes)
	for far := 1 << bits.Len(uint(n-1)) / 2; far > 0; far /= 2 {
		for i := 0; i+far < n; i += 2 * far {
			c.send(c.round, (c.root+i)%n, (c.root+i+far)%n, c.bytes[c.root])
		}
		c.round++
	}
}

// starAndTree is allreduce of SMPI.
func (c *call) starAndTree() {
	c.root = 0
	c.starUp()
	c.distanceTree()
}

// toLater sends the data of each member to all after it.
func (c *call) toLater() {
	for i := range c.bytes {
		for to := i + 1; to < len(c.bytes); to++ {
			c.send(c.round, i, to, c.bytes[i])
		}
	}
}

// toAll sends the data of each member to all others.
func (c *call) toAll() {
	for i := range c.bytes {
		for to := range c.bytes {
			if to != i {
				c.send(c.round, i, to, c.bytes[i])
			}
		}
	}
}

// smpiPlans are how SMPI does each collective.
var smpiPlans = map[trace.Kind]func(*call){
	trace.Barrier: (*call).starTwice, trace.Bcast: (*call).distanceTree, trace.Reduce: (*call).starUp, trace.AllReduce: (*call).starAndTree,
	trace.Scan: (*call).toLater, trace.Gather: (*call).starUp, trace.AllGather: (*call).toAll, trace.Scatter: (*call).starDown,
	trace.AllToAll: (*call).smpiAllToAll,
}
