package cluster

import (
	"math"

	"spoor/analyze/phases"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// holding reports whether a message holds the network for most of its time.
func (b *between) holding() bool { return 2*b.block.held > b.block.time }

// delays is how long a block is waited for, in the time of an instruction or use of a line: on an idle network, and as it is.
type delays struct{ alone, all float64 }

// windowOf is what was counted for delays, at one that may be between them. Waits grow as delays do: what is waited for at locks
// takes messages.
func windowOf(t *phases.TrafficProfile, p trace.Proc, phase int, number int64, delay float64, nodes int) Away {
	lo, hi, part := bracket(t.Delays, delay)
	at := func(i int) Away {
		a := awayOf(t.Window(p, phase, number, i), nodes)
		if d := float64(t.Delays[i]); d > 0 {
			a.Waits *= delay / d
		}
		return a
	}
	if part == 0 {
		return at(lo)
	}
	return at(lo).scaled(1 - part).plus(at(hi).scaled(part))
}

// apart adds to the work between barriers what nodes need of others.
func (r *Run) apart(c *Case, work program, t *phases.TrafficProfile, delay float64) error {
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil {
		return err
	}
	for i := range work {
		for p := range work[i] {
			for at := range work[i][p] {
				w := &work[i][p][at]
				w.Away = windowOf(t, trace.Proc(p), i, profile.Number(i, at), delay, c.nodes())
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

// settle finds how long blocks are waited for, on which it depends what nodes ask of each other: work is for that in the
// end, and the network has run it. It begins with no wait.
func (r *Run) settle(c *Case, costs *costs, work program) (*network, error) {
	asked, err := r.traffic(c.nodesOf())
	if err != nil {
		return nil, err
	}
	var net *network
	delay, blocks := 0.0, 0.0
	for range maxSettle {
		if err := r.apart(c, work, asked, delay); err != nil {
			return nil, err
		}
		net = costs.run(work, c.Processors, waits)
		before := blocks
		if blocks = work.sum().Away.Blocks; math.Abs(blocks-before) <= settled*blocks {
			break
		}
		d := net.delays(costs, work, asked.Right)
		if delay = d.all; costs.between.holding() {
			delay = d.alone // others are waited for in what was counted
		}
	}
	return net, nil
}

// maxSettle bounds the rounds of [Run.settle], and settled is when they end: relative to the number of blocks.
const (
	maxSettle = 8
	settled   = 0.01
)

// delays are how long blocks are waited for, if messages without one take a part of that. It sets how long an instruction takes.
func (n *network) delays(c *costs, work program, right float64) delays {
	all := work.sum()
	var sum times
	for _, t := range n.procs {
		sum.ideal, sum.latency, sum.contention = sum.ideal+t.ideal, sum.latency+t.latency, sum.contention+t.contention
	}
	away := c.away(all.Away)
	if away.visits == 0 {
		return delays{}
	}
	c.step = (sum.ideal + sum.latency - away.latency) / (all.Instr + all.Touches)
	for p := range c.each {
		c.each[p].step = c.step
	}
	per := (all.Away.Blocks + right*all.Away.Upgrades) * c.step
	return delays{away.latency / per, (away.latency + sum.contention) / per}
}
