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

// Ring algorithms cut data into P pieces; piece i is the Share of rank i.

// piece returns the Share of a rank, modulo the number of ranks.
func piece[T any](data []T, procs, rank int) []T {
	lo, hi := Share(len(data), procs, (rank+2*procs)%procs)
	return data[lo:hi]
}

// ringOfPieces gives every rank the pieces of all ranks in P-1 rounds. First each rank sends its own piece to the
// next rank. In later rounds it sends the piece that it received in the round before.
func ringOfPieces[T any](c *Comm, kind trace.Kind, data []T) {
	next, last := (c.index+1)%c.size, (c.index+c.size-1)%c.size
	for round := range c.size - 1 {
		exchange(c, kind, next, piece(data, c.size, c.index-round), last, piece(data, c.size, c.index-round-1))
	}
}

// ringTraffic: P-1 messages with all pieces except that of the next rank, which has its own piece already.
func (c Call) ringTraffic() Traffic {
	return Traffic{int64(c.Procs - 1), c.Bytes() - c.pieceBytes(c.ID+1)}
}

// pieceBytes returns the bytes of a rank's piece, modulo the number of ranks.
func (c Call) pieceBytes(rank int) int64 {
	rank %= c.Procs
	return c.rangeBytes(rank, rank+1)
}

// rangeBytes returns the bytes of the pieces of ranks lo..hi-1.
func (c Call) rangeBytes(lo, hi int) int64 {
	p := int64(c.Procs)
	return (c.Count*int64(hi)/p - c.Count*int64(lo)/p) * c.Size
}

// allGatherBruck doubles the blocks of each rank in every round. Rank r has the blocks of ranks r..r+2^k-1 (modulo
// P) and receives the following 2^k blocks from rank r+2^k. It takes ceil(log2 P) rounds for any P. At the end each
// rank rotates its blocks into their places.
func allGatherBruck[T any](c *Comm, in, out []T) {
	n := len(in)
	held := make([]T, n*c.size)
	copy(held, in)
	for dist := 1; dist < c.size; dist *= 2 {
		blocks := min(dist, c.size-dist)
		to, from := (c.index+c.size-dist)%c.size, (c.index+dist)%c.size
		exchange(c, trace.AllGather, to, held[:blocks*n], from, held[dist*n:(dist+blocks)*n])
	}
	turned := copy(out[c.index*n:], held)
	copy(out, held[turned:])
}

// allGatherBruckTraffic: ceil(log2 P) messages with P-1 blocks in all.
func allGatherBruckTraffic(c Call) Traffic {
	return Traffic{int64(log2Ceil(c.Procs)), int64(c.Procs-1) * c.Bytes()}
}
