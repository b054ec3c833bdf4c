package spmd

import "spoor/traces/trace"

// allGatherRing passes blocks around the ring, between neighbours only. It takes P-1 rounds.
func allGatherRing[T any](c *Comm, in, out []T) {
	copy(out[c.index*len(in):], in)
	ringOfPieces(c, trace.AllGather, out)
}

// allGatherRingTraffic: P-1 messages of one block.
func allGatherRingTraffic(c Call) Traffic {
	n := int64(c.Procs - 1)
	return Traffic{n, n * c.Bytes()}
}
