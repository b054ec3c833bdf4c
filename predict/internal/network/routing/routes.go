package routing

import (
	"fmt"

	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// maxCachedNodes is the maximum number of nodes for which routes are cached: 64 Ki routes.
const maxCachedNodes = 256

// Routes holds the links of a network with a value for each, and the routes over them.
type Routes[T any] struct {
	Router
	Net    comm.Topology // with all rails
	nodes  int
	Links  comm.PerLink[T]
	Number func(*T, comm.Link) // tells a link its number, if not nil
	cached [][]*T              // by sender and receiver, those that were used; nil: too many nodes, or several routes
	found  []comm.Link
	spare  []*T
}

// New returns the routes of a network of nodes, without values.
func New[T any](r Router, nodes int) Routes[T] {
	net := r.Plane
	if r.rails > 1 {
		net = planes{net, r.rails}
	}
	n := Routes[T]{Router: r, Net: net, nodes: nodes, Links: comm.NewPerLink[T](net)}
	if nodes <= maxCachedNodes && r.Fixed {
		n.cached = make([][]*T, nodes*nodes)
	}
	return n
}

// Choose returns the links of the next message from one node to another, if routes are not fixed. The nodes must differ. It
// reuses the memory of old. arrival returns when the message would arrive over links, from any moment on; adaptive
// routes need it.
func (r *Routes[T]) Choose(from, to int, old []*T, arrival func(way []*T) unit.Picos) []*T {
	t := r.Next(from, to)
	best := r.Way(r.Router.Route(t, 0, r.found[:0]), old)
	if !r.Adaptive {
		return best
	}
	for i, least := 1, arrival(best); i < Compared; i++ {
		r.spare = r.Way(r.Router.Route(t, i, r.found[:0]), r.spare)
		if a := arrival(r.spare); a < least {
			best, r.spare, least = r.spare, best, a
		}
	}
	return best
}

// Between returns the links from one node to another, if routes are fixed. The nodes must differ. It reuses the memory of
// old, unless routes are cached.
func (r *Routes[T]) Between(from, to int, old []*T) []*T {
	if r.cached == nil {
		return r.Way(r.Plane.Route(from, to, r.found[:0]), old)
	}
	kept := &r.cached[from*r.nodes+to]
	if *kept == nil {
		*kept = r.Way(r.Plane.Route(from, to, r.found[:0]), nil)
	}
	return *kept
}

// Way returns the links of a route, in the memory of old.
func (r *Routes[T]) Way(route []comm.Link, old []*T) []*T {
	r.found = route
	way := old[:0]
	for _, l := range route {
		at := r.Links.At(l)
		if r.Number != nil {
			r.Number(at, l)
		}
		way = append(way, at)
	}
	return way
}

// LinkName returns the ends of a link, its number among several that are parallel, and its rail.
func LinkName(net comm.Topology, l comm.Link) string {
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
