package network

import "spoor/analyze/comm/topology"

// waysOf is the most nodes for which ways are remembered: 64 Ki of them.
const maxCachedNodes = 256

// routes are the links of a network with what each has, and the ways over them.
type routes[T any] struct {
	net    topology.Topology
	nodes  int
	links  topology.PerLink[T]
	cached [][]*T // by sender and receiver, those that were used; nil: there are too many nodes
	route  []topology.Link
}

func newRoutes[T any](net topology.Topology, nodes int) routes[T] {
	r := routes[T]{net: net, nodes: nodes, links: topology.NewPerLink[T](net)}
	if nodes <= maxCachedNodes {
		r.cached = make([][]*T, nodes*nodes)
	}
	return r
}

// way is the links from one node to another, which is not the same. It takes the memory of a way that is no longer needed, unless it is kept.
func (r *routes[T]) between(from, to int, old []*T) []*T {
	kept := &old
	if r.cached != nil {
		if kept = &r.cached[from*r.nodes+to]; *kept != nil {
			return *kept
		}
	}
	r.route = r.net.Route(from, to, r.route[:0])
	way := (*kept)[:0]
	for _, l := range r.route {
		way = append(way, r.links.At(l))
	}
	*kept = way
	return way
}
