package network

import (
	"fmt"
	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// maxCachedNodes is the maximum number of nodes for which routes are cached: 64 Ki routes.
const maxCachedNodes = 256

// routes holds the links of a network with a value for each, and the routes over them.
type routes[T any] struct {
	router
	net    comm.Topology // with all rails
	nodes  int
	links  comm.PerLink[T]
	number func(*T, comm.Link) // tells a link its number, if not nil
	cached [][]*T              // by sender and receiver, those that were used; nil: too many nodes, or several routes
	route  []comm.Link
	spare  []*T
}

func newRoutes[T any](r router, nodes int) routes[T] {
	net := r.plane
	if r.rails > 1 {
		net = planes{net, r.rails}
	}
	n := routes[T]{router: r, net: net, nodes: nodes, links: comm.NewPerLink[T](net)}
	if nodes <= maxCachedNodes && r.fixed {
		n.cached = make([][]*T, nodes*nodes)
	}
	return n
}

// choose returns the links of the next message from one node to another, if routes are not fixed. The nodes must differ. It
// reuses the memory of old. arrival returns when the message would arrive over links, from any moment on; adaptive
// routes need it.
func (r *routes[T]) choose(from, to int, old []*T, arrival func(way []*T) unit.Picos) []*T {
	t := r.next(from, to)
	best := r.way(r.router.route(t, 0, r.route[:0]), old)
	if !r.adaptive {
		return best
	}
	for i, least := 1, arrival(best); i < adaptiveRoutes; i++ {
		r.spare = r.way(r.router.route(t, i, r.route[:0]), r.spare)
		if a := arrival(r.spare); a < least {
			best, r.spare, least = r.spare, best, a
		}
	}
	return best
}

// between returns the links from one node to another, if routes are fixed. The nodes must differ. It reuses the memory of
// old, unless routes are cached.
func (r *routes[T]) between(from, to int, old []*T) []*T {
	if r.cached == nil {
		return r.way(r.plane.Route(from, to, r.route[:0]), old)
	}
	kept := &r.cached[from*r.nodes+to]
	if *kept == nil {
		*kept = r.way(r.plane.Route(from, to, r.route[:0]), nil)
	}
	return *kept
}

// way returns the links of a route, in the memory of old.
func (r *routes[T]) way(route []comm.Link, old []*T) []*T {
	r.route = route
	way := old[:0]
	for _, l := range route {
		at := r.links.At(l)
		if r.number != nil {
			r.number(at, l)
		}
		way = append(way, at)
	}
	return way
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
