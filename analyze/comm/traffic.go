package comm

import (
	"spoor/analyze/comm/topology"
	"spoor/traces/unit"
)

// traffic is what the messages ask of a network.
type traffic struct {
	net             topology.Topology
	messages, bytes uint64 // between different processors
	hops            float64
	neighbours      float64
	busiest         topology.Link // by messages
	mostMessages    uint64
	mostBytes       uint64
}

// load is the messages on a link.
type load struct{ messages, bytes uint64 }

// maxDense is how many links a network may have whose loads are an array.
const maxDense = 1 << 20

// loads are those of all links that have any.
type loads struct {
	dense  []load
	sparse map[topology.Link]*load
}

func newLoads(links int64) loads {
	if links <= maxDense {
		return loads{dense: make([]load, links)}
	}
	return loads{sparse: map[topology.Link]*load{}}
}

func (on loads) add(l topology.Link, c *cell) {
	var at *load
	if on.sparse == nil {
		at = &on.dense[l]
	} else if at = on.sparse[l]; at == nil {
		at = new(load)
		on.sparse[l] = at
	}
	at.messages += c.messages
	at.bytes += c.bytes
}

// all yields every load with its link, in any order.
func (on loads) all(yield func(topology.Link, *load) bool) {
	for i := range on.dense {
		if !yield(topology.Link(i), &on.dense[i]) {
			return
		}
	}
	for l, at := range on.sparse {
		if !yield(l, at) {
			return
		}
	}
}

// trafficOf routes all messages over all topologies; there are none without messages.
func trafficOf(m *matrix, procs int) (all []traffic) {
	pairs := m.pairs()
	if m.total.messages == 0 {
		return nil
	}
	for _, net := range topology.All(procs) {
		t := traffic{net: net}
		t.route(m, pairs)
		if t.messages > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (t *traffic) route(m *matrix, pairs []pair) {
	on := newLoads(t.net.Links())
	atHops := map[int]uint64{}
	var way []topology.Link
	for _, p := range pairs {
		if p.from == p.to {
			continue
		}
		c := m.cells[p]
		way = t.net.Route(int(p.from), int(p.to), way[:0])
		for _, l := range way {
			on.add(l, c)
		}
		t.messages += c.messages
		t.bytes += c.bytes
		atHops[len(way)] += c.messages
	}
	for l, at := range on.all {
		if at.messages > t.mostMessages || at.messages == t.mostMessages && l < t.busiest {
			t.busiest, t.mostMessages = l, at.messages
		}
		t.mostBytes = max(t.mostBytes, at.bytes)
	}
	t.locality(atHops)
}

// locality is how far messages go; neighbours are as near as any two processors are.
func (t *traffic) locality(atHops map[int]uint64) {
	if t.messages == 0 {
		return
	}
	nearest := len(t.net.Route(0, 1, nil)) // consecutive processors are neighbours everywhere
	links := uint64(0)
	for hops, n := range atHops {
		links += uint64(hops) * n
	}
	t.hops = float64(links) / float64(t.messages)
	t.neighbours = float64(atHops[nearest]) / float64(t.messages)
}

// each is the messages that a processor sends, on average.
func (t *traffic) each() float64 { return float64(t.messages) / float64(t.net.Procs()) }

// trafficGap is g of LogP by the busiest link, in messages.
func (t *traffic) trafficGap() float64 { return float64(t.mostMessages) / t.each() }

// bisectionGap is g by the bisection, in messages.
func (t *traffic) bisectionGap() float64 {
	return float64(t.net.Procs()) / float64(t.net.Bisection())
}

// trafficTime is g by the busiest link of so much bandwidth.
func (t *traffic) trafficTime(b unit.BytesPerSecond) float64 {
	return float64(t.mostBytes) / t.each() / float64(b)
}

// bisectionTime is g by the bisection, for messages of mean length.
func (t *traffic) bisectionTime(b unit.BytesPerSecond) float64 {
	return float64(t.bytes) / float64(t.messages) * t.bisectionGap() / float64(b)
}
