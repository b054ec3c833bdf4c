package network

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/network/routing"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// Packets is a network of links that carry one packet at a time. A message is cut into packets of equal size, each
// with a header; the last may be shorter. A message without bytes is one packet. A link takes packets in the order in
// which their heads arrive, ties by Order. Each packet holds it for
//
//	T = (bytes of it + header)/(bandwidth efficiency), at least a picosecond
//
// The head of a packet is at the next link of its route d after it is on the one before (virtual cut-through). The
// tail of the last packet is at the receiver the fixed latency after it has left the last link. The next packet of a
// message arrives at its first link when that link has carried the one before. So messages of a node, and those that
// meet on a link, alternate by packets. Without contention, a message takes the sum of T of its packets, d for each
// switch, and the latency.
//
// Differs: links have unlimited buffers for waiting packets. So no packet blocks packets for other links, and there
// is no deadlock. A message of more than 2^20 packets is cut into 2^20 larger ones.
//
// The packets of several messages alternate, so the arrival of a message is not known when it is sent: see
// SharedLinks. Packets is not safe for concurrent use.
type Packets struct {
	history
	linkTime
	size     unit.Bytes // of a packet
	latency  unit.Picos
	hop      unit.Picos
	routes   routing.Routes[packetLink]
	transits []transit
	free     []int32
	heads    heap.Heap[unit.Picos, int32, uint64, headed]
	now      unit.Picos
	ended    []Completion
}

// packetLink is a link, and until when it is in use.
type packetLink struct {
	taken, busy unit.Picos
	ahead       float64 // picoseconds for the packets of messages whose route it is on, if routes are chosen
	sent        tally
}

// transit is a message that is in flight or will be sent.
type transit struct {
	route     []*packetLink
	bytes     unit.Bytes
	remaining unit.Bytes // bytes that are in no packet yet
	size      unit.Bytes // of its packets
	sent      unit.Picos
	order     Order
	from, to  int32
	routed    bool // has its route, from when its first packet is sent
}

// maxPackets is the maximum number of packets of a message.
const maxPackets = 1 << 20

var _ SharedLinks = (*Packets)(nil)

