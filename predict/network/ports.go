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
	nodeGaps [2][]unit.Picos // the gaps between messages that each node sends, and receives, if they are not all the same
	perByte  float64         // picoseconds for each byte but the first
	sizes    *SizeTable      // instead of all that, if not nil
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
	way := p.timesOf(m)
	sent, free := p.sends[m.From].reserve(at, way.out, m.Bytes, &p.history)
	p.notePortFree()
	begins, _ := p.receives[m.To].reserve(sent+way.first, way.in, m.Bytes, &p.history)
	return delivered(at, free, begins+way.rest, way.first+way.rest)
}

// way is what a message takes of a network of ports: how long after it was sent it holds its receiver's port, and is there after
// that; and for how long it holds both ports.
type portTimes struct{ first, rest, out, in unit.Picos }

func (p *ports) timesOf(m Message) portTimes {
	if s := p.sizes; s != nil {
		gap := s.Gap.At(m.Bytes)
		early := s.FirstByte() - s.Send.At(m.Bytes) // negative if its sender is still busy with it
		return portTimes{max(0, early), max(0, s.RestOfBytes(m.Bytes)+min(0, early)), gap, gap}
	}
	carry := picos(float64(max(0, m.Bytes-1)) * p.perByte)
	out, in := p.gap, p.gap
	if p.nodeGaps[0] != nil {
		out, in = p.nodeGaps[0][m.From], p.nodeGaps[1][m.To]
	}
	return portTimes{p.latency + carry, 0, out + carry, in}
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
