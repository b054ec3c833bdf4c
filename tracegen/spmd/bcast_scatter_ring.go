package spmd

import "spoor/traces/trace"

// bcastScatterRing cuts data into P pieces, sends each down the binomial tree to its
// owner, and passes them around the ring: P-1 more rounds, but no rank sends
// much more than twice the length of data (the root and the ring's).
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

// piecesOf is the pieces of data that belong to the block of a rank.
func piecesOf[T any](data []T, procs, rank, size int) []T {
	lo, hi := blockOf(procs, rank, size)
	from, _ := Share(len(data), procs, lo)
	_, to := Share(len(data), procs, hi-1)
	return data[from:to]
}

// bcastScatterRingTraffic: with n elements of s bytes, s_i the bytes of piece i, and
// rank r leading ranks r..e-1 (the root: all), children(r) + P-1 messages of
//
//	s_r+1 + ... + s_e-1 (root: s n - s_r) + s n - s_(r+1 mod P) bytes
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
