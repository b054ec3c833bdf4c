// Package routing chooses the links over which messages go through a network.
package routing

import (
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
)

// Router chooses the route of each message.
//
// With several rails, each node has a port on each of so many equal networks. Node n sends its i-th message, from 0, over
// rail (n + i) mod rails. The messages of a node are counted in the order in which they are sent.
//
// Valiant routes go by way of a random place, or over random links up [valiant1982]: see comm.Detourer. Of adaptive routes,
// the minimal one and three such routes are compared when a message is sent: it takes the one by which it would arrive
// first, the minimal one if several are equal. That is UGAL with knowledge of all queues [kim2008, sec. 4.1]. The random
// number follows from the seed, the node and i.
//
// Differs: UGAL compares products of lengths of queues and routes, of one minimal and one Valiant route. Four routes are
// compared in Slingshot networks [desensi2020, sec. II].
type Router struct {
	Plane    comm.Topology // one of the rails
	detours  comm.Detourer // nil: minimal routes
	Adaptive bool
	rails    int
	seed     uint64
	Fixed    bool     // the route of a message depends only on its ends
	sent     []uint64 // messages of each node, if not fixed
}

// Compared is the number of routes that are compared.
const Compared = 4

// NewRouter returns the router of a topology with a routing of package machine. Without a name, routes are minimal.
func NewRouter(net comm.Topology, nodes, rails int, routing string, seed uint64) (Router, error) {
	r := Router{Plane: net, rails: max(1, rails), seed: seed, Adaptive: routing == machine.RouteAdaptive}
	if routing != "" {
		d, is := net.(comm.Detourer)
		if !is || routing != machine.RouteAdaptive && routing != machine.RouteValiant {
			return r, fmt.Errorf("network.routing is %q, which a %s does not have", routing, net.Name())
		}
		r.detours = d
	}
	if r.Fixed = r.detours == nil && r.rails == 1; !r.Fixed {
		r.sent = make([]uint64, nodes)
	}
	return r, nil
}

// Numbered is a message with its place in the order of its sender's messages.
type Numbered struct {
	From, To int
	Number   uint64
}

// Next counts a message.
func (r *Router) Next(from, to int) Numbered {
	t := Numbered{from, to, r.sent[from]}
	r.sent[from]++
	return t
}

// Route appends the i-th route of a message to choose from.
func (r *Router) Route(t Numbered, i int, into []comm.Link) []comm.Link {
	begin := len(into)
	if r.detours == nil || r.Adaptive && i == 0 {
		into = r.Plane.Route(t.From, t.To, into)
	} else {
		into = r.detours.Detour(t.From, t.To, mix(mix(mix(r.seed)+uint64(t.From))+t.Number)+uint64(i)*step, into)
	}
	rail := (uint64(t.From) + t.Number) % uint64(r.rails)
	for k := range into[begin:] {
		into[begin+k] += comm.Link(rail) * comm.Link(r.Plane.Links())
	}
	return into
}

// step and mix are those of the generator SplitMix64 [steele2014].
const step = 0x9e3779b97f4a7c15

func mix(x uint64) uint64 {
	x += step
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// planes is a topology several times over.
type planes struct {
	comm.Topology
	rails int
}

// Links is higher than the number of every link of all rails.
func (p planes) Links() int64 { return p.Topology.Links() * int64(p.rails) }
