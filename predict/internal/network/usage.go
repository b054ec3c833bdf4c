package network

import (
	"fmt"
	"math"

	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// Usage is the traffic of a network.
type Usage struct {
	Messages uint64
	Bytes    unit.Bytes // of messages, without headers
	Parts    []Part     // that carried messages, in order; none in an ideal network
}

// Part is a resource for which messages compete: a bus, a link, or a node's port.
type Part struct {
	Name     string
	Messages uint64
	Bytes    unit.Bytes
	Busy     unit.Picos // time for which it was held, including messages that waited for their next link
}

// Busiest returns the part that was held longest, ties by order. It has no name if there is none.
func (u Usage) Busiest() (p Part) {
	for _, q := range u.Parts {
		if p.Name == "" || q.Busy > p.Busy {
			p = q
		}
	}
	return p
}

// tally counts messages.
type tally struct {
	messages uint64
	bytes    unit.Bytes // at most the largest value
}

func (t *tally) add(b unit.Bytes) {
	t.messages++
	if t.bytes += b; t.bytes < 0 {
		t.bytes = math.MaxInt64
	}
}

// linkName returns the ends of a link, its number among several that are parallel, and its rail.
func linkName(net comm.Topology, l comm.Link) string {
	node := func(n int) string {
		if n >= net.Procs() {
			return fmt.Sprintf("switch %d", n-net.Procs())
		}
		return fmt.Sprintf("node %d", n)
	}
	rail := ""
	if p, is := net.(planes); is {
		net = p.Topology
		plane := comm.Link(net.Links())
		l, rail = l%plane, fmt.Sprintf(", rail %d", l/plane)
	}
	from, to, _ := net.Ends(l)
	if from == to {
		return "bus" + rail // the only link that all nodes share
	}
	if of, is := net.(interface{ Lane(comm.Link) int }); is && of.Lane(l) > 0 {
		rail = fmt.Sprintf(", link %d", of.Lane(l)) + rail
	}
	return node(from) + " to " + node(to) + rail
}
