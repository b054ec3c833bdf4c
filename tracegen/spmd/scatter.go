package spmd

import "spoor/traces/trace"

// scatterLinear sends each rank its block from the root, in the order of ranks.
func scatterLinear[T any](c *Comm, root int, in, out []T) {
	if c.index != root {
		fetch(c, trace.Scatter, root, out)
		return
	}
	n := len(out)
	for to := range c.size {
		if to == root {
			copy(out, in[to*n:])
		} else {
			Send(c, to, int(trace.Scatter), in[to*n:(to+1)*n])
		}
	}
}

// scatterLinearTraffic: P-1 blocks from the root.
func scatterLinearTraffic(c Call) Traffic {
	if c.ID != c.Root {
		return Traffic{}
	}
	n := int64(c.Procs - 1)
	return Traffic{n, n * c.Bytes()}
}

// scatterBinomial sends blocks down the binomial tree, to the largest blocks of ranks first. It takes ceil(log2 P)
// rounds and P-1 messages in all.
func scatterBinomial[T any](c *Comm, root int, in, out []T) {
	n := len(out)
	held, first := in, 0 // held has the blocks of the ranks from first on
	for size := halfOf(c.size); size > 0; size /= 2 {
		switch mate, as := join(c.size, root, c.index, size); as {
		case child:
			lo, hi := blockOf(c.size, c.index, size)
			held, first = make([]T, (hi-lo)*n), lo
			fetch(c, trace.Scatter, mate, held)
		case parent:
			lo, hi := blockOf(c.size, mate, size)
			Send(c, mate, int(trace.Scatter), held[(lo-first)*n:(hi-first)*n])
		}
	}
	copy(out, held[(c.index-first)*n:])
}

// scatterBinomialTraffic: one message to each child, with the blocks of all ranks led except its own.
func scatterBinomialTraffic(c Call) Traffic {
	return Traffic{c.children(), (c.ranksLed() - 1) * c.Bytes()}
}