// NewPackets returns the network of m's links between nodes, of which there may be fewer than m has.
func NewPackets(m *machine.Machine, nodes int) (*Packets, error) {
	if m.Network == nil {
		return nil, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	p, err := newPackets(configOf(m, nodes, nil), m.Network.Model)
	if err != nil {
		return nil, fmt.Errorf("the %s network of machine %q: %w", m.Network.Model, m.Name, err)
	}
	return p, nil
}

func newPackets(c Config, name string) (*Packets, error) {
	r, w, err := c.linksToShare(name)
	if err != nil {
		return nil, err
	}
	if c.Packet < 1 {
		return nil, fmt.Errorf("network.packet is %v; it must be at least one byte", c.Packet)
	}
	return &Packets{linkTime: w, size: c.Packet, latency: c.Latency, hop: c.Switch, routes: routing.New[packetLink](r, c.Nodes)}, nil
}

// Send implements SharedLinks.
func (p *Packets) Send(at unit.Picos, m Message, o Order) {
	if at < p.now {
		panic(fmt.Sprintf("network: a message at %d ps, after what happened at %d ps", int64(at), int64(p.now)))
	}
	p.history.sent.add(m.Bytes)
	id := p.allocate()
	n := &p.transits[id]
	*n = transit{route: n.route, from: int32(m.From), to: int32(m.To), bytes: m.Bytes, remaining: m.Bytes, size: p.packetSize(m.Bytes), sent: at, order: o}
	p.sendNextPacket(id, at)
}

// packetSize returns the bytes of each packet of a message.
func (p *Packets) packetSize(b unit.Bytes) unit.Bytes { return max(p.size, (b-1)/maxPackets+1) }

// sendNextPacket sends the next packet of a message to its first link.
func (p *Packets) sendNextPacket(id int32, at unit.Picos) {
	n := &p.transits[id]
	b := min(n.remaining, n.size)
	n.remaining -= b
	p.heads.Push(headAt(at, n.order, headed{transit: id, bytes: b, last: n.remaining == 0}))
}

// MinTime implements SharedLinks.
func (p *Packets) MinTime(b unit.Bytes) unit.Picos {
	size := p.packetSize(b)
	full := max(0, b-1) / size // packets before the last
	each, last := p.time(size), p.time(b-full*size)
	if float64(full)*float64(each) >= float64(maxWire) {
		return maxWire
	}
	return min(unit.Picos(full)*each+last, maxWire)
}

// Next implements SharedLinks.
func (p *Packets) Next() unit.Picos {
	if len(p.heads) == 0 {
		return Never
	}
	return p.heads[0].Key
}

// Step implements SharedLinks. Its messages leave or arrive a little later than now.
func (p *Packets) Step() []Completion {
	p.now, p.ended = p.Next(), p.ended[:0]
	for len(p.heads) > 0 && p.heads[0].Key == p.now {
		h := p.heads.Pop()
		p.transmit(h.Key, h.Value)
	}
	return p.ended
}

// transmit lets a packet, whose head arrives at a link, use the link when it is free.
func (p *Packets) transmit(at unit.Picos, h headed) {
	n := &p.transits[h.transit]
	if !n.routed {
		p.route(n, at)
	}
	l := n.route[h.hop]
	long := p.time(h.bytes)
	if !p.routes.Fixed {
		l.ahead -= float64(long)
	}
	begins := max(at, l.taken)
	over := min(begins+long, Horizon)
	l.taken, l.busy = over, min(l.busy+long, Horizon)
	end := int(h.hop) == len(n.route)-1
	if h.last {
		l.sent.add(n.bytes)
		if h.hop == 0 || end {
			rest := unit.Picos(len(n.route)-1-int(h.hop))*p.hop + p.latency
			idle := p.MinTime(n.bytes) + unit.Picos(len(n.route)-1)*p.hop + p.latency
			p.ended = append(p.ended, Completion{n.order.Tag, n.sent, delivered(n.sent, over, over+rest, idle), h.hop == 0, end})
		}
	} else if h.hop == 0 {
		p.sendNextPacket(h.transit, over)
	}
	switch {
	case !end:
		h.hop++
		p.heads.Push(headAt(min(begins+p.hop, Horizon), n.order, h))
	case h.last:
		p.free = append(p.free, h.transit)
	}
}

// route finds the links of a message when its first packet is sent.
func (p *Packets) route(n *transit, at unit.Picos) {
	n.routed = true
	if p.routes.Fixed {
		n.route = p.routes.Between(int(n.from), int(n.to), n.route)
		return
	}
	n.route = p.routes.Choose(int(n.from), int(n.to), n.route, func(way []*packetLink) unit.Picos { return p.estimate(way, at) })
	for _, l := range n.route {
		l.ahead += float64(p.MinTime(n.bytes))
	}
}

// estimate returns when a message would have left, without the time of its own bytes, if the packets of all messages on its
// way that are there now went first.
func (p *Packets) estimate(way []*packetLink, at unit.Picos) unit.Picos {
	free := at
	for _, l := range way {
		free = max(free, max(at, l.taken)+picos(l.ahead))
	}
	return free + unit.Picos(len(way)-1)*p.hop
}

func (p *Packets) allocate() int32 {
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		return id
	}
	p.transits = append(p.transits, transit{})
	return int32(len(p.transits) - 1)
}

// Usage returns the use of the links.
func (p *Packets) Usage() Usage {
	var parts []Part
	for l, n := range p.routes.Links.All() {
		if n.sent.messages > 0 {
			parts = append(parts, Part{routing.LinkName(p.routes.Net, l), n.sent.messages, n.sent.bytes, n.busy})
		}
	}
	return p.usage(parts)
}
