package comm

import (
	"math/bits"
	"slices"

	"spoor/traces/trace"
)

// block returns the bytes of the blocks of members lo to hi-1.
func (c *call) block(lo, hi int) (sum int64) {
	for _, n := range c.bytes[lo:hi] {
		sum += n
	}
	return sum
}

// led returns the bytes that member i passes up, or receives from above, if it leads members lo to
// hi-1: all their blocks, or data whose length does not depend on the number of members.
func (c *call) led(i, lo, hi int) int64 {
	switch c.kind {
	case trace.Gather, trace.Scatter, trace.AllGather:
		return c.block(lo, hi)
	}
	return c.bytes[i]
}

// down returns the bytes that the root passes down to the leader of members lo to hi-1.
func (c *call) down(lo, hi int) int64 {
	switch c.kind {
	case trace.Scatter:
		return c.block(lo, hi)
	case trace.AllGather:
		return c.block(0, len(c.bytes))
	}
	return c.bytes[c.root]
}

func (c *call) starUp() {
	for i, n := range c.bytes {
		if i != c.root {
			c.send(c.round, i, c.root, n)
		}
	}
	c.round++
}

func (c *call) starDown() {
	for i := range c.bytes {
		if i != c.root {
			c.send(c.round, c.root, i, c.down(i, i+1))
		}
	}
	c.round++
}

func (c *call) starTwice() {
	c.root = 0
	c.starUp()
	c.starDown()
}

// lead returns the leader of a block of members. The trees join aligned blocks of 1, 2, 4, ...
// members into blocks of twice the size. The root leads the blocks that contain it; the first
// member leads any other.
func (c *call) lead(base, size int) int {
	if base <= c.root && c.root < base+size {
		return c.root
	}
	return base
}

// join calls pair for every two blocks of size members that become one: with the leader of both,
// the leader of the other block, and the members of that block.
func (c *call) join(size int, pair func(parent, child, lo, hi int)) {
	for base := 0; base+size < len(c.bytes); base += 2 * size {
		parent, lo := c.lead(base, 2*size), base+size
		if parent >= lo {
			lo = base
		}
		pair(parent, c.lead(lo, size), lo, min(lo+size, len(c.bytes)))
	}
	c.round++
}

func (c *call) treeUp() {
	for size := 1; size < len(c.bytes); size *= 2 {
		c.join(size, func(parent, child, lo, hi int) { c.send(c.round, child, parent, c.led(child, lo, hi)) })
	}
}

func (c *call) treeDown() {
	for size := 1 << bits.Len(uint(len(c.bytes)-1)) / 2; size > 0; size /= 2 {
		c.join(size, func(parent, child, lo, hi int) { c.send(c.round, parent, child, c.down(lo, hi)) })
	}
}

func (c *call) treeTwice() {
	c.root = 0
	c.treeUp()
	c.treeDown()
}

func (c *call) dissemination() {
	n := len(c.bytes)
	for far := 1; far < n; far *= 2 {
		for i := range n {
			c.send(c.round, i, (i+far)%n, 0)
		}
		c.round++
	}
}

// doubling is recursive doubling. Members beyond a power of two first send to their neighbours, and
// receive the result at the end.
func (c *call) doubling() {
	n := len(c.bytes)
	power := 1 << (bits.Len(uint(n)) - 1)
	extra := n - power
	member := func(number int) int {
		if number < extra {
			return 2*number + 1
		}
		return number + extra
	}
	for i := range extra {
		c.send(c.round, 2*i, 2*i+1, c.bytes[2*i])
	}
	c.round++
	for far := 1; far < power; far *= 2 {
		for i := range power {
			c.send(c.round, member(i), member(i^far), c.bytes[member(i)])
		}
		c.round++
	}
	for i := range extra {
		c.send(c.round, 2*i+1, 2*i, c.bytes[2*i+1])
	}
}

func (c *call) chain() {
	for i := range len(c.bytes) - 1 {
		c.send(c.round, i, i+1, c.bytes[i])
		c.round++
	}
}

func (c *call) scanDoubling() {
	for far := 1; far < len(c.bytes); far *= 2 {
		for i := range len(c.bytes) - far {
			c.send(c.round, i, i+far, c.bytes[i])
		}
		c.round++
	}
}

// bruckGather lets every member collect the blocks of 1, 2, 4, ... members from its own on.
func (c *call) bruckGather() {
	n := len(c.bytes)
	before := make([]int64, 2*n+1) // bytes of the blocks before each member, twice around
	for i := range 2 * n {
		before[i+1] = before[i] + c.bytes[i%n]
	}
	for far := 1; far < n; far *= 2 {
		blocks := min(far, n-far)
		for i := range n {
			c.send(c.round, i, (i+n-far)%n, before[i+blocks]-before[i])
		}
		c.round++
	}
}

func (c *call) ringGather() {
	n := len(c.bytes)
	for round := range n - 1 {
		for i := range n {
			c.send(c.round, i, (i+1)%n, c.bytes[(i+n-round)%n])
		}
		c.round++
	}
}

// share returns the bytes of piece i of n, with i modulo n.
func share(data int64, i, n int) int64 {
	i = (i + n) % n
	whole, rest := data/int64(n), data%int64(n)
	return whole + rest*int64(i+1)/int64(n) - rest*int64(i)/int64(n)
}

// ringOfPieces passes the pieces around the ring. Each starts at the member whose number is behind
// higher.
func (c *call) ringOfPieces(data int64, behind int) {
	n := len(c.bytes)
	for round := range n - 1 {
		for i := range n {
			c.send(c.round, i, (i+1)%n, share(data, i+n-round-behind, n))
		}
		c.round++
	}
}

func (c *call) ringTwice() {
	data := slices.Max(c.bytes)
	c.ringOfPieces(data, 1)
	c.ringOfPieces(data, 0)
}

// scatterRing sends every member its piece along the tree, and then passes the pieces around the
// ring.
func (c *call) scatterRing() {
	n, data := len(c.bytes), c.bytes[c.root]
	pieces := call{kind: trace.Scatter, root: c.root, bytes: make([]int64, n), send: c.send}
	for i := range n {
		pieces.bytes[i] = share(data, i, n)
	}
	pieces.treeDown()
	c.round = pieces.round
	c.ringOfPieces(data, 0)
}

// allAtOnce sends a message from every member to every other one.
func (c *call) allAtOnce() {
	n := len(c.bytes)
	for far := 1; far < n; far++ {
		for i := range n {
			c.send(c.round, i, (i+far)%n, share(c.bytes[i], (i+far)%n, n))
		}
	}
}

// pairs does the same with a round for each distance.
func (c *call) pairs() {
	n := len(c.bytes)
	for far := 1; far < n; far++ {
		for i := range n {
			c.send(c.round, i, (i+far)%n, share(c.bytes[i], (i+far)%n, n))
		}
		c.round++
	}
}

// bruckAll moves every block by the bits of its distance.
//
// Differs: if members have different lengths, a member is assumed to pass on blocks of its own mean
// length.
func (c *call) bruckAll() {
	n := len(c.bytes)
	for far := 1; far < n; far *= 2 {
		blocks := n/(2*far)*far + max(0, n%(2*far)-far) // numbers below n that have the bit
		for i := range n {
			c.send(c.round, i, (i+far)%n, c.bytes[i]/int64(n)*int64(blocks)+c.bytes[i]%int64(n)*int64(blocks)/int64(n))
		}
		c.round++
	}
}
