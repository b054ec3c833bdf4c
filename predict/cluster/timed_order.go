package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// node describes the nodes of c in the time of an instruction, for analyze --node. It returns nil if that cannot: if
// nodes are of several kinds, the share of miss times that processors wait for was measured, instructions take no time,
// ranks have memories of their own, or a message does not hold all of its network at once.
func (c *Case) node() *phases.Node {
	m := cmp.Or(c.exact, c.Machine)
	costs := costsOf(m)
	if c.nodes() > 1 && !holdsPorts(m.Network) || !oneLine(m) || len(m.OtherNodes) > 0 || m.Processor.Exposed > 0 || !(costs.instr > 0) || !(costs.memory > 0) || c.whole != nil || c.untimed {
		return nil
	}
	n := &phases.Node{Hit: costs.touch / costs.instr, Miss: costs.memory / costs.instr, Hold: costs.occupancy / costs.instr,
		Upgrade: costs.invalidate / costs.instr, Outstanding: m.Processor.Outstanding, Exclusive: exclusive(m), Owned: m.System.Protocol == machine.MOESI || m.System.Protocol == machine.Berkeley}
	if n.Outstanding > 0 {
		n.Window = costs.overlap.window / costs.instr
	}
	for i, level := range m.Caches {
		of := phases.NodeCache{Sets: int64(level.Sets()), Ways: level.Ways}
		if i > 0 {
			of.Time = costs.inner[i-1] / costs.instr
		}
		n.Caches = append(n.Caches, of)
	}
	if m.Shared != nil {
		n.Shared = phases.NodeCache{Sets: int64(m.Shared.Sets()), Ways: m.Shared.Ways, Time: costs.inner[len(costs.inner)-1] / costs.instr}
	}
	return n
}

// oneLine reports whether all caches of m have lines of one size, which analyze can count.
func oneLine(m *machine.Machine) bool {
	line := last(m).Line
	other := func(level machine.Cache) bool { return level.Line != line }
	return line <= phases.Page && !slices.ContainsFunc(m.Caches, other) && (m.Shared == nil || m.Shared.Line == line)
}

// holdsPorts reports whether a message holds the network, or both of its ports, for one time and at once.
func holdsPorts(n *machine.Network) bool {
	return n.Switch == (machine.Latency{}) && n.Packet == 0 && (n.Sharing == "" || n.Sharing == machine.ShareExclusive)
}

// nodeText is the description of the nodes of c and their lines in a traffic table; "" if there is none.
func (c *Case) nodeText() string {
	n := c.node()
	if n == nil {
		return ""
	}
	line := last(c.Machine).Line
	if c.nodes() > 1 {
		line = min(line, c.Machine.System.Block)
	}
	return fmt.Sprintf("%v,line=%d", n, int64(line))
}

// timedNode returns the counts of one node in the time of c's machine, or nil if there are none.
func (c *Case) timedNode(r *Run) *phases.TrafficProfile {
	want := c.nodeText()
	if want == "" || c.nodes() > 1 || r.trafficTable == nil {
		return nil
	}
	if node, err := r.node(); err == nil && node.Node == want {
		return node
	}
	return nil
}

// addCounted sets the work of one node to what was counted in the time of the machine.
func (r *Run) addCounted(c *Case, node *phases.TrafficProfile, work program) error {
	profile, err := r.profile(node.Line)
	if err != nil {
		return err
	}
	eachWindow(work, profile, func(w *windowWork, p trace.Proc, phase int, number int64) {
		t := node.Window(p, phase, number, 0)
		w.Misses, w.Upgrades, w.Writebacks = float64(t.Memory), float64(t.Claims), float64(t.Writebacks)
		if c.Machine.Shared != nil {
			w.Inner = append(w.Inner, float64(t.Misses))
		}
		w.Remote = remoteRequests{Waits: float64(t.Waits), Queues: float64(t.Queues), Stalls: float64(t.Latency)}
	})
	return nil
}

// addTimedTraffic sets the work of several nodes to what was counted in the time of the machine.
func (r *Run) addTimedTraffic(c *Case, t *phases.TrafficProfile, delay int, work program) error {
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil {
		return err
	}
	eachWindow(work, profile, func(w *windowWork, p trace.Proc, phase int, number int64) {
		counted := t.Window(p, phase, number, delay)
		w.Misses, w.Upgrades, w.Writebacks = float64(counted.Misses), float64(counted.Claims), float64(counted.Writebacks)
		w.Remote = remoteDemand(counted, c.nodes())
	})
	return nil
}

// solveTimed sets the work of several nodes to what was counted in the time of the machine, and returns its times.
func (c *costs) solveTimed(of *Case, r *Run, t *phases.TrafficProfile, delay int, work program) (*network, error) {
	c.step = c.instr
	err := r.addTimedTraffic(of, t, delay, work)
	return c.timedNetwork(work, of.Processors), err
}

// timedNetwork returns the times that were counted in the time of the machine, phase by phase.
func (c *costs) timedNetwork(work program, processors int) *network {
	net := &network{procs: make([]times, processors), ports: make([]float64, max(1, 2*c.interconnect.nodes))}
	for _, phase := range work {
		ends := make([]times, processors)
		longest := 0.0
		for p := range phase {
			for _, w := range phase[p] {
				ends[p].ideal += w.Instr*c.instr + w.Touches*c.touch
				ends[p].latency += w.Remote.Stalls * c.instr
				ends[p].contention += w.Remote.Queues * c.instr
				ends[p].sync += w.Remote.Waits * c.instr
				net.add(c, &w)
			}
			longest = max(longest, ends[p].total())
		}
		for p, t := range ends {
			all := &net.procs[p]
			all.ideal, all.latency, all.contention = all.ideal+t.ideal, all.latency+t.latency, all.contention+t.contention
			all.sync += t.sync + longest - t.total()
		}
		net.now += longest
	}
	return net
}

