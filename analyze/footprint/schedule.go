package footprint

import (
	"cmp"
	"slices"

	"spoor/analyze/cache"
)

// schedules simulates the processes on one cache shape, for every number of processes that share a cache.
type schedules struct {
	shape  Shape
	bySize []*schedule // by number of processes: 1, 2, 4, ...
}

// schedule simulates groups of processes that take turns of one window each.
type schedule struct {
	processes int
	shape     int          // index of the shape
	caches    []*cache.LRU // by group
	reruns    uint64       // number of windows of processes that had run before
	rounds    uint64       // number of turns of groups in which a process had run before
	misses    []uint64     // in these windows, by processor
	evicted   int64        // blocks of projections evicted before these windows; negative if others loaded more than they evicted
}

// newSchedules returns schedules of 1, 2, 4, ... processes, up to procs, for a shape with an index.
func newSchedules(s Shape, number, procs int) *schedules {
	t := &schedules{shape: s}
	for k := 1; k <= procs; k *= 2 {
		one := &schedule{processes: k, shape: number, misses: make([]uint64, procs)}
		for range procs / k {
			one.caches = append(one.caches, cache.NewLRU(int64(s.Sets), int64(s.Ways), 2*procs))
		}
		t.bySize = append(t.bySize, one)
	}
	return t
}

// lastUse is the last use of a block in a window.
type lastUse struct {
	block uint64
	at    uint32 // position in the stream
}

// run runs the window of every process in turn. It changes only its own state.
func (k *schedule) run(members []processor) {
	for g, c := range k.caches {
		if k.runGroup(c, members[g*k.processes:][:k.processes], g*k.processes) {
			k.rounds++
		}
	}
}

// prepareRuns sets runs to the uses of the window that the caches of each shape must see.
func (m *processor) prepareRuns() {
	m.byLast = m.byLast[:0]
	for i := range m.fills {
		m.runs[i] = m.runsOf(&m.fills[i])
	}
}

// runsOf returns the uses of the window that caches of a shape must see. If no set gets more blocks than its
// ways, a block misses only at its first use and evicts no block of the window. Then each block is used once.
// If several blocks are in one set, each is used a second time, in the order of last uses.
func (m *processor) runsOf(f *fill) (runs [2][]uint64) {
	held, crowd := f.current, f.conflict
	if f.shape.Sets == 1 {
		held, crowd = min(m.counts.current, uint64(f.shape.Ways)), m.counts.current > 1
	}
	switch {
	case held < m.counts.current:
		return [2][]uint64{m.stream}
	case !crowd:
		return [2][]uint64{m.set}
	}
	return [2][]uint64{m.set, m.byLastUse()}
}

// byLastUse returns the distinct blocks of the window in the order of their last uses.
func (m *processor) byLastUse() []uint64 {
	if len(m.byLast) > 0 {
		return m.byLast // computed for another shape
	}
	m.lastUses = m.lastUses[:0]
	for i, b := range m.set {
		m.lastUses = append(m.lastUses, lastUse{b, m.uses[m.usePlaces[i]].at})
	}
	slices.SortFunc(m.lastUses, func(a, b lastUse) int { return cmp.Compare(a.at, b.at) })
	for _, l := range m.lastUses {
		m.byLast = append(m.byLast, l.block)
	}
	return m.byLast
}

// runGroup runs the processes of a group. first is the number of its first process. It reports whether any
// process had run before. When a process stops, the cache has the same blocks of the window as if it had been
// empty at the start: those used last in every set.
func (k *schedule) runGroup(c *cache.LRU, group []processor, first int) (again bool) {
	for i := range group {
		m := &group[i]
		if m.counts.current == 0 {
			continue
		}
		if len(group) > 1 && len(m.previousSet) > 0 { // otherwise nothing was evicted
			k.evicted += int64(m.fills[k.shape].previous) - int64(c.Has(m.previousSet))
		}
		misses := c.Misses(m.runs[k.shape][0]) + c.Misses(m.runs[k.shape][1])
		if len(m.previousSet) > 0 {
			again = true
			k.reruns++
			k.misses[first+i] += misses
		}
	}
	return again
}
