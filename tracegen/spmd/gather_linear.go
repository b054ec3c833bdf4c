package spmd

import "spoor/traces/trace"

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
