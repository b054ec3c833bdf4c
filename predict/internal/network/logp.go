package network

import (
	"errors"
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// LogP is the abstraction of a network by L and g [sivasubramaniam1995]. A message of any length takes L. A node's
// messages, both sent and received, are at least g apart. With Config.SameKind, sends are g apart, and so are
// receives; that is closer to networks of links. The network does not include o.
//
// The gap is given, or computed from L and a topology as L times comm.BisectionGap [sivasubramaniam1995, sec. 5].
// It can also be computed from the traffic of a program. Then each node has its own gap. For each of its messages, it
// is L times the messages over the busiest link on their routes (comm.Gaps; [sivasubramaniam1995, sec. 7: future
// work]). With a gap from the history, the traffic is that of the messages so far (gapHistory).
//
// Differs: a message gets its time at the receiver as soon as it is sent. A send of the receiver less than g before
// that time waits until g after it. In a simulation in order of time, the receiver sends first and the message waits.
// With a gap between any two messages, contention is therefore larger. In the traffic of the tests it is larger by
// half if g is L, and by a tenth to a third if g is 4 L. With SameKind there is no such difference.
type LogP struct{}

var _ Model = LogP{}

// Name returns "logp".
func (LogP) Name() string { return "logp" }

// New returns a network of L and g.
func (LogP) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p := ports{latency: c.L, gap: c.Gap, sameKind: c.SameKind}
	if c.GapFrom != "" && c.Nodes > 1 {
		if err := c.gaps(&p); err != nil {
			return nil, err
		}
	}
	return newPorts(c.Nodes, p), nil
}

// gaps computes the gaps of p.
func (c Config) gaps(p *ports) error {
	net, err := c.topology(c.Topology)
	if err != nil {
		return err
	}
	switch c.GapFrom {
	case machine.GapBisection:
		g, err := BisectionGap(net)
		p.gap = picos(float64(c.L) * g)
		return err
	case machine.GapTraffic:
		return c.trafficGaps(net, p)
	case machine.GapHistory:
		p.past = newGapHistory(net, c.L)
		return nil
	}
	return fmt.Errorf("network.gap is %q, which is unknown", c.GapFrom)
}

func (c Config) trafficGaps(net comm.Topology, p *ports) error {
	messages := uint64(0)
	for _, f := range c.Traffic {
		if f.From < 0 || f.From >= c.Nodes || f.To < 0 || f.To >= c.Nodes {
			return fmt.Errorf("the traffic from node %d to node %d is out of range: there are only %d nodes", f.From, f.To, c.Nodes)
		}
		if f.From != f.To {
			messages += f.Messages
		}
	}
	if messages == 0 {
		return errors.New("network.gap = \"traffic\" needs the program's messages, and none are given")
	}
	sends, receives := comm.Gaps(net, c.Traffic)
	for i, all := range [][]float64{sends, receives} {
		p.nodeGaps[i] = make([]unit.Picos, c.Nodes)
		for n, g := range all {
			p.nodeGaps[i][n] = picos(float64(c.L) * g)
		}
	}
	return nil
}

// BisectionGap returns comm.BisectionGap of a topology of at least two nodes. It is an error if the bisection is not known.
func BisectionGap(net comm.Topology) (float64, error) {
	if net.Bisection() == 0 {
		return 0, fmt.Errorf("the gap by the bisection is known only for all nodes of the %s; only %d are in use", net.Name(), net.Procs())
	}
	return comm.BisectionGap(net), nil
}
