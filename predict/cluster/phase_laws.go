package cluster

// extendPhase makes a phase last at least as long as each port was held in it. The phase began at the given
// time, when the ports had been held for the times before. Waits that were interpolated between two delays may
// be too short. And nobody waits for some messages, such as invalidations.
func (n *network) extendPhase(begun float64, before []float64) {
	missing := 0.0
	for i, held := range n.ports {
		missing = max(missing, held-before[i]-(n.now-begun))
	}
	if missing <= 0 {
		return
	}
	n.now += missing
	for p := range n.procs {
		n.procs[p].contention += missing
	}
}

// limitPhase makes a phase last at most as long as everything in it in sequence. The phase began at the given
// time, with the times of the processors before. Waits that were counted on another machine may be too long:
// a processor waits only for what others do.
func (n *network) limitPhase(begun float64, work [][]stretch, before []times) {
	sequence := 0.0
	for p := range work {
		for i := range work[p] {
			sequence += work[p][i].longest
		}
	}
	excess := n.now - begun - sequence
	if excess <= enough*sequence {
		return
	}
	n.now -= excess
	for p := range n.procs {
		t := &n.procs[p]
		sync := min(excess, max(0, t.sync-before[p].sync))
		t.sync -= sync
		t.contention -= excess - sync
	}
}

// longest returns the time of w if nothing overlaps and nobody else does anything.
func (c *costs) longest(w *Work) float64 {
	upgrades := max(w.Remote.Rights, w.Remote.Upgrades)
	t := w.Instr*c.instr + w.Touches*c.touch + w.Misses*max(c.memory, c.occupancy) + w.Writebacks*c.occupancy + w.Upgrades*c.invalidate +
		w.Remote.Blocks*(c.memory+c.interconnect.block.time) + upgrades*(c.invalidate+c.interconnect.right.time)
	for i, misses := range w.Inner {
		t += misses * c.inner[i]
	}
	return t
}
