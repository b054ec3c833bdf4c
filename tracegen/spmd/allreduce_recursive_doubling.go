package spmd

import "spoor/traces/trace"

// allReduceRecursiveDoubling exchanges what aligned blocks of ranks amount to between
// blocks of 1, 2, 4, ... ranks, each with its sibling; floor(log2 P) rounds, and two
// more if P is no power of two. Values are combined in the order of ranks, as
// ((x0 x1)(x2 x3))(x4 x5) of six.
func allReduceRecursiveDoubling[T any](c *Comm, data []T, op func(a, b T) T) {
	allReduceFolded(c, data, op, func(f fold, me int, other []T) {
		for dist := 1; dist < f.procs; dist *= 2 {
			mate := f.rank(me ^ dist)
			exchange(c, trace.AllReduce, mate, data, mate, other)
			combine(data, other, mate < c.index, op)
		}
	})
}

// fold makes a power of two of ranks: of the first 2 extra ranks, each even one
// stands back and the next odd one acts for both. Those that go on are numbered in
// the order of their ranks.
type fold struct{ procs, extra int }

func foldOf(procs int) fold {
	f := fold{procs: 1 << log2Floor(procs)}
	f.extra = procs - f.procs
	return f
}

// number is that of a rank that goes on; false if it stands back.
func (f fold) number(rank int) (int, bool) {
	if rank >= 2*f.extra {
		return rank - f.extra, true
	}
	return rank / 2, rank%2 == 1
}

// rank is who has the number.
func (f fold) rank(number int) int {
	if number < f.extra {
		return 2*number + 1
	}
	return number + f.extra
}

// allReduceFolded has the ranks that go on reduce, with room for another rank's data,
// and those that stand back wait for the result.
func allReduceFolded[T any](c *Comm, data []T, op func(a, b T) T, reduce func(f fold, me int, other []T)) {
	f := foldOf(c.size)
	me, goesOn := f.number(c.index)
	if !goesOn {
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

// foldedTraffic adds to what ranks that go on send what folding costs: one message of
// all data for those that stand back, and for those that act for two.
func (c Call) foldedTraffic(inner func(f fold, me int) Traffic) Traffic {
	f := foldOf(c.Procs)
	me, goesOn := f.number(c.ID)
	if !goesOn {
		return Traffic{1, c.Bytes()}
	}
	t := inner(f, me)
	if c.ID < 2*f.extra {
		t.Messages++
		t.Bytes += c.Bytes()
	}
	return t
}

// allReduceRecursiveDoublingTraffic: floor(log2 P) messages of all data from those
// that go on.
func allReduceRecursiveDoublingTraffic(c Call) Traffic {
	return c.foldedTraffic(func(f fold, _ int) Traffic {
		rounds := int64(log2Floor(f.procs))
		return Traffic{rounds, rounds * c.Bytes()}
	})
}
