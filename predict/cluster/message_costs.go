package cluster

import (
	"fmt"

	"spoor/analyze/paths"
	"spoor/calibrate/machine"
	networks "spoor/predict/internal/network"
	"spoor/traces/unit"
)

// messageMachine returns the costs of messages between ranks on m, one on each node, and what they leave out. In a network of links,
// a message holds the ports of its nodes for its bytes and its header, and takes the mean number of switches.
func messageMachine(m *machine.Machine, ranks int) (c paths.Machine, left []error, err error) {
	n := m.Network
	switch {
	case n == nil:
		return c, nil, fmt.Errorf("machine %s has no section [network]; give it one, as in data/machine/loggp-example.toml", m.Name)
	case len(m.OtherNodes) > 0:
		return c, nil, fmt.Errorf("machine %s has nodes of several kinds; simulate it with predict replay", m.Name)
	case ranks > 1 && m.System.Processors > 1:
		return c, nil, fmt.Errorf("ranks share the nodes of machine %s, and models do not know the time of messages within a node; simulate it with predict replay", m.Name)
	case n.Model == "plogp" || n.Model == "bus" || n.SimGrid != nil:
		return c, nil, fmt.Errorf("models do not know the time of messages on the %s network of machine %s; simulate it with predict replay", n.Model, m.Name)
	}
	c.Rendezvous, c.Ports = -1, paths.BothPort
	if n.RendezvousMin.Known {
		c.Rendezvous = int64(n.RendezvousMin.Value)
	}
	c.Costs[paths.Send], c.Costs[paths.Receive] = picos(n.Overhead.Value), picos(n.Overhead.Value)
	if n.Sending.Known {
		c.Costs[paths.Send] = picos(n.Sending.Value)
	}
	if n.Receiving.Known {
		c.Costs[paths.Receive] = picos(n.Receiving.Value)
	}
	if err := errLeftOut(m); err != nil {
		return c, nil, err
	}
	if n.Model != "loggp" {
		left, err = linkCosts(m, ranks, &c)
		return c, left, err
	}
	c.Costs[paths.Latency], c.Costs[paths.Gap], c.Costs[paths.Byte] = picos(n.Latency.Value), picos(n.Gap.Value), picos(n.GapPerByte.Value)
	if n.Ports == machine.SendPort {
		c.Ports = paths.SendPort
	}
	return c, nil, nil
}

func picos(s unit.Seconds) float64 { return 1e12 * float64(s) }

// errLeftOut returns an error if n has costs that the message term does not have.
func errLeftOut(m *machine.Machine) error {
	n := m.Network
	for _, key := range []struct {
		name  string
		given bool
	}{{"network.gamma", n.PerLine.Value > 0}, {"network.interrupt", n.Interrupt.Known}, {"network.buffer_copy", n.BufferCopy.Known}} {
		if key.given {
			return fmt.Errorf("machine %s has %s, which models leave out of the time of messages; simulate it with predict replay", m.Name, key.name)
		}
	}
	return nil
}

// linkCosts sets the costs of a network of links, and says what they leave out.
func linkCosts(m *machine.Machine, ranks int, c *paths.Machine) ([]error, error) {
	n := m.Network
	fixed := n.Latency.Value
	if n.Fixed.Known {
		fixed = m.At(n.Fixed.Value)
	}
	perByte := n.GapPerByte.Value
	if n.Bandwidth.Value > 0 {
		perByte = unit.Seconds(1 / (float64(n.Bandwidth.Value) * n.Efficiency))
	}
	c.Costs[paths.Byte] = picos(perByte)
	c.Costs[paths.Gap] = picos(perByte) * float64(n.Header+1)
	c.Costs[paths.Latency] = picos(fixed) + c.Costs[paths.Gap]
	if n.Model == "ideal" {
		return nil, nil
	}
	links, err := meanLinks(m, ranks)
	if err != nil {
		return nil, err
	}
	c.Costs[paths.Latency] += picos(m.At(n.Switch)) * (links - 1)
	left := linkKeysLeftOut(n)
	if n.Model != "switch" {
		left = append(left, fmt.Errorf("messages wait for the ports of nodes, and not for links within the %s network", n.Model))
	}
	return left, nil
}

// linkKeysLeftOut returns the keys of links that the time of messages does not have.
func linkKeysLeftOut(n *machine.Network) (all []error) {
	for _, key := range []struct {
		name  string
		given bool
	}{{"network.rails", n.Rails > 1}, {"network.routing", n.Routing != ""}, {"network.sharing", n.Shared()}} {
		if key.given {
			all = append(all, fmt.Errorf("the time of messages has no %s: messages hold the one port of their node, one after the other", key.name))
		}
	}
	return all
}

// mostPlaced is the largest number of nodes between which all routes are computed.
const mostPlaced = 256

// meanLinks returns the mean number of links between two different nodes.
func meanLinks(m *machine.Machine, ranks int) (float64, error) {
	net, err := networks.Topology(m, networks.NodesOf(m, ranks))
	if err != nil {
		return 0, err
	}
	n, links := min(ranks, mostPlaced), 0
	for from := range n {
		for to := range n {
			if from != to {
				links += len(net.Route(from, to, nil))
			}
		}
	}
	return max(1, float64(links)/float64(max(1, n*(n-1)))), nil
}
