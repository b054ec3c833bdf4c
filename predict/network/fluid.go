package network

import (
	"fmt"

	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Fluid is a network of links whose bandwidth all messages on their way share, max-min fairly: nobody's rate can be raised
// but by lowering one that is not higher. So every message crosses a link without bandwidth left on which no message is faster. It is
// how SimGrid has networks [casanova2014], without the factors that it is calibrated with. A message sends its bytes and header over all links
// of its way at one rate, from its begin on; when all are sent, it takes the fixed latency, and d for each switch, which hold nothing.
//
// What comes later slows down what came before: see Shared. It is not safe for concurrent use.
type Fluid struct {
	history
	linkTime
	net        topology.Topology
	latency    unit.Picos
	hop        unit.Picos
	links      topology.PerLink[fluidLink]
	nodes      int
	routes     [][]*fluidLink // by sender and receiver, those that were used; nil: there are too many nodes
	routeLinks []topology.Link
	flows      []flow
	free       []int32
	events     eventHeap
	solver     solver
	now        unit.Picos
	ended      []Completion
	touched    []*fluidLink
	entering   []int32
}

// stream is a link and what is on it.
type fluidLink struct {
	link           topology.Link
	on             []hopRef
	sent           tally
	sum            float64 // of the rates of those that are not in the solver's part
	bottlenecked   int     // how many of these it holds up
	bottleneckRate float64 // the rate of these

	// Of the solver, for those on it that are in the part.
	part     uint64   // solve of which this is
	inPart   []hopRef // they
	spare    float64  // bandwidth that is left
	unknown  int      // for so many whose rates are not known yet
	maxRate  float64  // of the rates that are known
	fairRate float64  // the rate of those that it holds up, or infinite
}

// place is where a stream is in the way of a flow.
type hopRef struct {
	flow int32
	hop  int32
}

// flow is a message that is on its way, or will be.
type flow struct {
	route         []*fluidLink
	index         []int32 // its place in each of them
	remaining     float64 // bytes, at since
	rate          float64 // bytes per picosecond
	newRate       float64 // of the solver: the rate that it will have
	since         unit.Picos
	event         unit.Picos // when it begins or, if it has begun, ends
	sent          unit.Picos
	order         Order
	heapIndex     int32  // in the agenda
	bottleneck    int32  // of its way, the link that holds it up
	newBottleneck int32  // of the solver: the same, to be
	part          uint64 // solve of whose part it is
	known         uint64 // fill in which next is known
	bytes         unit.Bytes
	begun         bool
}

// nowhere is the spot of a flow that is not in the agenda.
const notInHeap int32 = -1

var _ SharedLinks = (*Fluid)(nil)

// NewFluid is the network of m's links between so many nodes, which may be fewer than m has.
func NewFluid(m *machine.Machine, nodes int) (*Fluid, error) {
	if m.Network == nil {
		return nil, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	f, err := newFluid(configOf(m, nodes, nil), m.Network.Model)
	if err != nil {
		return nil, fmt.Errorf("the %s network of machine %q: %w", m.Network.Model, m.Name, err)
	}
	return f, nil
}

func newFluid(c Config, name string) (*Fluid, error) {
	net, w, err := c.linksToShare(name)
	if err != nil {
		return nil, err
	}
	f := &Fluid{linkTime: w, net: net, nodes: c.Nodes, latency: c.Latency, hop: c.Switch, links: topology.NewPerLink[fluidLink](net)}
	f.solver.capacity = 1 / w.perByte
	if c.Nodes <= maxCachedNodes {
		f.routes = make([][]*fluidLink, c.Nodes*c.Nodes)
	}
	return f, nil
}

// Send implements Shared.
func (f *Fluid) Send(at unit.Picos, m Message, o Order) {
	if at < f.now {
		panic(fmt.Sprintf("network: a message at %d ps, after what happened at %d ps", int64(at), int64(f.now)))
	}
	f.history.sent.add(m.Bytes)
	id := f.allocate()
	n := &f.flows[id]
	way := f.routeBetween(m.From, m.To)
	*n = flow{route: way, index: n.index[:0], event: at, sent: at, order: o, bytes: m.Bytes,
		remaining: max(float64(m.Bytes)+f.header, f.solver.capacity)} // for a picosecond at least
	f.events.add(f, id)
}

// Least implements Shared.
func (f *Fluid) MinTime(b unit.Bytes) unit.Picos { return f.time(b) }

// Next is when the next message begins or ends, or Never.
func (f *Fluid) Next() unit.Picos {
	if len(f.events) == 0 {
		return Never
	}
	return f.flows[f.events[0]].event
}

// Step does all that happens at Next. It is the messages that end, by their order; the slice is valid until the next Step.
func (f *Fluid) Step() []Completion {
	f.now = f.Next()
	f.ended, f.touched, f.entering = f.ended[:0], f.touched[:0], f.entering[:0]
	for len(f.events) > 0 && f.flows[f.events[0]].event == f.now {
		id := f.events.pop(f)
		n := &f.flows[id]
		f.touched = append(f.touched, n.route...)
		if !n.begun {
			f.enter(id)
			continue
		}
		f.leave(id)
		idle := f.time(n.bytes) + f.tailTime(n)
		f.ended = append(f.ended, Completion{n.order.Tag, n.sent, delivered(n.sent, f.now, f.now+f.tailTime(n), idle), true, true})
		f.free = append(f.free, id)
	}
	f.solve()
	return f.ended
}

// after is what a message takes when it has left.
func (f *Fluid) tailTime(n *flow) unit.Picos {
	return f.latency + unit.Picos(len(n.route)-1)*f.hop
}

func (f *Fluid) allocate() int32 {
	if n := len(f.free); n > 0 {
		id := f.free[n-1]
		f.free = f.free[:n-1]
		return id
	}
	f.flows = append(f.flows, flow{})
	return int32(len(f.flows) - 1)
}

// way is the links from one node to another.
func (f *Fluid) routeBetween(from, to int) []*fluidLink {
	if f.routes != nil {
		if way := f.routes[from*f.nodes+to]; way != nil {
			return way
		}
	}
	f.routeLinks = f.net.Route(from, to, f.routeLinks[:0])
	way := make([]*fluidLink, len(f.routeLinks))
	for i, l := range f.routeLinks {
		way[i] = f.links.At(l)
		way[i].link = l
	}
	if f.routes != nil {
		f.routes[from*f.nodes+to] = way
	}
	return way
}

// enter puts a message on its links.
func (f *Fluid) enter(id int32) {
	n := &f.flows[id]
	n.begun, n.since, n.heapIndex = true, f.now, notInHeap
	for hop, s := range n.route {
		n.index = append(n.index, int32(len(s.on)))
		s.on = append(s.on, hopRef{id, int32(hop)})
		s.sent.add(n.bytes)
	}
	f.entering = append(f.entering, id)
}

// leave takes a message off its links.
func (f *Fluid) leave(id int32) {
	n := &f.flows[id]
	f.detach(id)
	for hop, s := range n.route {
		i, last := n.index[hop], len(s.on)-1
		moved := s.on[last]
		s.on[i] = moved
		f.flows[moved.flow].index[moved.hop] = i
		if s.on = s.on[:last]; last == 0 {
			s.sum = 0 // but for rounding
		}
	}
}

// Usage is over the links. A link is busy for as long as what it carried takes at all of its bandwidth.
func (f *Fluid) Usage() Usage {
	var parts []Part
	for l, s := range f.links.All() {
		if t := s.sent; t.messages > 0 {
			busy := picos((float64(t.bytes) + f.header*float64(t.messages)) * f.perByte)
			parts = append(parts, Part{linkName(f.net, l), t.messages, t.bytes, busy})
		}
	}
	return f.usage(parts)
}
