package footprint

import "spoor/analyze/cache"

// turns simulates the processes of one cache shape, for every number of processes that share a cache.
type turns struct {
	shape Shape
	by    []*turn // by number of processes: 1, 2, 4, ...
}

// turn is groups of processes that take turns of a window each.
type turn struct {
	processes int
	caches    []*cache.LRU // by group
	left      []uint64     // by processor: blocks of its last window that were in the cache when it stopped
	runs      uint64       // of processes that had run before
	turns     uint64       // of groups of which any process had run before
	misses    []uint64     // in these runs, by processor
	lost      int64        // blocks of projections, before these runs; below 0 if others brought more than they took
}

// newTurns is of 1, 2, 4 and so on processes, as long as there is a group.
func newTurns(s Shape, procs int) *turns {
	t := &turns{shape: s}
	for k := 1; k <= procs; k *= 2 {
		one := &turn{processes: k, left: make([]uint64, procs), misses: make([]uint64, procs)}
		for range procs / k {
			one.caches = append(one.caches, cache.NewLRU(int64(s.Sets), int64(s.Ways)))
		}
		t.by = append(t.by, one)
	}
	return t
}

// run takes the window of every process, in turn.
func (t *turns) run(members []member) {
	for _, k := range t.by {
		for g, c := range k.caches {
			if k.group(c, members, g*k.processes) {
				k.turns++
			}
		}
	}
}

// group runs the processes of a group, from the first on, and reports whether any had run before.
func (k *turn) group(c *cache.LRU, members []member, first int) (again bool) {
	for i := first; i < first+k.processes; i++ {
		m := &members[i]
		if m.counts.now == 0 {
			continue
		}
		before := c.Has(m.before)
		misses := c.Misses(m.stream)
		if len(m.before) > 0 {
			again = true
			k.runs++
			k.misses[i] += misses
			k.lost += int64(k.left[i]) - int64(before)
		}
		k.left[i] = c.Has(m.set)
	}
	return again
}
