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
	wire
	net      topology.Topology
	latency  unit.Picos
	hop      unit.Picos
	streams  topology.PerLink[stream]
	nodes    int
	ways     [][]*stream // by sender and receiver, those that were used; nil: there are too many nodes
	route    []topology.Link
	flows    []flow
	free     []int32
	agenda   agenda
	solver   solver
	now      unit.Picos
	ended    []Ended
	touched  []*stream
	entering []int32
}

// stream is a link and what is on it.
type stream struct {
	link  topology.Link
	on    []place
	sent  tally
	sum   float64 // of the rates of those that are not in the solver's part
	necks int     // how many of these it holds up
	level float64 // the rate of these

	// Of the solver, for those on it that are in the part.
	part uint64  // solve of which this is
	mine []place // they
	room float64 // bandwidth that is left
	open int     // for so many whose rates are not known yet
	most float64 // of the rates that are known
	fair float64 // the rate of those that it holds up, or infinite
}

// place is where a stream is in the way of a flow.
type place struct {
	flow int32
	hop  int32
}

// flow is a message that is on its way, or will be.
type flow struct {
	way   []*stream
	at    []int32 // its place in each of them
	left  float64 // bytes, at since
	rate  float64 // bytes per picosecond
	next  float64 // of the solver: the rate that it will have
	since unit.Picos
	event unit.Picos // when it begins or, if it has begun, ends
	sent  unit.Picos
	order Order
	spot  int32  // in the agenda
	neck  int32  // of its way, the link that holds it up
	held  int32  // of the solver: the same, to be
	part  uint64 // solve of whose part it is
	known uint64 // fill in which next is known
	bytes unit.Bytes
	begun bool
}

// nowhere is the spot of a flow that is not in the agenda.
const nowhere int32 = -1

var _ Shared = (*Fluid)(nil)

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
	net, w, err := c.shareable(name)
	if err != nil {
		return nil, err
	}
	f := &Fluid{wire: w, net: net, nodes: c.Nodes, latency: c.Latency, hop: c.Switch, streams: topology.NewPerLink[stream](net)}
	f.solver.capacity = 1 / w.perByte
	if c.Nodes <= waysOf {
		f.ways = make([][]*stream, c.Nodes*c.Nodes)
	}
	return f, nil
}

// Send implements Shared.
func (f *Fluid) Send(at unit.Picos, m Message, o Order) {
	if at < f.now {
		panic(fmt.Sprintf("network: a message at %d ps, after what happened at %d ps", int64(at), int64(f.now)))
	}
	f.history.sent.add(m.Bytes)
	id := f.take()
	n := &f.flows[id]
	way := f.way(m.From, m.To)
	*n = flow{way: way, at: n.at[:0], event: at, sent: at, order: o, bytes: m.Bytes,
		left: max(float64(m.Bytes)+f.header, f.solver.capacity)} // for a picosecond at least
	f.agenda.add(f, id)
}

// Least implements Shared.
func (f *Fluid) Least(b unit.Bytes) unit.Picos { return f.time(b) }

// Next is when the next message begins or ends, or Never.
func (f *Fluid) Next() unit.Picos {
	if len(f.agenda) == 0 {
		return Never
	}
	return f.flows[f.agenda[0]].event
}

// Step does all that happens at Next. It is the messages that end, by their order; the slice is valid until the next Step.
func (f *Fluid) Step() []Ended {
	f.now = f.Next()
	f.ended, f.touched, f.entering = f.ended[:0], f.touched[:0], f.entering[:0]
	for len(f.agenda) > 0 && f.flows[f.agenda[0]].event == f.now {
		id := f.agenda.pop(f)
		n := &f.flows[id]
		f.touched = append(f.touched, n.way...)
		if !n.begun {
			f.enter(id)
			continue
		}
		f.leave(id)
		idle := f.time(n.bytes) + f.after(n)
		f.ended = append(f.ended, Ended{n.order.Tag, n.sent, delivered(n.sent, f.now, f.now+f.after(n), idle), true, true})
		f.free = append(f.free, id)
	}
	f.solve()
	return f.ended
}

// after is what a message takes when it has left.
func (f *Fluid) after(n *flow) unit.Picos {
	return f.latency + unit.Picos(len(n.way)-1)*f.hop
}

func (f *Fluid) take() int32 {
	if n := len(f.free); n > 0 {
		id := f.free[n-1]
		f.free = f.free[:n-1]
		return id
	}
	f.flows = append(f.flows, flow{})
	return int32(len(f.flows) - 1)
}

// way is the links from one node to another.
func (f *Fluid) way(from, to int) []*stream {
	if f.ways != nil {
		if way := f.ways[from*f.nodes+to]; way != nil {
			return way
		}
	}
	f.route = f.net.Route(from, to, f.route[:0])
	way := make([]*stream, len(f.route))
	for i, l := range f.route {
		way[i] = f.streams.At(l)
		way[i].link = l
	}
	if f.ways != nil {
		f.ways[from*f.nodes+to] = way
	}
	return way
}

// enter puts a message on its links.
func (f *Fluid) enter(id int32) {
	n := &f.flows[id]
	n.begun, n.since, n.spot = true, f.now, nowhere
	for hop, s := range n.way {
		n.at = append(n.at, int32(len(s.on)))
		s.on = append(s.on, place{id, int32(hop)})
		s.sent.add(n.bytes)
	}
	f.entering = append(f.entering, id)
}

// leave takes a message off its links.
func (f *Fluid) leave(id int32) {
	n := &f.flows[id]
	f.apart(id)
	for hop, s := range n.way {
		i, last := n.at[hop], len(s.on)-1
		moved := s.on[last]
		s.on[i] = moved
		f.flows[moved.flow].at[moved.hop] = i
		if s.on = s.on[:last]; last == 0 {
			s.sum = 0 // but for rounding
		}
	}
}

// Usage is over the links. A link is busy for as long as what it carried takes at all of its bandwidth.
func (f *Fluid) Usage() Usage {
	var parts []Part
	for l, s := range f.streams.All() {
		if t := s.sent; t.messages > 0 {
			busy := picos((float64(t.bytes) + f.header*float64(t.messages)) * f.perByte)
			parts = append(parts, Part{linkName(f.net, l), t.messages, t.bytes, busy})
		}
	}
	return f.usage(parts)
}
