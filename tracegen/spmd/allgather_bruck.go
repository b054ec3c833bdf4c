package spmd

import "spoor/traces/trace"

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
