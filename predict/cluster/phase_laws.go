package cluster

// extendPhase makes a phase last at least as long as each port was held in it. The network was as before when
// the phase began. Waits that were interpolated between two delays may be too short. And nobody waits for some
// messages, such as invalidations, and for the write-backs of flushes.
func (n *network) extendPhase(before *network) {
	missing := 0.0
	for i, held := range n.ports {
		missing = max(missing, held-before.ports[i]-(n.now-before.now))
	}
	if n.flushed > before.flushed {
		missing = max(missing, (n.held-before.held)/n.nodes()-(n.now-before.now))
	}
	if missing <= 0 {
		return
	}
	n.now += missing
	for p := range n.procs {
		n.procs[p].contention += missing
	}
}

// nodes returns the number of nodes, each with a bus.
func (n *network) nodes() float64 {
	if n.perNode == 0 {
		return 1
	}
	return float64(len(n.procs) / n.perNode)
}

// limitPhase makes a phase last at most as long as everything in it in sequence. The network was as before when
// the phase began. Waits that were counted on another machine may be too long: a processor waits only for work
// of others.
func (n *network) limitPhase(before *network, work [][]stretch) {
	sequence := 0.0
	for p := range work {
		for i := range work[p] {
			sequence += work[p][i].longest
		}
	}
	excess := n.now - before.now - sequence
	if excess <= enough*sequence {
		return
	}
	n.now -= excess
	for p := range n.procs {
		t := &n.procs[p]
		sync := min(excess, max(0, t.sync-before.procs[p].sync))
		t.sync -= sync
		t.contention -= excess - sync
	}
}

// longest returns the time of w if nothing overlaps and nobody else does anything.
func (c *costs) longest(w *windowWork) float64 {
	upgrades := max(w.Remote.Rights, w.Remote.Upgrades)
	t := w.Instr*c.instr + w.Touches*c.touch + w.Misses*max(c.memory, c.occupancy) + w.Writebacks*c.occupancy + w.Upgrades*c.invalidate +
		w.Remote.Blocks*(c.memory+c.interconnect.block.time) + upgrades*(c.invalidate+c.interconnect.right.time)
	for i, misses := range w.Inner {
		t += misses * c.inner[i]
	}
	return t
}
