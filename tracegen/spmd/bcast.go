package spmd

import "spoor/traces/trace"

// bcastScatterRing cuts data into P pieces, sends each to its owner down the binomial tree, and passes them around
// the ring. That takes P-1 rounds more than the binomial tree. But no rank sends much more than twice the length of
// data: once down the tree (the root) and once around the ring.
func bcastScatterRing[T any](c *Comm, root int, data []T) {
	for size := halfOf(c.size); size > 0; size /= 2 {
		switch mate, as := join(c.size, root, c.index, size); as {
		case child:
			fetch(c, trace.Bcast, mate, piecesOf(data, c.size, c.index, size))
		case parent:
			Send(c, mate, int(trace.Bcast), piecesOf(data, c.size, mate, size))
		}
	}
	ringOfPieces(c, trace.Bcast, data)
}

// piecesOf returns the pieces of data for the block that contains rank.
func piecesOf[T any](data []T, procs, rank, size int) []T {
	lo, hi := blockOf(procs, rank, size)
	from, _ := Share(len(data), procs, lo)
	_, to := Share(len(data), procs, hi-1)
	return data[from:to]
}

// bcastScatterRingTraffic: let there be n elements of s bytes, s_i bytes in piece i, and let rank r lead ranks
// r..e-1 (the root leads all). Rank r sends children(r) + P-1 messages. Their bytes are
//
//	s_r+1 + ... + s_e-1 (root: s n - s_r) + s n - s_(r+1 mod P)
func bcastScatterRingTraffic(c Call) Traffic {
	down := c.Bytes() - c.pieceBytes(c.ID)
	if c.ID != c.Root {
		down = 0
		if end := c.ID + int(c.ranksLed()); end > c.ID+1 {
			down = c.rangeBytes(c.ID+1, end)
		}
	}
	t := c.ringTraffic()
	return Traffic{c.children() + t.Messages, down + t.Bytes}
}

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
