package network

import (
	"spoor/analyze/comm/topology"
	"spoor/predict/calendar"
	"spoor/traces/unit"
)

// circuits is a network of links, of which a message has all of its way at the same time.
type circuits struct {
	history
	wire
	net     topology.Topology
	latency unit.Picos // that holds no link
	hop     unit.Picos // between two links
	greedy  bool       // holds links while it waits for the next

	channels topology.PerLink[channel]
	nodes    int
	ways     [][]*channel    // by sender and receiver, those that were used; nil: there are too many nodes
	links    []topology.Link // of the present message
	taken    []*channel      // the same
}

// waysOf is the most nodes for which circuits remember the ways: 64 Ki of them.
const waysOf = 256

// newCircuits is the network of c's links on net.
func newCircuits(c Config, net topology.Topology, greedy bool) (Network, error) {
	w, err := c.wire()
	if err != nil {
		return nil, err
	}
	n := &circuits{wire: w, net: net, nodes: c.Nodes, latency: c.Latency, hop: c.Switch, greedy: greedy,
		channels: topology.NewPerLink[channel](net)}
	if c.Nodes <= waysOf {
		n.ways = make([][]*channel, c.Nodes*c.Nodes)
	}
	return n, nil
}

// newWormhole is the network of c's links on the topology of that name.
func newWormhole(c Config, name string) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	net, err := topologies[name](c)
	if err != nil {
		return nil, err
	}
	return newCircuits(c, net, true)
}

// Send finds the earliest end, and takes the links until then.
func (c *circuits) Send(at unit.Picos, m Message) Delivery {
	if !c.begin(at, m) {
		return Delivery{Free: at, Arrive: at}
	}
	c.taken = c.way(m.From, m.To)
	carry := c.time(m.Bytes)
	idle := unit.Picos(len(c.taken)-1)*c.hop + carry
	end := c.earliest(at+idle, carry)
	switch {
	case end > Horizon:
	case c.greedy:
		c.hold(at, end, m.Bytes)
	default:
		c.pass(end-idle, end, m.Bytes)
	}
	return delivered(at, end, end+c.latency, idle+c.latency)
}

// way is the links from one node to another.
func (c *circuits) way(from, to int) []*channel {
	kept := &c.taken
	if c.ways != nil {
		if kept = &c.ways[from*c.nodes+to]; *kept != nil {
			return *kept
		}
	}
	c.links = c.net.Route(from, to, c.links[:0])
	way := (*kept)[:0]
	for _, l := range c.links {
		way = append(way, c.channels.At(l))
	}
	*kept = way
	return way
}

// earliest is the first end of a message from idle on, its end if it waits for nothing. Link i
// is free for it up to some end from Before(end) on at best, so that it must be sent over the
// rest of its way, and its carry be over, after that. That never falls as the end grows. So
// the least end that satisfies all links is reached by moving it up to what any of them wants,
// until none wants more.
func (c *circuits) earliest(idle, carry unit.Picos) unit.Picos {
	end := idle
	last := len(c.taken) - 1
	for i, content := 0, 0; content <= last; i++ {
		if i > last {
			i = 0
		}
		content++
		taken := c.taken[i].Before(end)
		if least := taken + unit.Picos(last-i)*c.hop + carry; least > end {
			end, content = least, 0
			c.waits(c.taken[i], taken)
		}
	}
	return end
}

// hold takes every link as soon as it can be kept to the end.
func (c *circuits) hold(at, end unit.Picos, b unit.Bytes) {
	for _, l := range c.taken {
		at = max(at, l.Before(end))
		l.carry(calendar.Span{From: at, To: end}, b, &c.history)
		at += c.hop
	}
}

// pass takes every link as late as it must, the first at a time.
func (c *circuits) pass(at, end unit.Picos, b unit.Bytes) {
	for _, l := range c.taken {
		l.carry(calendar.Span{From: at, To: end}, b, &c.history)
		at += c.hop
	}
}

// Usage is over the links.
func (c *circuits) Usage() Usage {
	var parts []Part
	for l, used := range c.channels.All() {
		if used.sent.messages > 0 {
			parts = append(parts, used.part(linkName(c.net, l)))
		}
	}
	return c.usage(parts)
}
