package spmd

import (
	"slices"

	"spoor/traces/trace"
)

// gatherBinomial collects blocks up the binomial tree. It takes ceil(log2 P) rounds and P-1 messages in all.
func gatherBinomial[T any](c *Comm, root int, in, out []T) {
	n := len(in)
	held := in[:n:n] // blocks of this rank and of the following ranks that it leads; the root keeps all in out
	if c.index == root {
		copy(out[root*n:], in)
	}
	for size := 1; size < c.size; size *= 2 {
		mate, as := join(c.size, root, c.index, size)
		if as == child {
			lo, hi := blockOf(c.size, c.index, size)
			Send(c, mate, int(trace.Gather), held[:(hi-lo)*n])
			return
		}
		if as != parent {
			continue
		}
		lo, hi := blockOf(c.size, mate, size)
		if c.index == root {
			fetch(c, trace.Gather, mate, out[lo*n:hi*n])
			continue
		}
		had := len(held)
		held = slices.Grow(held, (hi-lo)*n)[:had+(hi-lo)*n]
		fetch(c, trace.Gather, mate, held[had:])
	}
}

// gatherBinomialTraffic: one message with the blocks of the ranks led; none from the root.
func gatherBinomialTraffic(c Call) Traffic {
	if c.ID == c.Root {
		return Traffic{}
	}
	return Traffic{1, c.ranksLed() * c.Bytes()}
}

// gatherLinear sends the block of every rank to the root, which receives them in the order of ranks.
func gatherLinear[T any](c *Comm, root int, in, out []T) {
	if c.index != root {
		Send(c, root, int(trace.Gather), in)
		return
	}
	n := len(in)
	for from := range c.size {
		if from == root {
			copy(out[from*n:], in)
		} else {
			fetch(c, trace.Gather, from, out[from*n:(from+1)*n])
		}
	}
}

// gatherLinearTraffic: one message with the rank's own block; none from the root.
func gatherLinearTraffic(c Call) Traffic {
	if c.ID == c.Root {
		return Traffic{}
	}
	return Traffic{1, c.Bytes()}
}
