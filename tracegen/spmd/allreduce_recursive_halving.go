package spmd

import "spoor/traces/trace"

// allReduceRecursiveHalving is Rabenseifner's algorithm: the two ranks of a pair give
// each other half of the data and combine the other half, then pairs of pairs a
// quarter, and so on until each rank has its part of the result; the parts go back
// the same way. Twice the messages of recursive doubling, and about 2 n elements sent
// instead of n log2 P. Values are combined as recursive doubling does, so that both
// have the same result to the bit.
func allReduceRecursiveHalving[T any](c *Comm, data []T, op func(a, b T) T) {
	allReduceFolded(c, data, op, func(f fold, me int, other []T) {
		halve(c, f, me, 1, data, other, op)
	})
}

// halve reduces data over the ranks that differ in bits dist and above.
func halve[T any](c *Comm, f fold, me, dist int, data, other []T, op func(a, b T) T) {
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

// allReduceRecursiveHalvingTraffic: the number m among 2^l ranks that go on sends 2 l
// messages; in round k it gives away and later shares its part of the round before,
//
//	floor((n + m mod 2^k) / 2^k) elements,  k = 0 .. l-1
func allReduceRecursiveHalvingTraffic(c Call) Traffic {
	return c.foldedTraffic(func(f fold, me int) Traffic {
		var t Traffic
		for pow := int64(1); pow < int64(f.procs); pow *= 2 {
			t.Messages += 2
			t.Bytes += (c.Count + int64(me)%pow) / pow * c.Size
		}
		return t
	})
}
