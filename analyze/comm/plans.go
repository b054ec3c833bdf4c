package comm

import (
	"math/bits"
	"slices"

	"spoor/traces/trace"
)

// block is the bytes of the blocks of members from lo up to hi.
func (c *call) block(lo, hi int) (sum int64) {
	for _, n := range c.bytes[lo:hi] {
		sum += n
	}
	return sum
}

// led is what member i passes up or gets passed down if it leads members lo up to hi:
// all their blocks, or data that is as long for one as for all.
func (c *call) led(i, lo, hi int) int64 {
	switch c.kind {
	case trace.Gather, trace.Scatter, trace.AllGather:
		return c.block(lo, hi)
	}
	return c.bytes[i]
}

// down is what the root passes down to member i, who leads lo up to hi.
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

// The trees join aligned blocks of members of 1, 2, 4, ... to blocks of twice the size.
// The root leads the blocks that it is in, the first member any other.
func (c *call) lead(base, size int) int {
	if base <= c.root && c.root < base+size {
		return c.root
	}
	return base
}

// join names who leads two blocks of size members that become one, and who led the
// other one, with the members of that.
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

// doubling folds the members beyond a power of two into their neighbours, and unfolds
// them at last.
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

// bruckGather has every member hold the blocks of 1, 2, 4, ... members from its own on.
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

// share is piece i of n of data, counted around.
func share(data int64, i, n int) int64 {
	i = (i + n) % n
	whole, rest := data/int64(n), data%int64(n)
	return whole + rest*int64(i+1)/int64(n) - rest*int64(i)/int64(n)
}

// ringOfPieces passes the pieces around, each from the member that has it: the one so
// many behind its number.
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

// scatterRing hands every member its piece down the tree, and the pieces around.
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

// allAtOnce is a message from every member to every other.
func (c *call) allAtOnce() {
	n := len(c.bytes)
	for far := 1; far < n; far++ {
		for i := range n {
			c.send(c.round, i, (i+far)%n, share(c.bytes[i], (i+far)%n, n))
		}
	}
}

// pairs is the same, each distance in a round of its own.
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
// Differs: where members give unequal lengths, a member is taken to pass on blocks of
// its own mean length.
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
