package network

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/comm"
	"spoor/predict/internal/network/routing"
)

// Wormhole is a network of links on the kind of topology of its name: see comm.Topologies. On a bus, all messages share
// one medium, which a message holds for the time of its bytes. The network between the workstations of [du2000, sec. 2] is
// a bus with a fixed latency of 75 cycles and messages of 281 bytes, as far as these numbers can be recovered. The
// efficiency is then that of ATM, 48/53. The full network, the hypercube and the mesh are those of [sivasubramaniam1995,
// sec. 5].
type Wormhole string

var _ Model = Wormhole("")

// Name returns the name of the topology.
func (w Wormhole) Name() string { return string(w) }

// New returns a network of links.
func (w Wormhole) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newCircuits(c, w.Name(), true)
}

// linkedModels returns a model for each kind of topology.
func linkedModels() (all []Model) {
	for _, k := range comm.Topologies {
		if k.Name == (Switch{}).Name() {
			all = append(all, Switch{})
		} else {
			all = append(all, Wormhole(k.Name))
		}
	}
	return all
}

// All lists every model.
var All = slices.Concat([]Model{Ideal{}}, linkedModels(), []Model{LogP{}, LogGP{}, PLogP{}})

// topology returns the topology with a name.
func (c Config) topology(name string) (comm.Topology, error) {
	k := comm.TopologyNamed(name)
	if k == nil {
		return nil, errNoTopology(name)
	}
	return k.New(c.Shape, c.Nodes)
}

func errNoTopology(name string) error {
	var names []string
	for _, k := range comm.Topologies {
		names = append(names, k.Name)
	}
	return fmt.Errorf("%q is no topology; use one of %s", name, strings.Join(names, ", "))
}

// linkedBy returns the routes of the topology with a name, and the time of bytes on a link.
func (c Config) linkedBy(name string) (r routing.Router, w linkTime, err error) {
	net, err := c.topology(name)
	if err != nil {
		return r, w, err
	}
	if r, err = routing.NewRouter(net, c.Nodes, c.Rails, c.Routing, uint64(c.Seed)); err != nil {
		return r, w, err
	}
	w, err = c.linkTime()
	return r, w, err
}
