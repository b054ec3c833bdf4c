package network

import (
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/routing"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// Fluid is a network of links whose bandwidth is shared max-min fairly by all messages in flight. No rate can be
// raised without lowering one that is not higher. So every message crosses a saturated link on which no message is
// faster. SimGrid models networks in this way [casanova2014]; its calibrated factors are not used here. A message
// sends its bytes and header over all links of its route at one rate. When all are sent, it takes the fixed latency,
// and d for each switch. These hold no link.
//
// Later messages slow down earlier ones: see SharedLinks. Fluid is not safe for concurrent use.
type Fluid struct {
	history
	linkTime
	latency  unit.Picos
	hop      unit.Picos
	routes   routing.Routes[fluidLink]
	flows    []flow
	free     []int32
	events   heap.Indexed[unit.Picos, int32, uint32, struct{}] // flows by when they begin or end, ties by order
	solver   solver
	now      unit.Picos
	ended    []Completion
	touched  []*fluidLink
	entering []int32
}

// fluidLink is a link and the flows on it.
type fluidLink struct {
	link           comm.Link
	on             []hopRef
	sent           tally
	sum            float64 // of the rates of flows outside the solver's part
	bottlenecked   int     // number of these flows whose bottleneck this link is
	bottleneckRate float64 // the rate of these flows

	// Of the solver, for the flows on the link that are in the part.
	part     uint64   // solve to which these fields belong
	inPart   []hopRef // the flows of the part
	spare    float64  // bandwidth that is left
	unknown  int      // number of flows without a known rate
	maxRate  float64  // of the known rates
	fairRate float64  // the rate of the flows whose bottleneck this is, or infinite
}

// hopRef is a link's position in the route of a flow.
type hopRef struct {
	flow int32
	hop  int32
}

// flow is a message that is in flight or will be sent.
type flow struct {
	route         []*fluidLink // from when it begins
	index         []int32      // its index in each of these links
	remaining     float64      // bytes, at since
	rate          float64      // bytes per picosecond
	newRate       float64      // of the solver
	since         unit.Picos
	event         unit.Picos // when it begins or, if it has begun, ends
	sent          unit.Picos
	order         Order
	bottleneck    int32  // index in route of the link that limits its rate
	newBottleneck int32  // of the solver
	part          uint64 // last solve in whose part it is
	known         uint64 // last fill in which newRate is known
	bytes         unit.Bytes
	from, to      int32
	begun         bool
}

var _ SharedLinks = (*Fluid)(nil)

// NewFluid returns the network of m's links between nodes, of which there may be fewer than m has.
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
	r, w, err := c.linksToShare(name)
	if err != nil {
		return nil, err
	}
	f := &Fluid{linkTime: w, latency: c.Latency, hop: c.Switch, routes: routing.New[fluidLink](r, c.Nodes)}
	f.routes.Number = func(l *fluidLink, number comm.Link) { l.link = number }
	f.solver.capacity = 1 / w.perByte
	return f, nil
}

// Send implements SharedLinks.
func (f *Fluid) Send(at unit.Picos, m Message, o Order) {
	if at < f.now {
		panic(fmt.Sprintf("network: a message at %d ps, after what happened at %d ps", int64(at), int64(f.now)))
	}
	f.history.sent.add(m.Bytes)
	id := f.allocate()
	n := &f.flows[id]
	*n = flow{from: int32(m.From), to: int32(m.To), route: n.route, index: n.index[:0], event: at, sent: at, order: o, bytes: m.Bytes,
		remaining: max(float64(m.Bytes)+f.header, f.solver.capacity)} // at least one picosecond
	f.schedule(id)
}

// schedule puts a flow in its place among the events.
func (f *Fluid) schedule(id int32) {
	n := &f.flows[id]
	f.events.Put(id, heap.Item[unit.Picos, int32, uint32, struct{}]{Key: n.event, Tie: n.order.Major, Turn: n.order.Minor})
}

// MinTime implements SharedLinks.
func (f *Fluid) MinTime(b unit.Bytes) unit.Picos { return f.time(b) }

// Next returns when the next message begins or ends, or Never.
func (f *Fluid) Next() unit.Picos {
	if f.events.Len() == 0 {
		return Never
	}
	_, first := f.events.First()
	return first.Key
}

// Step simulates all events at Next. It returns the messages that end, by their order. The slice is valid until the
// next Step.
func (f *Fluid) Step() []Completion {
	f.now = f.Next()
	f.ended, f.touched, f.entering = f.ended[:0], f.touched[:0], f.entering[:0]
	for f.events.Len() > 0 && f.Next() == f.now {
		id := f.events.Pop()
		n := &f.flows[id]
		if !n.begun {
			f.enter(id)
			f.touched = append(f.touched, n.route...)
			continue
		}
		f.touched = append(f.touched, n.route...)
		f.leave(id)
		idle := f.time(n.bytes) + f.tailTime(n)
		f.ended = append(f.ended, Completion{n.order.Tag, n.sent, delivered(n.sent, f.now, f.now+f.tailTime(n), idle), true, true})
		f.free = append(f.free, id)
	}
	f.solve()
	return f.ended
}

// tailTime returns the time of a message after it has left.
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

// estimate returns how long a message would take over the links of a way, if each link gave it an equal share of the
// present messages.
func (f *Fluid) estimate(n *flow, way []*fluidLink) unit.Picos {
	most := 0
	for _, l := range way {
		most = max(most, len(l.on))
	}
	return picos(n.remaining*float64(most+1)/f.solver.capacity) + unit.Picos(len(way)-1)*f.hop
}

// enter puts a message on its links.
func (f *Fluid) enter(id int32) {
	n := &f.flows[id]
	n.begun, n.since = true, f.now
	if f.routes.Fixed {
		n.route = f.routes.Between(int(n.from), int(n.to), n.route)
	} else {
		n.route = f.routes.Choose(int(n.from), int(n.to), n.route, func(way []*fluidLink) unit.Picos { return f.estimate(n, way) })
	}
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
			s.sum = 0 // removes rounding errors
		}
	}
}

// Usage returns the use of the links. The busy time of a link is the time of its messages at its full bandwidth.
func (f *Fluid) Usage() Usage {
	var parts []Part
	for l, s := range f.routes.Links.All() {
		if t := s.sent; t.messages > 0 {
			busy := picos((float64(t.bytes) + f.header*float64(t.messages)) * f.perByte)
			parts = append(parts, Part{routing.LinkName(f.routes.Net, l), t.messages, t.bytes, busy})
		}
	}
	return f.usage(parts)
}
