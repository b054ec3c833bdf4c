package spmd

import "spoor/traces/trace"

// The ring algorithms cut data into P pieces, piece i being the Share of rank i.

// piece is the Share of a rank, counted around the ring.
func piece[T any](data []T, procs, rank int) []T {
	lo, hi := Share(len(data), procs, (rank+2*procs)%procs)
	return data[lo:hi]
}

// ringOfPieces gives every rank the pieces of all: in P-1 rounds each rank sends to
// the next one what it got in the round before, its own piece at first.
func ringOfPieces[T any](c *Comm, kind trace.Kind, data []T) {
	next, last := (c.index+1)%c.size, (c.index+c.size-1)%c.size
	for round := range c.size - 1 {
		exchange(c, kind, next, piece(data, c.size, c.index-round), last, piece(data, c.size, c.index-round-1))
	}
}

// ringTraffic is P-1 messages with all pieces but that of the next rank, which ends
// where it began.
func (c Call) ringTraffic() Traffic {
	return Traffic{int64(c.Procs - 1), c.Bytes() - c.pieceBytes(c.ID+1)}
}

// pieceBytes is the bytes of a rank's piece, counted around the ring.
func (c Call) pieceBytes(rank int) int64 {
	rank %= c.Procs
	return c.rangeBytes(rank, rank+1)
}

// rangeBytes is the bytes of the pieces of ranks lo..hi-1.
func (c Call) rangeBytes(lo, hi int) int64 {
	p := int64(c.Procs)
	return (c.Count*int64(hi)/p - c.Count*int64(lo)/p) * c.Size
}
