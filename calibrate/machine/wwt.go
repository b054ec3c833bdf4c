package machine

// wwt refuses what target wwt does not simulate. Its nodes affect each other only by messages that take a fixed time, which is the
// quantum of its simulation.
func (r *reader) wwt(s *System) {
	n, p := r.m.Network, r.m.Processor
	switch {
	case s.Processors > 1:
		r.fail("system.processors", "a node of target %s has one processor, not %d; target %s can have more", WWT, s.Processors, Dir1SW)
	case len(r.m.Caches) != 1:
		r.fail(level(0), "target %s has one level of caches, not %d; target %s can have more", WWT, len(r.m.Caches), Dir1SW)
	case r.m.Memory.Placement != Interleaved:
		r.fail("memory.placement", "target %s needs \"interleaved\": which node touches a page first is known too late", WWT)
	case p.Outstanding > 0:
		r.fail("processor.outstanding", "processors of target %s wait for each miss; use target %s", WWT, Dir1SW)
	case p.Ahead > 0:
		r.fail("processor.ahead", "processors of target %s do not prefetch; use target %s", WWT, Dir1SW)
	case n == nil:
	case n.Model != "ideal":
		r.fail("network.model", "target %s needs \"ideal\", without contention, not %q; target %s can have others", WWT, n.Model, Dir1SW)
	case n.Bandwidth.Known:
		r.fail("network.bandwidth", "has no effect for target %s: messages take the latency alone", WWT)
	case !(r.m.At(n.Fixed.Value) > 0):
		r.fail("network.latency", "target %s needs one above 0: it is the quantum of the simulation", WWT)
	}
}
