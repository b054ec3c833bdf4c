package spmd

import "spoor/traces/trace"

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
