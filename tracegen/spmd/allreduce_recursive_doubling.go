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
