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
	shape     int          // its number
	caches    []*cache.LRU // by group
	runs      uint64       // of processes that had run before
	turns     uint64       // of groups of which any process had run before
	misses    []uint64     // in these runs, by processor
	lost      int64        // blocks of projections, before these runs; below 0 if others brought more than they took
}

// newTurns is of the shape of that number, and of 1, 2, 4 and so on processes, as long as there is a group.
func newTurns(s Shape, number, procs int) *turns {
	t := &turns{shape: s}
	for k := 1; k <= procs; k *= 2 {
		one := &turn{processes: k, shape: number, misses: make([]uint64, procs)}
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

// run takes the window of every process, in turn. It changes nothing but what is its own.
func (k *turn) run(members []member) {
	for g, c := range k.caches {
		if k.group(c, members[g*k.processes:][:k.processes], g*k.processes) {
			k.turns++
		}
	}
}

// condense makes runs what the caches of each shape have to see of the window.
func (m *member) condense() {
	m.again = m.again[:0]
	for i := range m.fills {
		m.runs[i] = m.runsOf(&m.fills[i])
	}
}

// runsOf is what caches of a shape have to see of the window. Where no set gets more blocks than it has ways,
// a block misses at its first use alone, and pushes out none of the window: it is enough to use each once, and once more in
// the order of last uses if several are in one set.
func (m *member) runsOf(f *fill) (runs [2][]uint64) {
	held, crowd := f.now, f.crowd
	if f.shape.Sets == 1 {
		held, crowd = min(m.counts.now, uint64(f.shape.Ways)), m.counts.now > 1
	}
	switch {
	case held < m.counts.now:
		return [2][]uint64{m.stream}
	case !crowd:
		return [2][]uint64{m.set}
	}
	return [2][]uint64{m.set, m.byLastUse()}
}

// byLastUse is the distinct blocks of the window in the order of their last uses.
func (m *member) byLastUse() []uint64 {
	if len(m.again) > 0 {
		return m.again // of another shape
	}
	m.lasts = m.lasts[:0]
	for i, b := range m.set {
		m.lasts = append(m.lasts, latest{b, m.uses[m.used[i]].at})
	}
	slices.SortFunc(m.lasts, func(a, b latest) int { return cmp.Compare(a.at, b.at) })
	for _, l := range m.lasts {
		m.again = append(m.again, l.block)
	}
	return m.again
}

// group runs the processes of a group, the first of which has a number, and reports whether any had run before. When a process
// stops, its blocks of the window are in the cache as if that had been empty: they are those used last in every set.
func (k *turn) group(c *cache.LRU, group []member, first int) (again bool) {
	for i := range group {
		m := &group[i]
		if m.counts.now == 0 {
			continue
		}
		if len(group) > 1 && len(m.before) > 0 { // else nobody took any
			k.lost += int64(m.fills[k.shape].left) - int64(c.Has(m.before))
		}
		misses := c.Misses(m.runs[k.shape][0]) + c.Misses(m.runs[k.shape][1])
		if len(m.before) > 0 {
			again = true
			k.runs++
			k.misses[first+i] += misses
		}
	}
	return again
}
