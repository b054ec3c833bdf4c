package network

import "spoor/traces/unit"

// Ideal is a network in which messages do not affect each other. Each takes the fixed latency and its bytes divided
// by the bandwidth, and its sender is free at once. Without a bandwidth, it takes only the latency.
type Ideal struct{}

var _ Model = Ideal{}

// Name returns "ideal".
func (Ideal) Name() string { return "ideal" }

// New returns an ideal network.
func (Ideal) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &ideal{latency: c.Latency}
	if c.Bandwidth == 0 {
		return n, nil
	}
	w, err := c.linkTime()
	n.linkTime = w
	return n, err
}

type ideal struct {
	history
	linkTime
	latency unit.Picos
}

func (n *ideal) Send(at unit.Picos, m Message) Delivery {
	if !n.begin(at, m) {
		return Delivery{Free: at, Arrive: at}
	}
	latency := n.latency + picos((float64(m.Bytes)+n.header)*n.perByte)
	return delivered(at, at, at+latency, latency)
}

func (n *ideal) Usage() Usage { return n.usage(nil) }
