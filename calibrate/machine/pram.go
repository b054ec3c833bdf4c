package machine

import (
	"slices"
	"strings"
)

// pram refuses what has no effect on a PRAM: its processors share one memory of unit cost.
func (r *reader) pram(doc *document) {
	m := doc.Memory
	if m == nil {
		m = &memoryText{}
	}
	for _, key := range []struct {
		path  string
		given bool
	}{
		{"system.nodes", r.m.System.Nodes > 1}, {level(0), len(doc.Cache) > 0}, {"shared_cache", doc.Shared != nil}, {"network", doc.Network != nil},
		{"disk", doc.Disk != nil}, {"node", len(doc.Node) > 0}, {"system.protocol", doc.System.Protocol != nil}, {"system.block", doc.System.Block.given},
		{"memory.occupancy", m.Occupancy.given}, {"memory.invalidate", m.Invalidate.given},
		{"memory.placement", m.Placement != nil}, {"memory.page", m.Page.given},
		{"processor.outstanding", r.m.Processor.Outstanding > 0}, {"processor.ahead", r.m.Processor.Ahead > 0},
	} {
		if key.given {
			r.fail(key.path, "has no effect for target %s, whose processors share one memory of unit cost", PRAM)
		}
	}
	r.m.Assumed = slices.DeleteFunc(r.m.Assumed, func(why string) bool { return strings.HasPrefix(why, "memory.") })
}

// Ideal returns the PRAM with the processors of m: its instructions take as long as on m, and a reference as long as the
// nearest cache of m takes to answer, or its memory if it has no caches.
func (m *Machine) Ideal() *Machine {
	ideal := *m
	ideal.Name = m.Name + "-pram"
	if len(m.Caches) > 0 {
		ideal.Memory.Latency = m.Caches[0].Latency
	}
	ideal.Processor.Outstanding, ideal.Processor.Ahead = 0, 0
	ideal.Caches, ideal.Shared, ideal.Disk, ideal.Network, ideal.TLB, ideal.Placed = nil, nil, nil, nil, nil, nil
	ideal.System = System{Target: PRAM, Processors: m.Count(), Nodes: 1}
	return &ideal
}
