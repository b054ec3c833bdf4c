package cluster

import (
	"math"

	"spoor/analyze/phases"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// holdsNetwork reports whether a message holds the network for most of its time.
func (b *interconnect) holdsNetwork() bool { return 2*b.block.held > b.block.time }

// A demandFunc returns the requests of a processor in a window of a phase, by its number.
type demandFunc func(p trace.Proc, phase int, number int64) remoteRequests

// interpolatedDemand returns the requests at a delay, interpolated between the delays that were counted. Waits
// consist of messages, so they grow in proportion to the delay.
func interpolatedDemand(t *phases.TrafficProfile, delay float64, nodes int) demandFunc {
	lo, hi, part := bracket(t.Delays, delay)
	if lo == hi {
		return countedDemand(t, lo, delay, nodes)
	}
	linear := (delay - float64(t.Delays[lo])) / float64(t.Delays[hi]-t.Delays[lo])
	return func(p trace.Proc, phase int, number int64) remoteRequests {
		a, b := remoteDemand(t.Window(p, phase, number, lo), nodes), remoteDemand(t.Window(p, phase, number, hi), nodes)
		out := a.scaled(1 - part).plus(b.scaled(part))
		out.Waits, out.Queues = max(0, a.Waits+linear*(b.Waits-a.Waits)), max(0, a.Queues+linear*(b.Queues-a.Queues))
		return out
	}
}

// countedDemand returns the requests counted for one of the delays. Waits are scaled to another delay in the
// same order.
func countedDemand(t *phases.TrafficProfile, counted int, delay float64, nodes int) demandFunc {
	by := 1.0
	if d := float64(t.Delays[counted]); d > 0 {
		by = delay / d
	}
	return func(p trace.Proc, phase int, number int64) remoteRequests {
		a := remoteDemand(t.Window(p, phase, number, counted), nodes)
		a.Waits, a.Queues = by*a.Waits, by*a.Queues
		return a
	}
}

// addRemoteDemand adds the requests between nodes to the work between barriers.
func (r *Run) addRemoteDemand(c *Case, work program, away demandFunc) error {
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil {
		return err
	}
	eachWindow(work, profile, func(w *windowWork, p trace.Proc, phase int, number int64) {
		w.Remote = away(p, phase, number)
		if c.perNode() == 1 {
			w.Upgrades = 0 // no other processor is on the bus
		}
	})
	return nil
}

// nearest returns the index of the delay that is nearest to the given one.
func nearest(delays []unit.Instructions, delay float64) (at int) {
	for i, d := range delays {
		if math.Abs(float64(d)-delay) < math.Abs(float64(delays[at])-delay) {
			at = i
		}
	}
	return at
}

// bracket returns the two delays around the given one, and the position between them by logarithms, from 0 to
// 1.
func bracket(delays []unit.Instructions, delay float64) (lo, hi int, part float64) {
	for hi < len(delays)-1 && float64(delays[hi]) < delay {
		hi++
	}
	if lo = max(0, hi-1); lo == hi {
		return lo, hi, 0
	}
	log := func(d unit.Instructions) float64 { return math.Log1p(float64(d)) }
	part = (math.Log1p(delay) - log(delays[lo])) / (log(delays[hi]) - log(delays[lo]))
	return lo, hi, min(1, max(0, part))
}

// solveCluster adds the requests between nodes to work, and solves the network. The requests depend on how
// long nodes wait for blocks. If messages hold the network, or the counts are in the time of a machine, they include the
// waits for it. Otherwise the wait is found by iteration, which begins with no wait.
func (r *Run) solveCluster(c *Case, costs *costs, work program) (*network, error) {
	asked, err := r.traffic(c.nodesOf())
	if err != nil {
		return nil, err
	}
	if t, at := c.timedTraffic(r, &costs.interconnect); t != nil {
		return costs.solveTimed(c, r, t, at, work)
	}
	costs.step = costs.hitTime(work)
	for p := range costs.each {
		costs.each[p].step, costs.each[p].inInstr = costs.step, costs.inInstr
	}
	delay := costs.interconnect.block.time / costs.counted()
	if costs.interconnect.holdsNetwork() || costs.inInstr {
		if costs.each == nil { // the counts are of equal nodes
			costs.interconnect.queues = 1
			if latency := float64(asked.Latency); latency < delay {
				costs.interconnect.queues = costs.interconnect.block.held / costs.interconnect.block.time / (1 - latency/delay)
			}
		}
		if err := r.addRemoteDemand(c, work, interpolatedDemand(asked, delay, c.nodes())); err != nil {
			return nil, err
		}
		costs.setGroups(work, r.drains(len(work)))
		return costs.run(work, c.Processors, waits), nil
	}
	var net *network
	blocks := 0.0
	for range maxRoundsOfDelay {
		if err := r.addRemoteDemand(c, work, interpolatedDemand(asked, delay, c.nodes())); err != nil {
			return nil, err
		}
		costs.setGroups(work, r.drains(len(work)))
		net = costs.run(work, c.Processors, waits)
		before := blocks
		if blocks = work.sum().Remote.Blocks; math.Abs(blocks-before) <= delayTolerance*blocks {
			break
		}
		delay = net.delay(costs, work, asked.Right)
	}
	return net, nil
}

// maxRoundsOfDelay bounds the rounds of [Run.solveCluster]. The rounds end when the number of blocks changes
// by less than delayTolerance.
const (
	maxRoundsOfDelay = 8
	delayTolerance   = 0.01
)

// delay returns how long a message with a block takes with its waits, in the time of an instruction or hit.
// Messages without a block take the share right of that.
func (n *network) delay(c *costs, work program, right float64) float64 {
	away := work.sum().Remote
	contention := -away.Queues * c.counted()
	for _, t := range n.procs {
		contention += t.contention
	}
	messages := away.Blocks + right*away.Upgrades
	if messages == 0 {
		return 0
	}
	return (away.Blocks*c.interconnect.block.time + away.Upgrades*c.interconnect.right.time + contention) / (messages * c.counted())
}
