package machine

import (
	"strings"

	"spoor/traces/unit"
)

// Network connects the nodes. The parameters are those of LogGPS; which of them
// are known, and which a model of the network needs, differs.
type Network struct {
	Model         string // one of networks
	Latency       Given[unit.Seconds]
	Overhead      Given[unit.Seconds] // of the processor that sends or receives a message
	Gap           Given[unit.Seconds] // between the starts of two messages of one node
	GapPerByte    Given[unit.Seconds]
	RendezvousMin Given[unit.Bytes] // messages larger than this wait for their receiver
}

// Given is a value that a description may leave out.
type Given[T any] struct {
	Value T
	Known bool
}

// networks are the models of a network that a description may name.
var networks = []string{"ideal", "loggp", "bus", "switch", "full", "hypercube", "mesh", "torus", "fattree"}

// The slowest network that is believed.
const maxPerByte = unit.Seconds(1)

func (r *reader) network(n *networkText) *Network {
	if n == nil {
		return nil
	}
	out := &Network{Model: r.oneOf("network.model", n.Model, networks)}
	out.Latency = r.duration("network.L", n.L)
	out.Overhead = r.duration("network.o", n.O)
	out.Gap = r.duration("network.g", n.SmallG)
	out.GapPerByte = r.perByte("network.G", n.G)
	if n.S.given {
		out.RendezvousMin = Given[unit.Bytes]{r.size("network.S", n.S, 0), true}
	}
	if out.Model == "loggp" {
		for _, need := range []struct {
			key   string
			known bool
		}{{"network.L", out.Latency.Known}, {"network.o", out.Overhead.Known}, {"network.g", out.Gap.Known}, {"network.G", out.GapPerByte.Known}} {
			if !need.known {
				r.fail(need.key, "is missing; the loggp network needs it")
			}
		}
	}
	return out
}

func (r *reader) duration(path string, t text) Given[unit.Seconds] {
	if !t.given {
		return Given[unit.Seconds]{}
	}
	s, err := unit.Parse(t.value, "s")
	if err != nil {
		r.fail(path, "%v", err)
	}
	return Given[unit.Seconds]{r.inRange(path, unit.Seconds(s)), true}
}

// perByte reads "2 ns/B".
func (r *reader) perByte(path string, t text) Given[unit.Seconds] {
	if !t.given {
		return Given[unit.Seconds]{}
	}
	time, ok := strings.CutSuffix(strings.TrimSpace(t.value), "/B")
	s, err := unit.Parse(time, "s")
	if err != nil || !ok {
		r.fail(path, "%q is not a time per byte such as %q", t.value, "2 ns/B")
	}
	if !(s >= 0) || unit.Seconds(s) > maxPerByte {
		r.fail(path, "%q is not from 0 to %v/B", t.value, maxPerByte)
	}
	return Given[unit.Seconds]{unit.Seconds(s), true}
}
