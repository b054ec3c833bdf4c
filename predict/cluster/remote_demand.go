package cluster

import (
	"math"

	"spoor/analyze/phases"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// RemoteDemand is what one processor makes its node ask of others, with shared memory in blocks.
type RemoteDemand struct {
	Blocks   float64   // messages with a block that it waits for
	Upgrades float64   // stores to blocks that the node had, but others too
	Rights   float64   // messages for these and for other stores: rights to store, and invalidations
	Waits    float64   // for others at locks and flags, in instructions and hits
	Queues   float64   // for turns on the network and for blocks on their way, likewise
	Ports    []float64 // bytes aside, how many messages with a block use each port of the network, see [interconnect.port]
}

// remoteDemand is what the trace has.
func remoteDemand(t phases.Traffic, nodes int) RemoteDemand {
	a := RemoteDemand{Upgrades: float64(t.Upgrades), Waits: float64(t.Waits), Queues: float64(t.Queues), Ports: make([]float64, 2*nodes)}
	for _, m := range t.Messages {
		a.Blocks += float64(m.Blocks)
		a.Rights += float64(m.Rights)
		a.Ports[2*m.From] += float64(m.Blocks)
		a.Ports[2*m.To+1] += float64(m.Blocks)
	}
	return a
}

// plus is the sum of a and b.
func (a RemoteDemand) plus(b RemoteDemand) RemoteDemand {
	ports := make([]float64, max(len(a.Ports), len(b.Ports)))
	copy(ports, a.Ports)
	for i, n := range b.Ports {
		ports[i] += n
	}
	return RemoteDemand{a.Blocks + b.Blocks, a.Upgrades + b.Upgrades, a.Rights + b.Rights, a.Waits + b.Waits, a.Queues + b.Queues, ports}
}

// scaled is so many times a.
func (a RemoteDemand) scaled(by float64) RemoteDemand {
	ports := make([]float64, len(a.Ports))
	for i, n := range a.Ports {
		ports[i] = by * n
	}
	return RemoteDemand{by * a.Blocks, by * a.Upgrades, by * a.Rights, by * a.Waits, by * a.Queues, ports}
}

// between is the network of a cluster, with times in seconds.
type interconnect struct {
	nodes    int
	switched bool    // not a bus
	queues   float64 // for how long messages hold it, of what was counted; 0: waits are not those that were counted
	block    message // with a block
	right    message // without
	overlap  overlap // of messages with each other and with instructions
}

// between is the network of c.
func (c *Case) interconnect() (interconnect, error) {
	r, err := c.remote()
	if err != nil || r.nodes < 2 {
		return interconnect{}, err
	}
	b := interconnect{nodes: r.nodes, switched: r.switched}
	for _, m := range []struct {
		size unit.Bytes
		to   *message
	}{{c.Machine.System.Block, &b.block}, {0, &b.right}} {
		d, err := c.message(m.size)
		if err != nil {
			return interconnect{}, err
		}
		*m.to = message{float64(d.Latency) / 1e12, float64(d.Free) / 1e12}
	}
	return b, nil
}

// perNode is how many of n processors are in each node; 0 for a single node.
func (b *interconnect) perNode(n int) int {
	if b.nodes < 2 {
		return 0
	}
	return n / b.nodes
}

func (b *interconnect) terms(all Work) []model.Term {
	touches := max(1, all.Touches)
	return []model.Term{
		{Symbol: "N", Value: float64(b.nodes), Unit: "1", What: "nodes"},
		{Symbol: "tau_r", Value: b.block.time, Unit: "s", What: "time of a message with a block on an idle network"},
		{Symbol: "P_r", Value: all.Remote.Blocks / touches, Unit: "1", What: "messages with a block per touch"},
		{Symbol: "rights", Value: all.Remote.Rights / touches, Unit: "1", What: "messages without a block per touch"},
	}
}

// message is what one costs.
type message struct{ time, held float64 }

// remoteStretch is RemoteDemand in seconds.
type remoteStretch struct {
	visits  float64   // messages that are waited for
	latency float64   // of them on an idle network, and of the other nodes' memories
	holds   [3]hold   // of the network, by visits
	ports   []float64 // for how long each port is held: of a bus, which is one, or of a switch
	parts   []float64 // of the messages, which use each port of a switch
}

// remoteStretch is what a means on a machine. A block takes an access to the memory that it comes from, and a message. A right takes a
// message and as long as an upgrade on the other node's bus; invalidations go out at the same time, and a store that
// fetches its block does not wait for them longer than for the block. Processors that go on behind misses, here between instructions of
// so long in all, do so behind blocks too, but wait at least for as long as a message holds the network: the next one follows it there.
func (c *costs) remoteStretch(a RemoteDemand, instructions float64) remoteStretch {
	b := &c.interconnect
	s := remoteStretch{visits: a.Blocks + a.Upgrades}
	if s.visits == 0 {
		return s
	}
	behind := func(time, held float64) float64 { return max(held, time*b.overlap.waited(time, instructions/s.visits)) }
	s.latency = a.Blocks*behind(c.memory+b.block.time, b.block.held) + a.Upgrades*behind(c.invalidate+b.right.time, b.right.held)
	rights := max(a.Rights, a.Upgrades)
	s.holds[0] = hold{b.block.held, a.Blocks / s.visits}
	if a.Upgrades > 0 {
		s.holds[1] = hold{b.right.held * rights / a.Upgrades, a.Upgrades / s.visits}
	}
	if !b.switched {
		s.ports = []float64{a.Blocks*b.block.held + rights*b.right.held}
		return s
	}
	s.ports, s.parts = make([]float64, len(a.Ports)), make([]float64, len(a.Ports))
	for i, n := range a.Ports {
		s.ports[i] = n * b.block.held
		s.parts[i] = n / max(1, a.Blocks)
	}
	return s
}

// maxJoint bounds the rounds of [network.twoQueueWaits], and enough is when they end: relative to the time of a stretch.
const (
	maxJoint = 50
	enough   = 1e-7
)

// apart is the waiting of each active processor of a cluster in all of its stretch: for the bus of its node and for the network. While a
// processor waits for one of them, it wants nothing of the other: both queues are solved with the waits of the other as time spent
// elsewhere, until they agree.
func (n *network) twoQueueWaits(all []*stretch, active []int) []float64 {
	buses, net := make([]float64, len(all)), make([]float64, len(all)) // waits in the whole stretch
	step, before, change := 1.0, math.Inf(1), math.Inf(1)
	set := func(waits []float64, i int, w float64) {
		change = max(change, math.Abs(w-waits[i])/all[i].total())
		waits[i] += step * (w - waits[i])
	}
	for range maxJoint {
		change = 0
		n.onBuses(all, active, net, func(i int, w float64) { set(buses, i, w*all[i].visits) })
		if n.counted {
			break
		}
		for i, w := range n.onNetwork(all, buses) {
			set(net, i, w*all[i].remote.visits)
		}
		if change < enough {
			break
		}
		if change > before/2 { // two saturated queues swing
			step = 0.5
		}
		before = change
	}
	if change >= enough && !n.counted { // so that the network at least is never held for more than all of the time: see [MVA.least]
		for i, w := range n.onNetwork(all, buses) {
			net[i] = w * all[i].remote.visits
		}
	}
	for i := range net {
		net[i] += buses[i]
	}
	return net
}

// onBuses finds the waiting per visit for the bus of each node, whose processors are so long on the network besides.
func (n *network) onBuses(all []*stretch, active []int, net []float64, set func(i int, w float64)) {
	for from := 0; from < len(active); {
		to := from + 1
		for to < len(active) && active[to]/n.perNode == active[from]/n.perNode {
			to++
		}
		besides := make([]float64, to-from)
		for i := range besides {
			besides[i] = all[from+i].remote.latency + all[from+i].sync + all[from+i].pending + net[from+i]
		}
		for i, w := range n.onBus(all[from:to], besides) {
			set(from+i, w)
		}
		from = to
	}
}

// onNetwork is the waiting for the network per message, of processors that wait for so long for their buses.
func (n *network) onNetwork(all []*stretch, buses []float64) []float64 {
	out := make([]float64, len(all))
	var who []int
	var customers []customer
	for i, s := range all {
		if s.remote.visits == 0 {
			continue
		}
		c := customer{holds: s.remote.holds, ports: s.remote.parts}
		mean, _ := c.moments()
		c.think = max(0, (s.total()+buses[i])/s.remote.visits-mean)
		who, customers = append(who, i), append(customers, c)
	}
	for k, w := range n.wait(customers) {
		out[who[k]] = w
	}
	return out
}

// busiest is the part of the time for which the port of the network was held that was held longest.
func (n *network) busiest() (held float64) {
	for _, h := range n.ports {
		held = max(held, h)
	}
	return held
}
