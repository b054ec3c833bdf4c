package spmd

import "spoor/traces/trace"

// allToAllPairwise has P-1 rounds. In round s, rank r sends to rank r+s and receives from r-s, modulo P. No two
// ranks send to the same rank in a round.
func allToAllPairwise[T any](c *Comm, in, out []T) {
	n := len(in) / c.size
	block := func(of []T, rank int) []T { return of[rank*n : (rank+1)*n] }
	copy(block(out, c.index), block(in, c.index))
	for step := 1; step < c.size; step++ {
		to, from := (c.index+step)%c.size, (c.index+c.size-step)%c.size
		exchange(c, trace.AllToAll, to, block(in, to), from, block(out, from))
	}
}

// allToAllPairwiseTraffic: P-1 messages of one block.
func allToAllPairwiseTraffic(c Call) Traffic {
	n := int64(c.Procs - 1)
	return Traffic{n, n * c.Bytes()}
}

// allToAllV has the same rounds with blocks of any lengths, stored consecutively in in and out. Empty blocks are
// not sent.
func allToAllV[T any](c *Comm, in []T, sendAt []int, out []T, recvAt []int) {
	copy(out[recvAt[c.index]:recvAt[c.index+1]], in[sendAt[c.index]:sendAt[c.index+1]])
	for step := 1; step < c.size; step++ {
		to, from := (c.index+step)%c.size, (c.index+c.size-step)%c.size
		send, receive := in[sendAt[to]:sendAt[to+1]], out[recvAt[from]:recvAt[from+1]]
		if len(send) == 0 {
			to = nobody
		}
		if len(receive) == 0 {
			from = nobody
		}
		exchange(c, trace.AllToAll, to, send, from, receive)
	}
}
