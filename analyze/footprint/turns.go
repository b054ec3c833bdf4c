package footprint

import (
	"cmp"
	"slices"

	"spoor/analyze/cache"
)

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
			one.caches = append(one.caches, cache.NewLRU(int64(s.Sets), int64(s.Ways), 2*procs))
		}
		t.by = append(t.by, one)
	}
	return t
}

// latest is the last use of a block in a window.
type latest struct {
	block uint64
	at    uint32 // in the stream
}

// run takes the window of every process, in turn. The shape is the one of that number.
func (t *turns) run(members []member, shape int) {
	for i := range members {
		members[i].condense(shape)
	}
	for _, k := range t.by {
		for g, c := range k.caches {
			if k.group(c, members[g*k.processes:][:k.processes], g*k.processes, shape) {
				k.turns++
			}
		}
	}
}

// condense makes runs what the caches of a shape have to see of the window. Where no set gets more blocks than it has ways,
// a block misses at its first use alone, and pushes out none of the window: it is enough to use each once, and once more in
// the order of last uses if several are in one set.
func (m *member) condense(shape int) {
	m.runs = [2][]uint64{m.stream, nil}
	f := &m.fills[shape]
	held, crowd := f.now, f.crowd
	if f.shape.Sets == 1 {
		held, crowd = min(m.counts.now, uint64(f.shape.Ways)), m.counts.now > 1
	}
	if held < m.counts.now {
		return
	}
	m.runs[0] = m.set
	if !crowd {
		return
	}
	m.lasts = m.lasts[:0]
	for i, b := range m.set {
		m.lasts = append(m.lasts, latest{b, m.uses[m.used[i]].at})
	}
	slices.SortFunc(m.lasts, func(a, b latest) int { return cmp.Compare(a.at, b.at) })
	m.again = m.again[:0]
	for _, l := range m.lasts {
		m.again = append(m.again, l.block)
	}
	m.runs[1] = m.again
}

// group runs the processes of a group, the first of which has a number, and reports whether any had run before. When a process
// stops, its blocks of the window are in the cache as if that had been empty: they are those used last in every set.
func (k *turn) group(c *cache.LRU, group []member, first, shape int) (again bool) {
	for i := range group {
		m := &group[i]
		if m.counts.now == 0 {
			continue
		}
		if len(group) > 1 && len(m.before) > 0 { // else nobody took any
			k.lost += int64(m.fills[shape].left) - int64(c.Has(m.before))
		}
		misses := c.Misses(m.runs[0]) + c.Misses(m.runs[1])
		if len(m.before) > 0 {
			again = true
			k.runs++
			k.misses[first+i] += misses
		}
	}
	return again
}
