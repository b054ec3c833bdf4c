package network

import (
	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// gapHistory computes the gaps of LogP from the messages that the network has carried so far, the present one included.
// A node's gap between messages that it sends is L times the messages on the busiest link of their routes for each of
// them; likewise for received ones. These are the gaps of comm.Gaps for the traffic so far [sivasubramaniam1995, sec. 7:
// "maintain a history of the execution"]. The first message of a node has a gap of at least L, the time of its link.
type gapHistory struct {
	net     comm.Topology
	latency unit.Picos
	on      comm.PerLink[uint64] // messages
	sends   []linkHistory        // by node
	gets    []linkHistory
	way     []comm.Link
}

// linkHistory is the messages that a node has sent or received, and the links that they used.
type linkHistory struct {
	messages uint64
	used     map[comm.Link]bool
	links    []comm.Link
}

func newGapHistory(net comm.Topology, latency unit.Picos) *gapHistory {
	h := &gapHistory{net: net, latency: latency, on: comm.NewPerLink[uint64](net)}
	h.sends, h.gets = make([]linkHistory, net.Procs()), make([]linkHistory, net.Procs())
	return h
}

// add adds a message and returns the gaps of its sender and its receiver.
func (h *gapHistory) add(m Message) (out, in unit.Picos) {
	h.way = h.net.Route(m.From, m.To, h.way[:0])
	for _, l := range h.way {
		*h.on.At(l)++
	}
	return h.gap(&h.sends[m.From]), h.gap(&h.gets[m.To])
}

// gap adds the present message to a history, and returns its gap.
func (h *gapHistory) gap(of *linkHistory) unit.Picos {
	of.messages++
	for _, l := range h.way {
		if !of.used[l] {
			if of.used == nil {
				of.used = map[comm.Link]bool{}
			}
			of.used[l] = true
			of.links = append(of.links, l)
		}
	}
	most := uint64(0)
	for _, l := range of.links {
		most = max(most, *h.on.At(l))
	}
	return picos(float64(h.latency) * (float64(most) / float64(of.messages)))
}
