package spmd

import "spoor/traces/trace"

// gatherLinear has every rank send its block to the root, which takes them in the
// order of ranks.
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

// gatherLinearTraffic: one message with the own block, but from the root.
func gatherLinearTraffic(c Call) Traffic {
	if c.ID == c.Root {
		return Traffic{}
	}
	return Traffic{1, c.Bytes()}
}
