package cluster

import (
	"math"

	"spoor/analyze/phases"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// remoteRequests counts what one processor makes its node request from other nodes. Shared memory is kept in
// blocks.
type remoteRequests struct {
	Blocks   float64   // messages with a block; the processor waits for each
	Upgrades float64   // stores to blocks that this node and others have copies of
	Rights   float64   // messages without a block, for these and other stores: store permissions and invalidations
	Waits    float64   // time of waiting at locks and flags, in instructions and hits
	Queues   float64   // time of waiting for the network and for blocks in transit, in instructions and hits
	Stalls   float64   // time of waiting for caches, memories and messages if nobody else does anything, in instructions; only in the time of the machine
	Ports    []float64 // messages with a block at each port: 2 n is the output of node n, 2 n + 1 its input
	Controls []float64 // messages without a block at each port
}

// remoteDemand converts the counts of the trace.
func remoteDemand(t phases.Traffic, nodes int) remoteRequests {
	a := remoteRequests{Upgrades: float64(t.Upgrades), Waits: float64(t.Waits), Queues: float64(t.Queues), Stalls: float64(t.Latency), Ports: make([]float64, 2*nodes), Controls: make([]float64, 2*nodes)}
	for _, m := range t.Messages {
		a.Blocks += float64(m.Blocks)
		a.Rights += float64(m.Rights)
		a.Ports[2*m.From] += float64(m.Blocks)
		a.Ports[2*m.To+1] += float64(m.Blocks)
		a.Controls[2*m.From] += float64(m.Rights)
		a.Controls[2*m.To+1] += float64(m.Rights)
	}
	return a
}

// plus returns the sum of a and b.
func (a remoteRequests) plus(b remoteRequests) remoteRequests {
	return remoteRequests{a.Blocks + b.Blocks, a.Upgrades + b.Upgrades, a.Rights + b.Rights, a.Waits + b.Waits, a.Queues + b.Queues, a.Stalls + b.Stalls,
		sumOf(1, a.Ports, b.Ports), sumOf(1, a.Controls, b.Controls)}
}

// sumOf returns the sum of lists, multiplied by a factor. Missing numbers are 0.
func sumOf(by float64, lists ...[]float64) []float64 {
	n := 0
	for _, list := range lists {
		n = max(n, len(list))
	}
	sum := make([]float64, n)
	for _, list := range lists {
		for i, x := range list {
			sum[i] += by * x
		}
	}
	return sum
}

// scaled returns a multiplied by a factor.
func (a remoteRequests) scaled(by float64) remoteRequests {
	return remoteRequests{by * a.Blocks, by * a.Upgrades, by * a.Rights, by * a.Waits, by * a.Queues, by * a.Stalls, sumOf(by, a.Ports), sumOf(by, a.Controls)}
}

// interconnect is the network of a cluster. Times are in seconds.
type interconnect struct {
	nodes    int
	switched bool        // a switch, not a bus
	queues   float64     // factor from the counted waits for the network to those here; 0: counted waits are not used
	block    messageTime // of a message with a block
	right    messageTime // of a message without a block
	overlap  overlap     // overlap of messages with each other and with instructions
}

// interconnect returns the network of c. With one node it is zero.
func (c *Case) interconnect() (interconnect, error) {
	r, err := c.remoteAccess()
	if err != nil || r.nodes < 2 {
		return interconnect{}, err
	}
	b := interconnect{nodes: r.nodes, switched: r.switched}
	for _, m := range []struct {
		size unit.Bytes
		to   *messageTime
	}{{c.Machine.System.Block, &b.block}, {0, &b.right}} {
		d, err := c.message(m.size)
		if err != nil {
			return interconnect{}, err
		}
		*m.to = messageTime{float64(d.Latency) / 1e12, float64(d.Free) / 1e12}
	}
	return b, nil
}

// perNode returns how many of n processors are in each node, or 0 for a single node.
func (b *interconnect) perNode(n int) int {
	if b.nodes < 2 {
		return 0
	}
	return n / b.nodes
}

func (b *interconnect) terms(all windowWork) []model.Term {
	touches := max(1, all.Touches)
	return []model.Term{
		{Symbol: "N", Value: float64(b.nodes), Unit: "1", What: "nodes"},
		{Symbol: "tau_r", Value: b.block.time, Unit: "s", What: "time of a message with a block on an idle network"},
		{Symbol: "P_r", Value: all.Remote.Blocks / touches, Unit: "1", What: "messages with a block per line access"},
		{Symbol: "rights", Value: all.Remote.Rights / touches, Unit: "1", What: "messages without a block per line access"},
	}
}

// messageTime is the time of a message on an idle network, and how long the message holds the network, in
// seconds.
type messageTime struct{ time, held float64 }

// remoteStretch is a [remoteRequests] as times in seconds.
type remoteStretch struct {
	visits  float64   // messages that the processor waits for
	latency float64   // their time on an idle network, with the memories of the other nodes
	holds   [3]hold   // uses of the network, by share of visits
	ports   []float64 // how long each port is held; a bus is one port
	parts   []float64 // share of the messages that use each port of a switch
}

// remoteStretch converts a to times on a machine. The instructions of the stretch take the given time in all.
//
//   - A block takes an access to the memory that it comes from, and a message.
//   - An upgrade takes a message, and as long as an upgrade on the bus of the other node.
//   - Invalidations go out at the same time. A store that also fetches its block waits only for the block.
//
// Processors that continue behind misses also continue behind blocks. They wait at least for as long as a
// message holds the network, because the next message follows it there.
func (c *costs) remoteStretch(a remoteRequests, instructions float64) remoteStretch {
	b := &c.interconnect
	if b.nodes < 2 {
		return remoteStretch{}
	}
	s := remoteStretch{visits: a.Blocks + a.Upgrades, ports: b.held(&a)}
	if s.visits == 0 {
		return s
	}
	waited := func(time, held float64) float64 {
		return max(held, time*b.overlap.exposure(time, instructions/s.visits).share())
	}
	s.latency = a.Blocks*waited(c.memory+b.block.time, b.block.held) + a.Upgrades*waited(c.invalidate+b.right.time, b.right.held)
	rights := max(a.Rights, a.Upgrades)
	s.holds[0] = hold{b.block.held, a.Blocks / s.visits}
	if a.Upgrades > 0 {
		s.holds[1] = hold{b.right.held * rights / a.Upgrades, a.Upgrades / s.visits}
	}
	if b.switched {
		s.parts = make([]float64, len(a.Ports))
		for i, n := range a.Ports {
			s.parts[i] = n / max(1, a.Blocks)
		}
	}
	return s
}

// held returns how long messages hold each port of the network. A bus is one port.
func (b *interconnect) held(a *remoteRequests) []float64 {
	if !b.switched {
		return []float64{a.Blocks*b.block.held + max(a.Rights, a.Upgrades)*b.right.held}
	}
	return sumOf(1, sumOf(b.block.held, a.Ports), sumOf(b.right.held, a.Controls))
}

// maxJoint bounds the rounds of [network.twoQueueWaits]. The rounds end at a relative change below enough,
// compared with the time of a stretch.
const (
	maxJoint = 50
	enough   = 1e-7
)

// twoQueueWaits returns how long each active processor of a cluster waits in its whole stretch, for the bus of
// its node and for the network. A processor that waits for one of them does not use the other. So each queue
// is solved with the waits of the other as time spent elsewhere, until the two agree.
func (n *network) twoQueueWaits(all []*stretch, active []int) []float64 {
	buses, net := make([]float64, len(all)), make([]float64, len(all)) // waits in the whole stretch, in seconds
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
		if change > before/2 { // two saturated queues oscillate
			step = 0.5
		}
		before = change
	}
	if change >= enough && !n.counted { // keeps the utilization of the network at 1 or less: see [MVA.bound]
		for i, w := range n.onNetwork(all, buses) {
			net[i] = w * all[i].remote.visits
		}
	}
	for i := range net {
		net[i] += buses[i]
	}
	return net
}

// onBuses finds the wait per visit for the bus of each node. The processors spend the times net on the network
// besides.
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

// onNetwork returns the wait for the network per message. The processors also wait for their buses as given.
func (n *network) onNetwork(all []*stretch, buses []float64) []float64 {
	out := make([]float64, len(all))
	var index []int
	var customers []customer
	for i, s := range all {
		if s.remote.visits == 0 {
			continue
		}
		c := customer{holds: s.remote.holds, ports: s.remote.parts}
		mean, _ := c.moments()
		c.think = max(0, (s.total()+buses[i])/s.remote.visits-mean)
		index, customers = append(index, i), append(customers, c)
	}
	for k, w := range n.wait(customers) {
		out[index[k]] = w
	}
	return out
}

// busiest returns how long the busiest port of the network was held, in seconds.
func (n *network) busiest() (held float64) {
	for _, h := range n.ports {
		held = max(held, h)
	}
	return held
}
