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

// allToAllBruck moves each block by its distance modulo P, one bit at a time. In round k, the blocks whose distance
// has bit k set move 2^k ranks on, packed into one message. It takes ceil(log2 P) rounds. A block is sent once for
// each bit of its distance.
func allToAllBruck[T any](c *Comm, in, out []T) {
	n := len(in) / c.size
	held := make([]T, len(in)) // by distance to the destination at the start
	turned := copy(held, in[c.index*n:])
	copy(held[turned:], in)
	packed, got := make([]T, 0, len(in)), make([]T, len(in))
	for dist := 1; dist < c.size; dist *= 2 {
		packed = packed[:0]
		for i := dist; i < c.size; i = (i + 1) | dist {
			packed = append(packed, held[i*n:(i+1)*n]...)
		}
		to, from := (c.index+dist)%c.size, (c.index+c.size-dist)%c.size
		exchange(c, trace.AllToAll, to, packed, from, got[:len(packed)])
		for i, at := dist, 0; i < c.size; i, at = (i+1)|dist, at+n {
			copy(held[i*n:(i+1)*n], got[at:])
		}
	}
	for i := range c.size { // a block that moved the distance i comes from rank id-i
		from := (c.index + c.size - i) % c.size
		copy(out[from*n:(from+1)*n], held[i*n:(i+1)*n])
	}
}

// allToAllBruckTraffic: ceil(log2 P) messages. The blocks of round k are as many as the numbers below P with bit k
// set:
//
//	floor(P / 2^(k+1)) 2^k + max(0, P mod 2^(k+1) - 2^k)
func allToAllBruckTraffic(c Call) Traffic {
	var t Traffic
	for dist := int64(1); dist < int64(c.Procs); dist *= 2 {
		p := int64(c.Procs)
		t.Messages++
		t.Bytes += (p/(2*dist)*dist + max(0, p%(2*dist)-dist)) * c.Bytes()
	}
	return t
}
