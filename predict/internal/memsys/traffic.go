package memsys

import (
	"cmp"
	"maps"
	"slices"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// NeedsTraffic reports whether New needs the traffic of a program, because the gap of m's network depends on it.
func NeedsTraffic(m *machine.Machine) bool {
	return m.Network != nil && m.Network.GapFrom == machine.GapTraffic
}

// NewCountingTraffic is like NewWithHomes for a machine that needs traffic, but it uses the gap of the bisection and
// counts the traffic. After a program has run on the system, flows returns the traffic that New needs.
func NewCountingTraffic(m *machine.Machine, places *trace.HomeMap) (sys touch.System, flows func() []comm.Flow, err error) {
	target, c, err := prepare(m, places)
	if err != nil {
		return nil, nil, err
	}
	like, net := *m, *m.Network
	net.GapFrom, like.Network = machine.GapBisection, &net
	inner, err := network.New(&like, network.NodesOf(m, c.nodes()))
	if err != nil {
		return nil, nil, err
	}
	counted := &countingNetwork{Network: inner, sent: map[[2]int]*comm.Flow{}}
	c.Net = counted
	sys, err = c.system(target)
	return sys, counted.flows, err
}

// NewSharingNetwork is like NewWithHomes, but the nodes use a network that other traffic uses too, in the same
// simulated time. The other traffic must use the returned network.
func NewSharingNetwork(m *machine.Machine, places *trace.HomeMap, net network.Network) (touch.System, network.Network, error) {
	target, c, err := prepare(m, places)
	if err != nil {
		return nil, nil, err
	}
	others := &network.Usage{}
	c.Net = systemNetwork{net, others}
	sys, err := c.system(target)
	slack := lowerLevelLatency(c.Caches)
	for _, o := range c.OtherNodes {
		slack = max(slack, lowerLevelLatency(o.Caches))
	}
	return sys, sharedNetwork{net, others, slack, 0}, err
}

// sharedNetwork is a network that a system uses too. Transactions of the system may be earlier than earlier traffic,
// by up to slack. It does not track which message waits for which, because the messages of the system have no sender
// that a caller knows.
type sharedNetwork struct {
	network.Network
	others *network.Usage // counts the traffic
	slack  unit.Picos
	start  unit.Picos // time 0 of the traffic, for the network
}

// systemNetwork is the same network for the system. Its Usage does not count the messages of the others.
type systemNetwork struct {
	network.Network
	others *network.Usage
}

// Usage implements network.Network. Parts are used by all traffic.
func (l systemNetwork) Usage() network.Usage {
	u := l.Network.Usage()
	u.Messages, u.Bytes = u.Messages-l.others.Messages, u.Bytes-l.others.Bytes
	return u
}

// Settled implements network.Network.
func (l sharedNetwork) Settled(before unit.Picos) { l.Network.Settled(l.start + before - l.slack) }

// Send implements network.Network.
func (l sharedNetwork) Send(at unit.Picos, m network.Message) network.Delivery {
	if m.From != m.To && l.start+at < network.Horizon {
		l.others.Messages++
		l.others.Bytes += m.Bytes
	}
	d := l.Network.Send(l.start+at, m)
	d.Free, d.Arrive = d.Free-l.start, d.Arrive-l.start
	return d
}

// TrackBlocking implements network.Network.
func (sharedNetwork) TrackBlocking() {}

// Blockers implements network.Network.
func (sharedNetwork) Blockers() (left, came uint64) { return 0, 0 }

// Later returns a network that NewSharingNetwork returned, for another run that begins at a time of the first one. The
// run must use the same system: see layer.Warm.
func Later(net network.Network, start unit.Picos) network.Network {
	shared := net.(sharedNetwork)
	shared.start = start
	return shared
}

// countingNetwork is a network that counts its traffic.
type countingNetwork struct {
	network.Network
	sent map[[2]int]*comm.Flow
}

func (c *countingNetwork) Send(at unit.Picos, m network.Message) network.Delivery {
	if m.From != m.To {
		f := c.sent[[2]int{m.From, m.To}]
		if f == nil {
			f = &comm.Flow{From: m.From, To: m.To}
			c.sent[[2]int{m.From, m.To}] = f
		}
		f.Messages++
		f.Bytes += uint64(m.Bytes)
	}
	return c.Network.Send(at, m)
}

// flows returns the traffic, ordered by sender and receiver.
func (c *countingNetwork) flows() (all []comm.Flow) {
	for _, f := range slices.SortedFunc(maps.Values(c.sent), func(a, b *comm.Flow) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	}) {
		all = append(all, *f)
	}
	return all
}
