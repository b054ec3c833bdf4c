package spmd

import "spoor/traces/trace"

// bcastBinomial sends data down the binomial tree, to the largest blocks first. It takes ceil(log2 P) rounds and
// P-1 messages in all.
func bcastBinomial[T any](c *Comm, root int, data []T) {
	for size := halfOf(c.size); size > 0; size /= 2 {
		switch mate, as := join(c.size, root, c.index, size); as {
		case child:
			fetch(c, trace.Bcast, mate, data)
		case parent:
			Send(c, mate, int(trace.Bcast), data)
		}
	}
}

// bcastBinomialTraffic: one message to each child.
func bcastBinomialTraffic(c Call) Traffic {
	n := c.children()
	return Traffic{n, n * c.Bytes()}
}
