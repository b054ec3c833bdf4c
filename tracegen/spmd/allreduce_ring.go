package spmd

import "spoor/traces/trace"

// allReduceRing cuts data into P pieces. Each piece goes around the ring once and is combined with that of every
// rank. Then the results go around once more. It takes 2(P-1) rounds, and each rank sends about 2 n elements, to
// its neighbour only.
//
// Piece i is combined in the order i+1, i+2, ..., P-1, 0, ..., i. Therefore op must commute, and rounding differs
// from that of the other algorithms.
func allReduceRing[T any](c *Comm, data []T, op func(a, b T) T) {
	next, last := (c.index+1)%c.size, (c.index+c.size-1)%c.size
	longest := (len(data) + c.size - 1) / c.size
	other := make([]T, longest)
	for round := range c.size - 1 {
		mine := piece(data, c.size, c.index-round-2)
		exchange(c, trace.AllReduce, next, piece(data, c.size, c.index-round-1), last, other[:len(mine)])
		combine(mine, other, true, op)
	}
	ringOfPieces(c, trace.AllReduce, data)
}

// allReduceRingTraffic: all pieces except that of rank r, then all pieces except that of r+1.
func allReduceRingTraffic(c Call) Traffic {
	t := c.ringTraffic()
	return Traffic{2 * t.Messages, c.Bytes() - c.pieceBytes(c.ID) + t.Bytes}
}
