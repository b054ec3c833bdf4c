package cluster

import (
	"math"

	"spoor/analyze/phases"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// holding reports whether a message holds the network for most of its time.
func (b *interconnect) holding() bool { return 2*b.block.held > b.block.time }

// A window is what a processor asks of others in a window of a phase, by its number.
type window func(p trace.Proc, phase int, number int64) RemoteDemand

// windowsOf are what was counted for delays, at one that may be between them. What is waited for takes messages: it grows as the delay does.
func windowsOf(t *phases.TrafficProfile, delay float64, nodes int) window {
	lo, hi, part := bracket(t.Delays, delay)
	if lo == hi {
		return scaledTo(t, lo, delay, nodes)
	}
	linear := (delay - float64(t.Delays[lo])) / float64(t.Delays[hi]-t.Delays[lo])
	return func(p trace.Proc, phase int, number int64) RemoteDemand {
		a, b := remoteDemand(t.Window(p, phase, number, lo), nodes), remoteDemand(t.Window(p, phase, number, hi), nodes)
		out := a.scaled(1 - part).plus(b.scaled(part))
		out.Waits, out.Queues = max(0, a.Waits+linear*(b.Waits-a.Waits)), max(0, a.Queues+linear*(b.Queues-a.Queues))
		return out
	}
}

// scaledTo are what was counted for one of the delays, in an order that is the same at another.
func scaledTo(t *phases.TrafficProfile, counted int, delay float64, nodes int) window {
	by := 1.0
	if d := float64(t.Delays[counted]); d > 0 {
		by = delay / d
	}
	return func(p trace.Proc, phase int, number int64) RemoteDemand {
		a := remoteDemand(t.Window(p, phase, number, counted), nodes)
		a.Waits, a.Queues = by*a.Waits, by*a.Queues
		return a
	}
}

// apart adds to the work between barriers what nodes need of others.
func (r *Run) addRemoteDemand(c *Case, work program, away window) error {
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil {
		return err
	}
	for i := range work {
		for p := range work[i] {
			for at := range work[i][p] {
				w := &work[i][p][at]
				w.Remote = away(trace.Proc(p), i, profile.Number(i, at))
				if c.perNode() == 1 {
					w.Upgrades = 0 // there is nobody else on the bus
				}
			}
		}
	}
	return nil
}

// bracket is the two of delays between which one is, and how far from the first to the second, by their logarithms.
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

// settle has work ask for what nodes need of others, which depends on how long they wait for blocks, and the network run it. Where messages
// hold the network, turns on it are in what was counted. Else the wait is found from itself, beginning with none.
func (r *Run) solveCluster(c *Case, costs *costs, work program) (*network, error) {
	asked, err := r.traffic(c.nodesOf())
	if err != nil {
		return nil, err
	}
	costs.step = costs.hits(work)
	for p := range costs.each {
		costs.each[p].step = costs.step
	}
	delay := costs.interconnect.block.time / costs.step
	if costs.interconnect.holding() {
		if costs.each == nil { // what was counted is of equal nodes
			costs.interconnect.queues = 1
			if latency := float64(asked.Latency); latency < delay {
				costs.interconnect.queues = costs.interconnect.block.held / costs.interconnect.block.time / (1 - latency/delay)
			}
		}
		if err := r.addRemoteDemand(c, work, windowsOf(asked, delay, c.nodes())); err != nil {
			return nil, err
		}
		costs.group(work, r.drains(len(work)))
		return costs.run(work, c.Processors, waits), nil
	}
	var net *network
	blocks := 0.0
	for range maxRoundsOfDelay {
		if err := r.addRemoteDemand(c, work, windowsOf(asked, delay, c.nodes())); err != nil {
			return nil, err
		}
		costs.group(work, r.drains(len(work)))
		net = costs.run(work, c.Processors, waits)
		before := blocks
		if blocks = work.sum().Remote.Blocks; math.Abs(blocks-before) <= delayTolerance*blocks {
			break
		}
		delay = net.delay(costs, work, asked.Right)
	}
	return net, nil
}

// maxRoundsOfDelay bounds the rounds of [Run.solveCluster], and delayTolerance is when they end: relative to the number of blocks.
const (
	maxRoundsOfDelay = 8
	delayTolerance   = 0.01
)

// delay is how long a message with a block takes with what is waited for it, in the time of an instruction or hit, if messages without one take a part of that.
func (n *network) delay(c *costs, work program, right float64) float64 {
	away := work.sum().Remote
	contention := -away.Queues * c.step
	for _, t := range n.procs {
		contention += t.contention
	}
	messages := away.Blocks + right*away.Upgrades
	if messages == 0 {
		return 0
	}
	return (away.Blocks*c.interconnect.block.time + away.Upgrades*c.interconnect.right.time + contention) / (messages * c.step)
}
