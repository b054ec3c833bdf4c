package network

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// Config is the input of models. Each model ignores the fields of others.
type Config struct {
	Nodes int

	// Of models with links.
	Latency    unit.Picos          // fixed part of every message's latency; holds no link
	Bandwidth  unit.BytesPerSecond // of a link; 0 in an ideal network: infinite
	Efficiency float64             // fraction of Bandwidth for messages and headers
	Header     unit.Bytes          // of every message
	Switch     unit.Picos          // latency of a switch between two links
	Packet     unit.Bytes          // packet size, if links carry packets
	comm.Shape                     // of the topology
	Rails      int                 // of equal networks; 0: one
	Routing    string              // as of a machine
	Seed       int

	// Of the LogP family.
	L, Gap     unit.Picos
	GapPerByte unit.Seconds
	Sizes      *bysize.Table // of plogp
	BothPorts  bool          // bytes also hold the receiver's port
	SameKind   bool          // Gap separates two sends, or two receives, but not a send and a receive
	GapFrom    string        // machine.GapBisection, machine.GapTraffic, machine.GapHistory, or empty: Gap
	Topology   string        // for GapFrom
	Traffic    []comm.Flow   // for machine.GapTraffic
}

// Limits of the simulation. They keep every sum of two times within unit.Picos.
const (
	maxNodes     = 1 << 16
	maxTime      = unit.Picos(1e13)
	maxWire      = Horizon / 4 // the longest time of a message
	maxBandwidth = unit.BytesPerSecond(1e15)
	minBandwidth = unit.BytesPerSecond(1e-3)
)

// check returns an error if c is not valid.
func (c Config) check() error {
	if c.Nodes < 1 || c.Nodes > maxNodes {
		return fmt.Errorf("the network has %d nodes; the simulator supports 1 to %d", c.Nodes, maxNodes)
	}
	for _, t := range []struct {
		key  string
		time unit.Picos
	}{{"latency", c.Latency}, {"switch", c.Switch}, {"L", c.L}, {"g", c.Gap}, {"G", c.GapPerByte.Picos()}} {
		if t.time < 0 || t.time > maxTime {
			return fmt.Errorf("network.%s is %v; it must be from 0 to %v", t.key, t.time, maxTime)
		}
	}
	if c.Header < 0 {
		return fmt.Errorf("network.header is %v; it must be at least 0", c.Header)
	}
	return nil
}

// NodesOf returns the number of nodes of m's network if a program uses nodes up to that number: a grid always has all
// of its nodes.
func NodesOf(m *machine.Machine, used int) int {
	if m.Whole || m.Network.Rows > 0 || m.Network.Dims != nil || used < 1 {
		return m.System.Nodes
	}
	return used
}

// New returns the network of m between nodes, of which there may be fewer than m has. traffic is a program's traffic.
// It is needed only by logp with a gap that depends on it.
func New(m *machine.Machine, nodes int, traffic ...comm.Flow) (Network, error) {
	if m.Network == nil {
		return nil, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	model, err := modelNamed(m.Network.Model)
	if err != nil {
		return nil, err
	}
	if m.Network.Shared() {
		return nil, fmt.Errorf("the %s network of machine %q has network.sharing = %q, which works only for message-passing programs; use %q",
			model.Name(), m.Name, m.Network.Sharing, machine.ShareExclusive)
	}
	n, err := model.New(configOf(m, nodes, traffic))
	if err != nil {
		return nil, fmt.Errorf("the %s network of machine %q: %w", model.Name(), m.Name, err)
	}
	return n, nil
}

// modelNamed returns the model with a name.
func modelNamed(name string) (Model, error) {
	var names []string
	for _, m := range All {
		if m.Name() == name {
			return m, nil
		}
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("unknown network model %q; use one of %s", name, strings.Join(names, ", "))
}

// configOf returns the Config of m. Without a latency and a bandwidth, links have L and 1/G.
func configOf(m *machine.Machine, nodes int, traffic []comm.Flow) Config {
	n := m.Network
	c := Config{Nodes: nodes, Bandwidth: n.Bandwidth.Value, Efficiency: n.Efficiency, Header: n.Header,
		Switch: m.At(n.Switch).Picos(), Shape: n.Shape, Packet: n.Packet, Rails: n.Rails, Routing: n.Routing, Seed: n.Seed,
		L: n.Latency.Value.Picos(), Gap: n.Gap.Value.Picos(), GapPerByte: n.GapPerByte.Value,
		BothPorts: n.Ports == machine.BothPorts, SameKind: n.Spacing == machine.SpaceSameKind, GapFrom: n.GapFrom, Topology: n.Topology, Traffic: traffic,
		Sizes: bysize.Of(n)}
	c.Latency = c.L
	if n.Fixed.Known {
		c.Latency = m.At(n.Fixed.Value).Picos()
	}
	if !n.Bandwidth.Known && n.GapPerByte.Value > 0 {
		c.Bandwidth = unit.BytesPerSecond(1 / n.GapPerByte.Value)
	}
	return c
}

// linkTime computes the time that messages hold a link.
type linkTime struct {
	header  float64 // bytes
	perByte float64 // picoseconds
}

// linkTime returns the linkTime of c's links. A bandwidth of zero is an error.
func (c Config) linkTime() (linkTime, error) {
	if c.Bandwidth == 0 {
		return linkTime{}, errors.New("network.bandwidth and network.G are both missing; give one")
	}
	b := c.Bandwidth * unit.BytesPerSecond(c.Efficiency)
	if !(b >= minBandwidth && b <= maxBandwidth && c.Efficiency <= 1) {
		return linkTime{}, fmt.Errorf("network.bandwidth %v times network.efficiency %v is not from %v to %v", c.Bandwidth, c.Efficiency, minBandwidth, maxBandwidth)
	}
	return linkTime{float64(c.Header), 1e12 / float64(b)}, nil
}

// time returns the time of a message. It is at least one picosecond, so that no two messages are on a link at the
// same time.
func (w linkTime) time(b unit.Bytes) unit.Picos {
	return max(1, picos((float64(b)+w.header)*w.perByte))
}

// picos rounds a duration to picoseconds, at most maxWire.
func picos(p float64) unit.Picos {
	if p < float64(maxWire) {
		return unit.Picos(math.Round(p))
	}
	return maxWire
}

// Topology returns the topology of m's links between nodes. For an abstract network it is the topology that the
// network abstracts.
func Topology(m *machine.Machine, nodes int) (comm.Topology, error) {
	if m.Network == nil {
		return nil, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	name := m.Network.Topology
	if name == "" {
		name = m.Network.Model
	}
	if comm.TopologyNamed(name) == nil {
		return nil, fmt.Errorf("the network of machine %q has no topology: %w", m.Name, errNoTopology(name))
	}
	net, err := configOf(m, nodes, nil).topology(name)
	if err != nil {
		return nil, fmt.Errorf("the %s network of machine %q: %w", name, m.Name, err)
	}
	return net, nil
}
