package spmd

import "spoor/traces/trace"

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
