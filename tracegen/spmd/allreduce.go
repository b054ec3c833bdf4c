package spmd

import "spoor/traces/trace"

// allReduceRecursiveDoubling exchanges partial results between neighbouring aligned blocks of 1, 2, 4, ... ranks.
// It takes floor(log2 P) rounds, and two more if P is not a power of two. Values are combined in the order of
// ranks; with six ranks as ((x0 x1)(x2 x3))(x4 x5).
func allReduceRecursiveDoubling[T any](c *Comm, data []T, op func(a, b T) T) {
	allReduceFolded(c, data, op, func(f powerOfTwo, me int, other []T) {
		for dist := 1; dist < f.procs; dist *= 2 {
			mate := f.rank(me ^ dist)
			exchange(c, trace.AllReduce, mate, data, mate, other)
			combine(data, other, mate < c.index, op)
		}
	})
}

// powerOfTwo reduces the ranks to a power of two. Of the first 2 extra ranks, each even one is inactive and the
// next odd one acts for both. Active ranks are numbered in the order of their ranks.
type powerOfTwo struct{ procs, extra int }

func nearestPower(procs int) powerOfTwo {
	f := powerOfTwo{procs: 1 << log2Floor(procs)}
	f.extra = procs - f.procs
	return f
}

// number returns the number of an active rank, or false for an inactive one.
func (f powerOfTwo) number(rank int) (int, bool) {
	if rank >= 2*f.extra {
		return rank - f.extra, true
	}
	return rank / 2, rank%2 == 1
}

// rank returns the rank that has the number.
func (f powerOfTwo) rank(number int) int {
	if number < f.extra {
		return 2*number + 1
	}
	return number + f.extra
}

// allReduceFolded calls reduce in active ranks, with memory for another rank's data. Inactive ranks wait for the
// result.
func allReduceFolded[T any](c *Comm, data []T, op func(a, b T) T, reduce func(f powerOfTwo, me int, other []T)) {
	f := nearestPower(c.size)
	me, active := f.number(c.index)
	if !active {
		Send(c, c.index+1, int(trace.AllReduce), data)
		fetch(c, trace.AllReduce, c.index+1, data)
		return
	}
	other := make([]T, len(data))
	actsForTwo := c.index < 2*f.extra
	if actsForTwo {
		fetch(c, trace.AllReduce, c.index-1, other)
		combine(data, other, true, op)
	}
	reduce(f, me, other)
	if actsForTwo {
		Send(c, c.index-1, int(trace.AllReduce), data)
	}
}

// foldedTraffic adds the traffic of inactive ranks to that of inner: one message with all data from each inactive
// rank, and one from each rank that acts for two.
func (c Call) foldedTraffic(inner func(f powerOfTwo, me int) Traffic) Traffic {
	f := nearestPower(c.Procs)
	me, active := f.number(c.ID)
	if !active {
		return Traffic{1, c.Bytes()}
	}
	t := inner(f, me)
	if c.ID < 2*f.extra {
		t.Messages++
		t.Bytes += c.Bytes()
	}
	return t
}

// allReduceRecursiveDoublingTraffic: floor(log2 P) messages with all data from each active rank.
func allReduceRecursiveDoublingTraffic(c Call) Traffic {
	return c.foldedTraffic(func(f powerOfTwo, _ int) Traffic {
		rounds := int64(log2Floor(f.procs))
		return Traffic{rounds, rounds * c.Bytes()}
	})
}

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
