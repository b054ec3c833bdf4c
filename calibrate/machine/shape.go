package machine

import (
	"math"
	"slices"
	"strings"

	"spoor/analyze/comm"
)

// Values of Network.Routing besides minimal routes, which are "".
const (
	routeMinimal  = "minimal"
	RouteValiant  = "valiant"  // by way of a random node or group, or over random links up [valiant1982]
	RouteAdaptive = "adaptive" // the one of several routes by which the message arrives first
)

// maxRails and maxSeed bound keys.
const (
	maxRails = 64
	maxSeed  = 1<<53 - 1
)

// kindsWith returns the names of the kinds of topologies with a property.
func kindsWith(has func(k *comm.TopologyKind) bool) (names []string) {
	for _, k := range comm.Topologies {
		if has(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

func isDetours(k *comm.TopologyKind) bool { return k.Detours }

// shape reads the keys that describe a topology.
func (r *reader) shape(t *networkText, n *Network) {
	topology := n.Model
	if n.Topology != "" {
		topology = n.Topology
	}
	r.shapeCounts(t, n, topology)
	for _, key := range []struct {
		name  string
		given []int64
		value *[]int
	}{{"dims", t.Dims, &n.Dims}, {"down", t.Down, &n.Down}, {"up", t.Up, &n.Up}, {"parallel", t.Parallel, &n.Parallel}} {
		if key.given == nil {
			continue
		}
		r.shapes(key.name, topology)
		for _, c := range key.given {
			*key.value = append(*key.value, r.count("network."+key.name, &c, math.MaxInt32))
		}
		if len(key.given) == 0 {
			r.fail("network."+key.name, "is empty; give one number for each dimension or level")
		}
	}
	if t.Taper != nil {
		r.shapes("taper", topology)
		if n.Taper = *t.Taper; n.Taper == 0 {
			r.fail("network.taper", "0 is less than 1")
		}
	}
	if k := comm.TopologyNamed(topology); k != nil && r.err == nil {
		if _, err := k.Hosts(n.Shape); err != nil {
			path, what, _ := strings.Cut(err.Error(), " ")
			r.fail(path, "%s", what)
		}
	}
}

// shapeCounts reads the keys of a shape that are one number. Those that a shape needs together are all read if one is given.
func (r *reader) shapeCounts(t *networkText, n *Network, topology string) {
	switch {
	case t.Rows == nil && t.Cols == nil:
	case len(t.Dims) > 0:
		r.fail("network.dims", "is given besides network.rows; give one of them")
	default:
		r.shapes("rows", topology)
		n.Rows, n.Cols = r.count("network.rows", t.Rows, maxNodeProcessors), r.count("network.cols", t.Cols, maxNodeProcessors)
	}
	dragonfly := topology == "dragonfly" && (t.Groups != nil || t.Chassis != nil || t.Routers != nil || t.Hosts != nil || t.Global != nil)
	for _, key := range []struct {
		name   string
		given  *int64
		needed bool
		value  *int
	}{{"arity", t.Arity, false, &n.Arity}, {"groups", t.Groups, dragonfly, &n.Groups}, {"chassis", t.Chassis, false, &n.Chassis},
		{"routers", t.Routers, dragonfly, &n.Routers}, {"hosts", t.Hosts, dragonfly, &n.Hosts}, {"global", t.Global, false, &n.Global}} {
		if key.given != nil || key.needed {
			r.shapes(key.name, topology)
			*key.value = r.count("network."+key.name, key.given, maxNodeProcessors)
		}
	}
	if t.Arity != nil && n.Arity == 1 {
		r.fail("network.arity", "1 is less than 2")
	}
}

// shapes refuses a key that is not part of the shape of a topology.
func (r *reader) shapes(key, topology string) {
	r.belongs("network."+key, topology, kindsWith(func(k *comm.TopologyKind) bool { return slices.Contains(k.Keys, key) })...)
}

// routes reads the choice of routes.
func (r *reader) routes(t *networkText, n *Network) {
	if t.Rails != nil {
		r.belongs("network.rails", n.Model, contended...)
		if n.Rails = r.count("network.rails", t.Rails, maxRails); n.Rails == 1 {
			n.Rails = 0
		}
	}
	if t.Routing != nil {
		r.belongs("network.routing", n.Model, kindsWith(isDetours)...)
		if n.Routing = r.oneOf("network.routing", t.Routing, []string{routeMinimal, RouteValiant, RouteAdaptive}); n.Routing == routeMinimal {
			n.Routing = ""
		}
		if k := comm.TopologyNamed(n.Model); k != nil && n.Routing != "" && k.OneRoute != nil && k.OneRoute(n.Shape) {
			r.fail("network.routing", "%q has no effect: there is one route between two nodes of this %s", n.Routing, n.Model)
		}
	}
	switch {
	case t.Seed == nil:
	case n.Routing == "":
		r.fail("network.seed", "has no effect without network.routing = %q or %q", RouteValiant, RouteAdaptive)
	case *t.Seed < 0 || *t.Seed > maxSeed:
		r.fail("network.seed", "%d is not from 0 to %d", *t.Seed, maxSeed)
	default:
		n.Seed = int(*t.Seed)
	}
}

// Room returns the number of nodes that the topology of n has room for, or 0 if it adapts to any number.
func (n *Network) Room() int {
	name := n.Model
	if n.Topology != "" {
		name = n.Topology
	}
	k := comm.TopologyNamed(name)
	if k == nil {
		return 0
	}
	hosts, _ := k.Hosts(n.Shape)
	return hosts
}
