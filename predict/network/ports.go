package network

import (
	"fmt"

	"spoor/traces/unit"
)

// ports is a network in which messages compete for their nodes' ports alone. A message takes
// the port for the gap and its further bytes after it is sent, and for the gap after it arrives.
type ports struct {
	history
	latency  unit.Picos
	gap      unit.Picos
	apart    [2][]unit.Picos // the gaps between messages that each node sends, and receives, if they are not all the same
	perByte  float64         // picoseconds for each byte but the first
	sameKind bool            // the gap is between messages sent, and between messages received
	sends    []channel       // of nodes
	receives []channel       // the same if the gap is between any two
}

// newPorts is p with so many nodes.
func newPorts(nodes int, p ports) *ports {
	p.sends = make([]channel, nodes)
	p.receives = p.sends
	if p.sameKind {
		p.receives = make([]channel, nodes)
	}
	return &p
}

func (p *ports) Send(at unit.Picos, m Message) Delivery {
	if !p.begin(at, m) {
		return Delivery{Free: at, Arrive: at}
	}
	carry := picos(float64(max(0, m.Bytes-1)) * p.perByte)
	latency := p.latency + carry
	out, in := p.gap, p.gap
	if p.apart[0] != nil {
		out, in = p.apart[0][m.From], p.apart[1][m.To]
	}
	sent, free := p.sends[m.From].reserve(at, out+carry, m.Bytes, p.settled)
	arrive, _ := p.receives[m.To].reserve(sent+latency, in, m.Bytes, p.settled)
	return delivered(at, free, arrive, latency)
}

// Usage is over the ports. If the gap is between any two messages, a port has those both ways.
func (p *ports) Usage() Usage {
	var parts []Part
	for node := range p.sends {
		name := fmt.Sprintf("node %d", node)
		if out := &p.sends[node]; !p.sameKind && out.sent.messages > 0 {
			parts = append(parts, out.part(name))
			continue
		} else if out.sent.messages > 0 {
			parts = append(parts, out.part(name+" sends"))
		}
		if in := &p.receives[node]; in.sent.messages > 0 {
			parts = append(parts, in.part(name+" receives"))
		}
	}
	return p.usage(parts)
}
