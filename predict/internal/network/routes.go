package network

import "spoor/analyze/comm"

// maxCachedNodes is the maximum number of nodes for which routes are cached: 64 Ki routes.
const maxCachedNodes = 256

// routes holds the links of a network with a value for each, and the routes over them.
type routes[T any] struct {
	net    comm.Topology
	nodes  int
	links  comm.PerLink[T]
	cached [][]*T // by sender and receiver, those that were used; nil: too many nodes
	route  []comm.Link
}

func newRoutes[T any](net comm.Topology, nodes int) routes[T] {
	r := routes[T]{net: net, nodes: nodes, links: comm.NewPerLink[T](net)}
	if nodes <= maxCachedNodes {
		r.cached = make([][]*T, nodes*nodes)
	}
	return r
}

// between returns the links from one node to another. The nodes must differ. It reuses the memory of old, unless
// routes are cached.
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
