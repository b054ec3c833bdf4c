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
	runs      uint64       // of processes that had run before
	turns     uint64       // of groups of which any process had run before
	misses    []uint64     // in these runs, by processor
	lost      int64        // blocks of projections, before these runs; below 0 if others brought more than they took
}

// newTurns is of 1, 2, 4 and so on processes, as long as there is a group.
func newTurns(s Shape, procs int) *turns {
	t := &turns{shape: s}
	for k := 1; k <= procs; k *= 2 {
		one := &turn{processes: k, misses: make([]uint64, procs)}
		for range procs / k {
			one.caches = append(one.caches, cache.NewLRU(int64(s.Sets), int64(s.Ways)))
		}
		t.by = append(t.by, one)
	}
	return t
}

// run takes the window of every process, in turn. The shape is the one of that number.
func (t *turns) run(members []member, shape int) {
	for _, k := range t.by {
		for g, c := range k.caches {
			if k.group(c, members[g*k.processes:][:k.processes], g*k.processes, shape) {
				k.turns++
			}
		}
	}
}

// group runs the processes of a group, the first of which has a number, and reports whether any had run before. When a process
// stops, its blocks of the window are in the cache as if that had been empty: they are those used last in every set.
func (k *turn) group(c *cache.LRU, group []member, first, shape int) (again bool) {
	for i := range group {
		m := &group[i]
		if m.counts.now == 0 {
			continue
		}
		if len(m.before) == 0 {
			c.Misses(m.stream)
			continue
		}
		again = true
		k.runs++
		if len(group) > 1 { // else nobody took any
			k.lost += int64(m.fills[shape].left) - int64(c.Has(m.before))
		}
		k.misses[first+i] += c.Misses(m.stream)
	}
	return again
}