// add adds how long w holds buses and the network.
func (n *network) add(c *costs, w *windowWork) {
	n.held += (w.Misses + w.Writebacks) * c.occupancy
	if !c.shared {
		n.held += w.Upgrades * c.invalidate
	}
	if c.interconnect.nodes > 1 {
		for i, held := range c.interconnect.held(&w.Remote) {
			n.ports[i] += held
		}
	}
}

// countedInterval is the interval of a prediction from counts in the time of the machine.
func countedInterval(e unit.Seconds) model.Interval {
	return model.Interval{Lo: e, Hi: e, Covers: "nothing was varied: analyze simulated the waits for this machine"}
}

// timedTraffic returns the requests between nodes that were counted in the time of c's machine and network, with the
// index of their delay; nil if there are none.
func (c *Case) timedTraffic(r *Run, net *interconnect) (t *phases.TrafficProfile, delay int) {
	want := c.nodeText()
	if want == "" || c.nodes() == 1 || r.trafficTable == nil {
		return nil, 0
	}
	t, err := r.traffic(c.nodesOf())
	if err != nil || t.Node != want {
		return nil, 0
	}
	instr := costsOf(c.Machine).instr
	delay = nearest(t.Delays, net.block.time/instr)
	latency, right := latencyOf(net)
	if !sameWork(t.Delays[delay], net.block.time/instr) || math.Abs(float64(t.Latency)-latency/instr) > max(0.5, sameDelay*latency/instr) || math.Abs(t.Right-right) > 1e-3 {
		return nil, 0
	}
	return t, delay
}

// latencyOf returns for how long a message does not hold the network, and the part of the rest of a block's time that a
// message without a block takes.
func latencyOf(net *interconnect) (latency, right float64) {
	latency = max(0, net.block.time-net.block.held)
	if net.block.held > 0 {
		right = min(1, max(0, net.right.held/net.block.held))
	}
	return latency, right
}

// timedFlags returns the flags of analyze that count in the time of c's machine, or nil if it cannot, or need not: the
// times of one processor with one cache are sums if it waits for each miss.
func (c *Case) timedFlags(net *interconnect) []string {
	n := c.node()
	if n == nil || c.Processors == 1 && n.Outstanding == 0 && n.Shared.Sets == 0 && len(n.Caches) == 1 {
		return nil
	}
	flags := []string{fmt.Sprintf("--per-node=%d", c.perNode()), "--node=" + n.String()}
	switch line := last(c.Machine).Line; {
	case c.nodes() == 1 && line > usualBlock: // lines of a node are not longer than blocks
		return append(flags, fmt.Sprintf("--block=%v", line))
	case c.nodes() == 1:
		return flags
	}
	instr := costsOf(c.Machine).instr
	latency, right := latencyOf(net)
	return append(flags, fmt.Sprintf("--block=%v", c.Machine.System.Block), fmt.Sprintf("--placement=%s", c.Machine.Memory.Placement),
		fmt.Sprintf("--node-network=%s", networkOf(c.Machine)), "--delay="+joined(variedDelays(net.block.time/instr)), countedTime("--latency", latency/instr, 0),
		fmt.Sprintf("--control-delay=%.4g", right))
}

// networkOf returns the network of m in a traffic table.
func networkOf(m *machine.Machine) phases.Network { return phases.Network(m.Network.Model) }

// isTimed reports whether r was counted in the time of c's machine.
func (c *Case) isTimed(r *Run, net *interconnect) bool {
	if c.nodes() == 1 {
		return c.timedNode(r) != nil
	}
	t, _ := c.timedTraffic(r, net)
	return t != nil
}

// hasNode reports whether the traffic of c was counted in the time of a machine.
func (c *Case) hasNode() bool {
	r := c.run()
	return r != nil && headOf(r.trafficTable) != nil && headOf(r.trafficTable).Fact("node") != ""
}

// ignoresMoves reports whether the program has prefetches or flushes, which the counts leave out.
func (on *placedRun) ignoresMoves() bool {
	t := headOf(on.run.trafficTable)
	return t != nil && t.Fact("prefetches and flushes") != ""
}

// warnUntimed warns if waits could not be counted in the time of the machine. Such predictions were not compared with simulations.
func (on *placedRun) warnUntimed(c *Case, pred *model.Prediction) {
	warn := func(text string) {
		pred.Warnings = append(pred.Warnings, errors.New(text))
		pred.Untested = "the error was measured only where analyze simulates the waits for the machine"
	}
	if on.ignoresMoves() {
		warn("the program has prefetches or flushes, whose time and waits are not in the prediction; use predict replay")
	}
	if on.timed || on.carried || c.Processors == 1 || c.whole != nil {
		return
	}
	switch m := c.Machine; {
	case !oneLine(m):
		warn("caches have lines of several sizes: waits come from queueing networks, and were not simulated for this machine")
	case len(m.OtherNodes) > 0:
		warn("nodes are of several kinds: waits come from queueing networks, and were not simulated for this machine")
	case c.nodes() > 1 && !holdsPorts(m.Network):
		warn("network.switch or network.sharing of this machine: waits come from queueing networks, and were not simulated for it")
	}
}
