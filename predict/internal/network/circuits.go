package network

import (
	"spoor/predict/internal/calendar"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// circuits is a network of links. A message holds all links of its route at the same time.
type circuits struct {
	history
	linkTime
	routes   routing.Routes[channel]
	latency  unit.Picos // holds no link
	hop      unit.Picos // between two links
	wormhole bool       // holds links while it waits for the next

	path []*channel // of the present message
}

// newCircuits returns the network of c's links on the topology with a name.
func newCircuits(c Config, name string, greedy bool) (Network, error) {
	r, w, err := c.linkedBy(name)
	if err != nil {
		return nil, err
	}
	return &circuits{linkTime: w, routes: routing.New[channel](r, c.Nodes), latency: c.Latency, hop: c.Switch, wormhole: greedy}, nil
}

// Send finds the earliest end, and reserves the links until then.
func (c *circuits) Send(at unit.Picos, m Message) Delivery {
	if !c.begin(at, m) {
		return Delivery{Free: at, Arrive: at}
	}
	carry := c.time(m.Bytes)
	c.route(at, m, carry)
	end := c.earliestEnd(c.path, at, carry)
	idle := unit.Picos(len(c.path)-1)*c.hop + carry
	c.notePortFree()
	switch {
	case end > Horizon:
	case c.wormhole:
		c.reserveWormhole(at, end, m.Bytes)
	default:
		c.reserveSwitch(end-idle, end, m.Bytes)
	}
	return delivered(at, end, end+c.latency, idle+c.latency)
}

// route finds the links of a message.
func (c *circuits) route(at unit.Picos, m Message, carry unit.Picos) {
	if c.routes.Fixed {
		c.path = c.routes.Between(m.From, m.To, c.path)
		return
	}
	c.path = c.routes.Choose(m.From, m.To, c.path, func(way []*channel) unit.Picos { return c.earliestEnd(way, at, carry) })
	c.blocker = 0 // of the other routes
}

// earliestEnd returns the earliest end of a message that is sent at a time over the links of a way. For a given end, link i is free at best from EndBefore(end) on. After that time, the message must be sent over the rest
// of its route. This bound never falls as the end grows. So the least end that satisfies all links is found by
// raising the end to each link's bound until no link raises it.
func (c *circuits) earliestEnd(way []*channel, at, carry unit.Picos) unit.Picos {
	last := len(way) - 1
	end := at + unit.Picos(last)*c.hop + carry // if it waits for nothing
	for i, content := 0, 0; content <= last; i++ {
		if i > last {
			i = 0
		}
		content++
		taken := way[i].EndBefore(end)
		if least := taken + unit.Picos(last-i)*c.hop + carry; least > end {
			end, content = least, 0
			c.noteWait(way[i], taken)
		}
	}
	return end
}

// reserveWormhole reserves every link as soon as it can be held to the end.
func (c *circuits) reserveWormhole(at, end unit.Picos, b unit.Bytes) {
	for _, l := range c.path {
		at = max(at, l.EndBefore(end))
		l.assign(calendar.Span{From: at, To: end}, b, &c.history)
		at += c.hop
	}
}

// reserveSwitch reserves every link as late as possible, the first at a time.
func (c *circuits) reserveSwitch(at, end unit.Picos, b unit.Bytes) {
	for _, l := range c.path {
		l.assign(calendar.Span{From: at, To: end}, b, &c.history)
		at += c.hop
	}
}

// Usage returns the use of the links.
func (c *circuits) Usage() Usage {
	var parts []Part
	for l, used := range c.routes.Links.All() {
		if used.sent.messages > 0 {
			parts = append(parts, used.part(routing.LinkName(c.routes.Net, l)))
		}
	}
	return c.usage(parts)
}
