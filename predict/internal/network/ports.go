package network

import (
	"fmt"

	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// ports is a network in which messages compete only for the ports of their nodes. A message holds the sender's port
// for the gap and its bytes after the first, from the send on. It holds the receiver's port for the gap, from the
// arrival on.
type ports struct {
	history
	latency   unit.Picos
	gap       unit.Picos
	nodeGaps  [2][]unit.Picos // gaps between messages that each node sends, and receives, if they are not all equal
	past      *gapHistory     // computes the gaps of each message from the messages so far, if not nil
	perByte   float64         // picoseconds for each byte except the first
	sizes     *bysize.Table   // replaces the fields above, if not nil
	paid      bool            // see PaidPorts
	sameKind  bool            // see Config.SameKind
	bothPorts bool            // see Config.BothPorts
	sends     []channel       // of nodes
	receives  []channel       // the same channels as sends, unless sameKind
}

// newPorts returns p with ports of nodes.
func newPorts(nodes int, p ports) *ports {
	p.sends = make([]channel, nodes)
	p.receives = p.sends
	if p.sameKind {
		p.receives = make([]channel, nodes)
	}
	return &p
}

func (p *ports) Send(at unit.Picos, m Message) Delivery {
	way := p.timesOf(m)
	if !p.begin(at-way.early, m) {
		return Delivery{Free: at, Arrive: at}
	}
	if p.past != nil {
		way.out, way.in = p.past.add(m)
	}
	sent, free := p.sends[m.From].reserve(at-way.early, way.out, m.Bytes, &p.history)
	p.notePortFree()
	begins, _ := p.receives[m.To].reserve(sent+way.first, way.in, m.Bytes, &p.history)
	return delivered(at, free, begins+way.rest, way.first+way.rest-way.early)
}

// portTimes is how a message uses a network of ports. It begins early before it is sent. first is the time from its
// begin until it holds the receiver's port, and rest the time from then to its arrival. It holds the sender's port for
// out and the receiver's for in.
type portTimes struct{ early, first, rest, out, in unit.Picos }

func (p *ports) timesOf(m Message) portTimes {
	if s := p.sizes; s != nil {
		gap := s.Gap.At(m.Bytes)
		if p.paid {
			return portTimes{s.Send.At(m.Bytes), s.FirstByte(), s.RestOfBytes(m.Bytes), gap, gap}
		}
		early := s.FirstByte() - s.Send.At(m.Bytes) // negative if its sender is still busy with it
		return portTimes{0, max(0, early), max(0, s.RestOfBytes(m.Bytes)+min(0, early)), gap, gap}
	}
	carry := picos(float64(max(0, m.Bytes-1)) * p.perByte)
	out, in := p.gap, p.gap
	if p.nodeGaps[0] != nil {
		out, in = p.nodeGaps[0][m.From], p.nodeGaps[1][m.To]
	}
	if p.bothPorts {
		return portTimes{0, p.latency, carry, out + carry, in + carry}
	}
	return portTimes{0, p.latency + carry, 0, out + carry, in}
}

// Usage returns the use of the ports. Without sameKind, a port has both the sends and the receives of a node.
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
