package machine

import "spoor/traces/unit"

func (r *reader) memory(t *memoryText) {
	m := Memory{Size: r.size("memory.size", t.Size, 1), Latency: r.ofMemory("memory.latency", t.Latency, r.reach())}
	m.Occupancy, m.Invalidate = m.Latency, m.Latency
	if r.err != nil {
		return
	}
	switch n := len(r.m.Caches); {
	case m.Size > maxMemory:
		r.fail("memory.size", "%v is more than %v", m.Size, maxMemory)
	case n > 0 && m.Size <= r.m.Caches[n-1].Size:
		r.fail("memory.size", "%v is not more than the %v of the last cache", m.Size, r.m.Caches[n-1].Size)
	case r.m.Shared != nil && m.Size <= r.m.Shared.Size:
		r.fail("memory.size", "%v is not more than the %v of the shared cache", m.Size, r.m.Shared.Size)
	}
	if r.m.At(m.Latency) <= 0 {
		r.fail("memory.latency", "%q is not above 0", t.Latency.value)
	}
	if t.Occupancy.given {
		m.Occupancy = r.ofMemory("memory.occupancy", t.Occupancy, maxMemoryTime)
	} else {
		r.m.Assumed = append(r.m.Assumed, "memory.occupancy not given: a transfer holds the bus for the whole memory latency")
	}
	if t.Invalidate.given {
		m.Invalidate = r.ofMemory("memory.invalidate", t.Invalidate, maxMemoryTime)
	} else {
		m.Invalidate = m.Occupancy
		r.m.Assumed = append(r.m.Assumed, "memory.invalidate not given: an address-only transaction takes the bus as long as a line transfer")
	}
	r.placement(t, &m)
	r.m.Memory = m
}

// placement reads the placement of pages.
func (r *reader) placement(t *memoryText, m *Memory) {
	m.Placement, m.Page = FirstTouch, 4<<10
	if t.Placement != nil {
		m.Placement = Placement(r.oneOf("memory.placement", t.Placement, names(placements)))
	}
	if t.Page.given {
		if m.Page = r.size("memory.page", t.Page, minLine); r.err == nil && !m.Page.IsPowerOfTwo() {
			r.fail("memory.page", "%v is not a power of two", m.Page)
		}
	}
}

func (r *reader) system(t *systemText) {
	s := System{Target: Target(r.oneOf("system.target", t.Target, names(targets))), Processors: r.count("system.processors", t.Processors, maxNodeProcessors), Nodes: 1}
	if t.Nodes != nil {
		s.Nodes = r.count("system.nodes", t.Nodes, MaxProcessors)
	}
	if t.Protocol != nil {
		s.Protocol = Protocol(r.oneOf("system.protocol", t.Protocol, names(protocols)))
	}
	r.block(t, &s)
	switch {
	case r.err != nil:
	case s.Processors*s.Nodes > MaxProcessors:
		r.fail("system.nodes", "%d nodes of %d processors are more than %d processors", s.Nodes, s.Processors, MaxProcessors)
	case r.m.Network != nil && r.m.Network.Room() > 0 && s.Nodes > r.m.Network.Room():
		r.fail("system.nodes", "%d nodes are more than the %d that the network has room for", s.Nodes, r.m.Network.Room())
	case s.Target == SMP && s.Nodes > 1:
		r.fail("system.nodes", "an smp is one node; %d of them are a clump", s.Nodes)
	case s.Target == COW && s.Processors > 1:
		r.fail("system.processors", "a cow has one processor in each node; with %d it is a clump", s.Processors)
	case s.Target == LogP && len(r.m.Caches) > 0:
		r.fail(level(0), "target %s has no caches; %s is %s with caches", LogP, CLogP, LogP)
	case s.Target == LogP && t.Protocol != nil:
		r.fail("system.protocol", "has no effect for target %s, which has no caches", LogP)
	case s.Target == WWT && t.Protocol != nil && s.Protocol != MSI:
		r.fail("system.protocol", "%q is not %s, which target %s has", s.Protocol, MSI, WWT)
	case s.Target == Dir1SW && t.Protocol != nil && s.Protocol != MSI:
		r.fail("system.protocol", "%q is not %s, which target %s has", s.Protocol, MSI, Dir1SW)
	case s.Target != SMP && r.m.Shared != nil:
		r.fail("shared_cache", "is for target %s only, not for %s", SMP, s.Target)
	}
	if s.Target == WWT && r.err == nil {
		r.wwt(&s)
	}
	r.m.System = s
}

// blockSize is the default block of shared memory [du2000, sec. 4.1].
const blockSize = unit.Bytes(256)

// block reads the block size of the shared memory of a cluster.
func (r *reader) block(t *systemText, s *System) {
	switch s.Target {
	case COW, CLUMP:
		s.Block = blockSize
		if n := len(r.m.Caches); n > 0 {
			s.Block = max(s.Block, r.m.Caches[n-1].Line)
		}
	default:
		if t.Block.given {
			r.fail("system.block", "has no effect for target %q; it is for cow, clump", s.Target)
		}
		return
	}
	if !t.Block.given {
		return
	}
	s.Block = r.size("system.block", t.Block, minLine)
	for _, c := range r.m.Caches {
		if r.err == nil && s.Block < c.Line {
			r.fail("system.block", "%v is less than the line of %v", s.Block, c.Line)
		}
	}
	if r.err == nil && (!s.Block.IsPowerOfTwo() || s.Block > maxLine) {
		r.fail("system.block", "%v is not a power of two of at most %v", s.Block, maxLine)
	}
}
