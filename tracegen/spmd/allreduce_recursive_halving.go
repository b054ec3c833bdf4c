package spmd

import "spoor/traces/trace"

// allReduceRecursiveHalving is Rabenseifner's algorithm. The two ranks of a pair exchange halves of the data, and
// each combines one half. Then pairs of pairs exchange quarters, and so on, until each rank has its part of the
// result. The parts return the same way. It sends twice the messages of recursive doubling, but about 2 n elements
// instead of n log2 P. Values are combined in the order of recursive doubling, so both give bit-identical results.
func allReduceRecursiveHalving[T any](c *Comm, data []T, op func(a, b T) T) {
	allReduceFolded(c, data, op, func(f powerOfTwo, me int, other []T) {
		halve(c, f, me, 1, data, other, op)
	})
}

// halve reduces data over the ranks that differ in bits dist and above.
func halve[T any](c *Comm, f powerOfTwo, me, dist int, data, other []T, op func(a, b T) T) {
	if dist == f.procs {
		return
	}
	mate := f.rank(me ^ dist)
	keep, give := data[:len(data)/2], data[len(data)/2:]
	if me&dist != 0 {
		keep, give = give, keep
	}
	exchange(c, trace.AllReduce, mate, give, mate, other[:len(keep)])
	combine(keep, other[:len(keep)], mate < c.index, op)
	halve(c, f, me, 2*dist, keep, other, op)
	exchange(c, trace.AllReduce, mate, keep, mate, give)
}

// allReduceRecursiveHalvingTraffic: active rank number m of 2^l sends 2 l messages. In round k it sends the part
// that it gives away, and later its part of the result. Together these are its part of the round before:
//
//	floor((n + m mod 2^k) / 2^k) elements,  k = 0 .. l-1
func allReduceRecursiveHalvingTraffic(c Call) Traffic {
	return c.foldedTraffic(func(f powerOfTwo, me int) Traffic {
		var t Traffic
		for pow := int64(1); pow < int64(f.procs); pow *= 2 {
			t.Messages += 2
			t.Bytes += (c.Count + int64(me)%pow) / pow * c.Size
		}
		return t
	})
}
