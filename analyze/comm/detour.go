package comm

// Detourer is a Topology that has several routes between two processors.
type Detourer interface {
	Topology
	// Detour appends the links of a route that random draws. All routes are drawn equally often, if random is any
	// number equally often. No route has a link twice.
	Detour(from, to int, random uint64, into []Link) []Link
}

// via appends the route by way of a processor that random draws [valiant1982].
func via(net Topology, from, to int, random uint64, into []Link) []Link {
	if from == to {
		return into
	}
	mid := int(random % uint64(net.Procs()))
	return net.Route(mid, to, net.Route(from, mid, into))
}
