package cluster

import "spoor/analyze/phases"

// overlap is how far a processor runs on behind misses: see predict/memsys.
type overlap struct {
	outstanding float64 // misses under way at most; 0: it waits for each
	window      float64 // time that the instructions take for which there is room behind a miss
	group       float64 // misses, on average, between two times at which the processor waits for all that are under way; 0: many
}

// together is how many misses are under way for one that is waited for, if they come at random with this mean time of instructions between them.
func (o overlap) together(gap float64) float64 {
	n := o.outstanding
	if gap > 0 {
		n = min(n, 1+o.window/gap)
	}
	if o.group > 0 {
		n = min(n, max(1, o.group))
	}
	return n
}

// waited is the part of a miss that the processor waits for, on average, if misses come at random with this mean time of
// instructions between them.
//
// After a miss, instructions go on until there is no more room behind it, or no more misses may be under way. Then the processor waits
// for it; those that came in the meantime have as much room left as they need time then, and are not waited for. So of 1 + window/gap
// misses, or as many as may be under way, one is waited for, and for what is left of it. Before a processor lets others know of what it
// did, at a barrier, or as it leaves a lock or sets a flag, it waits for all: no more are together than come between two of these.
func (o overlap) waited(miss, gap float64) float64 {
	if o.outstanding == 0 || miss <= 0 {
		return 1
	}
	if gap <= 0 {
		return 1 / o.together(gap)
	}
	return max(0, miss-min(o.window, o.outstanding*gap)) / miss / o.together(gap)
}

// drains is how often processors of a run wait for all misses under way: at locks, at flags, and at ends of phases.
func (r *Run) drains(phaseCount int) float64 {
	locks, flags, _ := phases.Waits(headOf(r.phasesTable))
	return float64(locks) + float64(flags) + float64(phaseCount*r.Processors)
}

// group makes misses, and what goes to other nodes, come in as many groups.
func (c *costs) group(work program, drains float64) {
	all := work.sum()
	c.overlap.group = (all.Misses + all.Upgrades) / drains
	c.interconnect.overlap = c.overlap
	c.interconnect.overlap.group = (all.Remote.Blocks + all.Remote.Upgrades) / drains
	for p := range c.each {
		c.each[p].overlap.group, c.each[p].interconnect.overlap = c.overlap.group, c.interconnect.overlap
	}
}
