package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/network"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// Semantics selects the rules for sending and receiving messages.
type Semantics string

// The semantics, of package engine.
const (
	LogGPS    Semantics = "spoor"
	LogGOPSim Semantics = "loggopsim"
	SMPI      Semantics = "simgrid"
)

// AllSemantics lists the names of all semantics.
var AllSemantics = []string{string(LogGPS), string(LogGOPSim), string(SMPI)}

// ParseSemantics returns the semantics with a name.
func ParseSemantics(name string) (Semantics, error) {
	if slices.Contains(AllSemantics, name) {
		return Semantics(name), nil
	}
	return "", fmt.Errorf("unknown semantics %q; use one of %s", name, strings.Join(AllSemantics, ", "))
}

// MessageModel returns the cost model of messages on m between ranks. Each processor of m has one rank. The ranks of
// a node share its port or its place in a network of links. Their messages to each other are copied as network.Local
// does. traffic is called only if the gap depends on it.
//
// Limitation: with LogGOPSim's semantics, each rank has a port of its own. A warning says so.
func MessageModel(m *machine.Machine, ranks int, s Semantics, traffic func() []comm.Flow) (cost.Model, error) {
	n := m.Network
	if n == nil {
		return cost.Model{}, fmt.Errorf("machine %q has no section [network], and the trace has messages; give it one, as in data/machine/loggp-example.toml, or replay it on another", m.Name)
	}
	if err := errArrivals(n, s); err != nil {
		return cost.Model{}, err
	}
	if s == SMPI {
		return smpiModel(m, ranks)
	}
	model := cost.Model{Send: n.Overhead.Value.Picos(), Receive: n.Overhead.Value.Picos(), EagerLimit: -1, LogGOPSim: s == LogGOPSim,
		Arrivals: cost.Arrivals{Interrupts: n.Interrupt.Known, Interrupt: n.Interrupt.Value.Picos(), CopyPerByte: float64(n.BufferCopy.Value) * 1e12}}
	if n.Sending.Known {
		model.Send = n.Sending.Value.Picos()
	}
	if n.Receiving.Known {
		model.Receive = n.Receiving.Value.Picos()
	}
	if n.RendezvousMin.Known {
		model.EagerLimit = int64(n.RendezvousMin.Value)
	}
	if n.Model == "loggp" && (model.LogGOPSim || !RanksShareNodes(m, ranks)) {
		model.Latency, model.Gap = n.Latency.Value.Picos(), n.Gap.Value.Picos()
		model.PerByte = float64(n.GapPerByte.Value) * 1e12
		model.ReceiverPort = n.Ports == machine.BothPorts
		return model, nil
	}
	if n.Model == "plogp" && !model.LogGOPSim {
		if model.Sizes = bysize.Of(n); !RanksShareNodes(m, ranks) {
			return model, nil
		}
	}
	if model.LogGOPSim {
		return cost.Model{}, fmt.Errorf("the network of machine %q has model %s; LogGOPSim's semantics need loggp", m.Name, n.Model)
	}
	return linkModel(model, m, ranks, traffic)
}

// errArrivals returns an error if the semantics have no use for the costs of arrivals that n has.
func errArrivals(n *machine.Network, s Semantics) error {
	for _, key := range []struct {
		name  string
		given bool
	}{{"network.interrupt", n.Interrupt.Known}, {"network.buffer_copy", n.BufferCopy.Known}} {
		if key.given && (s == LogGOPSim || s == SMPI) {
			return fmt.Errorf("--semantics %s cannot use %s: messages cost what that simulator charges; remove the key or the flag", s, key.name)
		}
	}
	return nil
}

// linkModel returns the model of a network that package network simulates.
func linkModel(model cost.Model, m *machine.Machine, ranks int, traffic func() []comm.Flow) (cost.Model, error) {
	nodeOf, nodes := m.NodeOf, networkNodes(m, ranks)
	if inOneNode(m) { // logp, which connects the processors of the node
		nodeOf, nodes = func(rank int) int { return rank }, ranks
	}
	var flows []comm.Flow
	if m.Network.GapFrom == machine.GapTraffic {
		for _, f := range traffic() {
			if f.From, f.To = nodeOf(f.From), nodeOf(f.To); f.From != f.To {
				flows = append(flows, f)
			}
		}
	}
	model.Node = func(rank int32) int { return nodeOf(int(rank)) }
	var err error
	if RanksShareNodes(m, ranks) {
		if model.Local, err = network.NewLocal(m, nodes, ranks); err != nil {
			return cost.Model{}, err
		}
	}
	switch {
	case model.Sizes != nil:
		model.Net = network.PaidPorts(nodes, model.Sizes)
	case m.Network.Shared():
		model.Shared, err = network.NewSharedLinks(m, nodes)
	default:
		model.Net, err = network.New(m, nodes, flows...)
	}
	if err != nil {
		return cost.Model{}, err
	}
	return model, nil
}

// networkNodes returns the nodes of the network that ranks need.
func networkNodes(m *machine.Machine, ranks int) (nodes int) {
	for r := range ranks {
		nodes = max(nodes, m.NodeOf(r)+1)
	}
	return network.NodesOf(m, nodes)
}

// lineCost returns the cost of a line of a buffer, and the line size.
func lineCost(n *machine.Network, node *machine.Machine) (gamma unit.Picos, line unit.Bytes, err error) {
	if n == nil || n.PerLine.Value <= 0 {
		return 0, 0, nil
	}
	if len(node.Caches) == 0 {
		return 0, 0, errors.New("network.gamma is a cost for each line, but the machine has no [[cache]] with a line size")
	}
	return n.PerLine.Value.Picos(), node.Caches[0].Line, nil
}

// inOneNode reports whether the network of m connects the processors of its only node.
func inOneNode(m *machine.Machine) bool {
	abstract := m.Network.Model == "loggp" || m.Network.Model == "plogp" || m.Network.Model == "logp"
	return abstract && m.System.Nodes == 1 && len(m.Network.Levels) == 0
}

// RanksShareNodes reports whether two of the ranks are on one node of m, and the network of m connects nodes. An
// abstract network of a single node connects the processors of that node, unless it says what they cost there.
func RanksShareNodes(m *machine.Machine, ranks int) bool {
	if inOneNode(m) {
		return false
	}
	used := map[int]bool{}
	for r := range ranks {
		used[m.NodeOf(r)] = true
	}
	return len(used) < ranks
}

// nodeWarnings say how messages between ranks of one node were simulated, if there were any. They give their costs.
func nodeWarnings(m *machine.Machine, model *cost.Model, ranks int) []error {
	switch {
	case model.SMPI != nil, !RanksShareNodes(m, ranks):
		return nil
	case model.Local == nil:
		return []error{fmt.Errorf("several ranks run on a node of machine %q, but each is simulated with a port of its own, as if it had a node to itself", m.Name)}
	}
	between := network.Overheads{Send: model.Send, Receive: model.Receive, EagerLimit: model.EagerLimit}
	if model.Sizes != nil {
		between.Send, between.Receive = -1, -1
	}
	return model.Local.Notes(between)
}
