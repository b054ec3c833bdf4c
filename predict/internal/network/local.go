package network

import (
	"fmt"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/calendar"
	"spoor/traces/unit"
)

// Local carries messages between ranks of one node. They are copied through the memory of that node, with the costs
// of the smallest level that holds both ranks (see machine.Level). A message of s bytes (a message without bytes
// counts as one byte) is copied as follows:
//
//	it starts when its sender is free to copy; the sender can copy the next one g + (s-1) G later
//	from its start on, it holds the memory, as soon as that is free, for s times the occupancy of a line, divided by
//	the bytes of a line; a message without bytes does not
//	it has left (s-1) G after its start, or when it no longer holds the memory, whichever is later
//	it arrives L later; the messages that come to a rank are at least g apart
//
// An L or G that no level gives is that of the memory. A g that no level gives is 0: copies need no interface. If no
// level gives g or G, messages wait for each other only in the memory. References of the node compete with
// messages after UseMemory.
//
// Differs: a message holds the memory for all of its bytes at once, so others wait until it has been copied.
type Local struct {
	history
	levels       []level // nearest first; the last holds all of a node
	places       []place // of ranks
	memories     []memory
	plain        bool // the machine gives no level
	shared       Memory
	over         bool                // a message was not there by the Horizon: the simulation fails
	sends, comes []calendar.Calendar // of ranks; nil if no level gives g or G
}

// Memory is the memories of nodes, which copies of messages share with references.
type Memory interface {
	// Copy holds the memory of a node for a time, as early as possible but not before at. It returns when that begins.
	Copy(at unit.Picos, node int, hold unit.Picos) (begin unit.Picos)
}

// Overheads are the costs of messages between two ranks for their processors, and their S. A negative one is that of
// messages between nodes.
type Overheads struct {
	Send, Receive unit.Picos
	EagerLimit    int64
}

// level has the costs of a level. A negative one is that of the memory.
type level struct {
	Overheads
	name       string
	processors int32 // of a unit; 0: of a node
	latency    unit.Picos
	gap        unit.Picos
	perByte    float64 // G, in picoseconds
	sent       tally
}

// place is the node of a rank, and its number among the ranks of that node. Ranks have the processors of a node in
// order.
type place struct{ node, number int32 }

// memory is the memory of a node.
type memory struct {
	channel
	latency unit.Picos
	perByte float64 // picoseconds; 0: not known
}

// NewLocal returns the idle memories of nodes, for ranks of m. It returns an error if m does not give the costs of a
// message.
func NewLocal(m *machine.Machine, nodes, ranks int) (*Local, error) {
	l := &Local{memories: make([]memory, nodes), levels: levelsOf(m.Network), plain: m.Network == nil || len(m.Network.Levels) == 0}
	if slices.ContainsFunc(l.levels, func(v level) bool { return v.gap > 0 || v.perByte >= 0 }) {
		l.sends, l.comes = make([]calendar.Calendar, ranks), make([]calendar.Calendar, ranks)
	}
	for i := range l.memories {
		if err := l.memories[i].open(m.Node(i), &l.levels[len(l.levels)-1]); err != nil {
			return nil, err
		}
	}
	used := make([]int32, nodes)
	for r := range ranks {
		n := m.NodeOf(r)
		l.places = append(l.places, place{int32(n), used[n]})
		used[n]++
	}
	return l, nil
}

// levelsOf returns the levels of a network. Each has the costs that it inherits from larger ones.
func levelsOf(n *machine.Network) []level {
	given := []machine.Level{}
	if n != nil {
		given = slices.Clone(n.Levels)
	}
	if len(given) == 0 || given[len(given)-1].Processors > 0 {
		given = append(given, machine.Level{})
	}
	all := make([]level, len(given))
	one := level{Overheads: Overheads{-1, -1, -1}, latency: -1, perByte: -1}
	for i := len(given) - 1; i >= 0; i-- {
		one.change(&given[i])
		all[i] = one
	}
	return all
}

