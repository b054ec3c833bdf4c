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
