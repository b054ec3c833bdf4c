package cluster

import "spoor/analyze/phases"

// overlap describes how far a processor continues behind misses: see predict/internal/memsys.
type overlap struct {
	outstanding float64 // most misses in flight; 0: the processor waits for each
	window      float64 // time of the instructions that fit behind a miss
	group       float64 // mean number of misses between two times at which the processor waits for all in flight; 0: many
}

// missesPerStall returns how many misses are in flight for each that the processor waits for, if misses come
// at random with the mean time gap of instructions between them.
func (o overlap) missesPerStall(gap float64) float64 {
	n := o.outstanding
	if gap > 0 {
		n = min(n, 1+o.window/gap)
	}
	if o.group > 0 {
		n = min(n, max(1, o.group))
	}
	return n
}

// exposure says how long a processor waits for accesses of one kind.
type exposure struct {
	time     float64 // of an access on an idle machine
	hidden   float64 // what instructions cover of that time
	inFlight float64 // accesses in flight for each that the processor waits for
}

// share returns the share of an access that the processor waits for.
func (e exposure) share() float64 {
	if e.time <= 0 {
		return 1
	}
	return max(0, e.time-e.hidden) / e.time / e.inFlight
}

// extra returns how much longer the processor waits for an access that waits w for the bus. Instructions may
// cover that wait, too.
func (e exposure) extra(w float64) float64 {
	return (w - min(w, max(0, e.hidden-e.time))) / e.inFlight
}

// exposure describes accesses that take a time, if they come at random with the mean time gap of instructions
// between them.
//
// After a miss, instructions continue until there is no more room behind it, or no more misses may be in
// flight. Then the processor waits for it. Misses that came in the meantime complete during that wait, so the
// processor does not wait for them. So it waits for one in 1 + window/gap misses, or one in as many as may be
// in flight, and only for the rest of its time.
//
// At some points the processor waits for all misses in flight: at a barrier, when it releases a lock or sets a
// flag. So no more misses overlap than come between two of these points.
func (o overlap) exposure(time, gap float64) exposure {
	e := exposure{time: time, inFlight: 1}
	if o.outstanding == 0 {
		return e
	}
	e.inFlight = o.missesPerStall(gap)
	if gap > 0 {
		e.hidden = min(o.window, o.outstanding*gap)
	}
	return e
}

// drains returns how often processors of a run wait for all misses in flight: at locks, at flags, and at ends
// of phases.
func (r *Run) drains(phaseCount int) float64 {
	locks, flags, _ := phases.SyncCounts(headOf(r.phasesTable))
	return float64(locks) + float64(flags) + float64(phaseCount*r.Processors)
}

// setGroups sets how many misses, and how many requests to other nodes, come between two drains.
func (c *costs) setGroups(work program, drains float64) {
	all := work.sum()
	c.overlap.group = (all.Misses + all.Upgrades) / drains
	c.interconnect.overlap = c.overlap
	c.interconnect.overlap.group = (all.Remote.Blocks + all.Remote.Upgrades) / drains
	for p := range c.each {
		c.each[p].overlap.group, c.each[p].interconnect.overlap = c.overlap.group, c.interconnect.overlap
	}
}