// change makes v the level of what is given. It keeps the costs that are not given.
func (v *level) change(given *machine.Level) {
	v.name, v.processors = given.Name, int32(given.Processors)
	for _, c := range []struct {
		to   *unit.Picos
		cost machine.Optional[unit.Seconds]
	}{{&v.Send, given.Overhead}, {&v.Send, given.Sending}, {&v.Receive, given.Overhead}, {&v.Receive, given.Receiving}, {&v.latency, given.Latency}, {&v.gap, given.Gap}} {
		if c.cost.Known {
			*c.to = c.cost.Value.Picos()
		}
	}
	if given.GapPerByte.Known {
		v.perByte = float64(given.GapPerByte.Value) * 1e12
	}
	if given.RendezvousMin.Known {
		v.EagerLimit = int64(given.RendezvousMin.Value)
	}
}

// open sets the latency and the bandwidth of the memory of a node. It returns an error if they are missing and the
// outermost level needs them.
func (m *memory) open(node *machine.Machine, outer *level) error {
	m.latency = node.At(node.Memory.Latency).Picos()
	if line, occupancy := lastLine(node), node.At(node.Memory.Occupancy); line > 0 && occupancy > 0 {
		m.perByte = float64(occupancy) * 1e12 / float64(line)
	}
	if m.perByte == 0 && (outer.perByte < 0 || outer.latency < 0 && m.latency == 0) {
		return fmt.Errorf("machine %q: several ranks run on a node, and their messages use its memory, whose bandwidth is missing; "+
			"give memory.occupancy and a [[cache]] with a line, give L and G in [network.local], or set system.processors = 1", node.Name)
	}
	return nil
}

// lastLine returns the line size of the last cache of a node, or 0 without caches.
func lastLine(node *machine.Machine) unit.Bytes {
	switch n := len(node.Caches); {
	case node.Shared != nil:
		return node.Shared.Line
	case n > 0:
		return node.Caches[n-1].Line
	}
	return 0
}

// UseMemory makes messages share the memories of nodes with references. All calls of Send must then be in the order
// of the simulation of the references.
func (l *Local) UseMemory(m Memory) { l.shared = m }

// levelOf returns the smallest level that holds two ranks, or nil if they are on different nodes.
func (l *Local) levelOf(a, b int32) *level {
	p, q := l.places[a], l.places[b]
	if p.node != q.node {
		return nil
	}
	for i := range l.levels {
		if n := l.levels[i].processors; n == 0 || p.number/n == q.number/n {
			return &l.levels[i]
		}
	}
	return nil
}

// Overheads returns the overheads of messages between two ranks, or nil if they are on different nodes.
func (l *Local) Overheads(a, b int32) *Overheads {
	if v := l.levelOf(a, b); v != nil {
		return &v.Overheads
	}
	return nil
}

// Send sends a message between two ranks of a node at a time.
func (l *Local) Send(at unit.Picos, from, to int32, b unit.Bytes) Delivery {
	if at >= Horizon || l.over {
		return Delivery{Free: at, Arrive: at}
	}
	v, m := l.levelOf(from, to), &l.memories[l.places[from].node]
	l.sent.add(b)
	v.sent.add(b)
	latency, perByte := v.in(m)
	copied, carry, start := picos(float64(b)*m.perByte), picos(float64(max(0, b-1))*perByte), at
	if l.sends != nil {
		start = l.reserve(&l.sends[from], at, v.gap+carry)
	}
	free := start + carry
	switch {
	case copied == 0:
	case l.shared != nil:
		free = max(free, l.shared.Copy(start, int(l.places[from].node), copied)+copied)
	default:
		_, end := m.reserve(start, copied, b, &l.history)
		free = max(free, end)
	}
	arrive := free + latency
	l.over = arrive >= Horizon
	if v.gap > 0 {
		arrive = l.reserve(&l.comes[to], arrive, v.gap)
	}
	return delivered(at, free, arrive, max(carry, copied)+latency)
}

// in returns the latency and G of a level on a node.
func (v *level) in(m *memory) (latency unit.Picos, perByte float64) {
	latency, perByte = v.latency, v.perByte
	if latency < 0 {
		latency = m.latency
	}
	if perByte < 0 {
		perByte = m.perByte
	}
	return latency, perByte
}

// reserve reserves a calendar as early as possible, not before at. It returns when that begins.
func (l *Local) reserve(c *calendar.Calendar, at, long unit.Picos) (begin unit.Picos) {
	begin = c.Fit(at, max(1, long))
	c.Reserve(calendar.Span{From: begin, To: begin + long}, l.settled)
	return begin
}

// Messages returns the number of messages so far.
func (l *Local) Messages() uint64 { return l.sent.messages }
