package cluster

import (
	"fmt"
	"math"

	"spoor/analyze/phases"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// least is no more than [MVA.Predict] has for c, by the asymptotic bounds of closed queueing networks for every phase of the program:
// it lasts no shorter than the processor takes that has most to do when nobody waits, nor than any server is held that is
// never held for more than all of the time (see [fill]). These are the bus of a machine of one node whose processors wait for every miss,
// and the network, or the ports of the switch, of a cluster.
//
// What nodes ask of each other depends on the delay of blocks, which only the solution has: it is between what was counted for two
// delays next to each other (see [Run.addRemoteDemand]). So the bound is that of the two for which it is lowest, where every window has of either
// what is less.
//
// Of unequal nodes the bound is 0.
//
// E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik: Quantitative System Performance. Prentice-Hall, 1984, chapter 5.
func (v MVA) least(c *Case) (unit.Seconds, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if len(c.Machine.Others) > 0 {
		return 0, nil
	}
	floors, err := c.floors()
	if err != nil {
		return 0, err
	}
	costs := costsOf(c.Machine)
	if costs.interconnect, err = c.interconnect(); err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for _, work := range floors {
		least = min(least, costs.least(work)/instructions(work))
	}
	const slack = 10 * enough // for what iterations leave open
	return unit.Seconds(least * (1 - slack)), nil
}

// floors are the work of c with the least that nodes may ask of each other, for every two delays next to each other.
func (c *Case) floors() ([]program, error) {
	m := c.Machine
	r, err := c.exactRun()
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%#v %#v %#v %v %d", m.Caches, m.Shared, c.nodesOf(), m.Processor.Outstanding > 0, c.Processors)
	if known := r.floors[key]; known != nil {
		return known, nil
	}
	work, _, err := r.program(c)
	if err != nil {
		return nil, err
	}
	if instructions(work) == 0 {
		return nil, fmt.Errorf("%s: the trace counts no instructions", r.Name)
	}
	var out []program
	if c.nodes() == 1 {
		out = []program{c.floor(work, func(int, int, int) RemoteDemand { return RemoteDemand{} })}
	} else if out, err = c.clusterFloors(r, work); err != nil {
		return nil, err
	}
	if r.floors == nil {
		r.floors = map[string][]program{}
	}
	r.floors[key] = out
	return out, nil
}

func (c *Case) clusterFloors(r *Run, work program) (out []program, err error) {
	traffic, err := r.traffic(c.nodesOf())
	if err != nil {
		return nil, err
	}
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil {
		return nil, err
	}
	for lo := range max(1, len(traffic.Delays)-1) {
		hi := min(lo+1, len(traffic.Delays)-1)
		out = append(out, c.floor(work, func(p, phase, at int) RemoteDemand {
			number := profile.Number(phase, at)
			return lesser(remoteDemand(traffic.Window(trace.Proc(p), phase, number, lo), c.nodes()), remoteDemand(traffic.Window(trace.Proc(p), phase, number, hi), c.nodes()))
		}))
	}
	return out, nil
}

// floor is work with what nodes ask of each other. Where processors wait for every miss, all windows of a phase are one, as times are
// sums then.
func (c *Case) floor(work program, away func(p, phase, at int) RemoteDemand) program {
	out := make(program, len(work))
	for phase := range work {
		out[phase] = make([][]Work, len(work[phase]))
		for p, windows := range work[phase] {
			var all []Work
			for at, w := range windows {
				w.Remote = away(p, phase, at)
				if c.nodes() > 1 && c.perNode() == 1 {
					w.Upgrades = 0 // see [Run.addRemoteDemand]
				}
				w.Writebacks = min(w.Writebacks, w.Misses) // see [costs.stretch]
				if len(all) > 0 && c.Machine.Processor.Outstanding == 0 {
					all[0] = all[0].plus(w)
				} else {
					all = append(all, w)
				}
			}
			out[phase][p] = all
		}
	}
	return out
}

// lesser is the less of a and b in everything. Of less than one block in a window, ports get less: see [costs.remoteStretch].
func lesser(a, b RemoteDemand) RemoteDemand {
	a.Blocks, a.Upgrades, a.Rights = min(a.Blocks, b.Blocks), min(a.Upgrades, b.Upgrades), min(a.Rights, b.Rights)
	for i := range a.Ports {
		a.Ports[i] = min(a.Ports[i], b.Ports[i]) * min(1, a.Blocks)
	}
	return a
}

// least is the sum of the bounds of all phases, in seconds.
func (c *costs) least(work program) (sum float64) {
	var servers []float64 // the bus, or the network and its ports
	for _, phase := range work {
		longest := 0.0
		clear(servers)
		for _, windows := range phase {
			alone := 0.0
			for _, w := range windows {
				s := c.stretch(w)
				alone += s.ideal + s.latency
				servers = c.serve(servers, &s, w.Remote)
			}
			longest = max(longest, alone)
		}
		for _, held := range servers {
			longest = max(longest, held)
		}
		sum += longest
	}
	return sum
}

// serve adds for how long servers are held.
func (c *costs) serve(held []float64, s *stretch, a RemoteDemand) []float64 {
	if held == nil {
		held = make([]float64, 1+len(a.Ports))
	}
	switch b := &c.interconnect; {
	case b.nodes > 1 && b.switched:
		for i, n := range a.Ports {
			held[1+i] += n * b.block.held
		}
	case b.nodes > 1:
		held[0] += a.Blocks*b.block.held + a.Upgrades*b.right.held
	case c.exposed == 0 && c.overlap.outstanding == 0:
		for _, h := range s.holds {
			held[0] += s.visits * h.share * h.time
		}
	}
	return held
}

// nodesOf is what the traffic of c depends on. It is that of a network that messages hold as they do c's: for all of their time, or not,
// whichever is nearer.
func (c *Case) nodesOf() nodesOf {
	of := nodesOf{c.Machine.System.Block, c.perNode(), phases.Placement(c.Machine.Memory.Placement), phases.Ideal}
	if b, err := c.interconnect(); err == nil && b.holding() {
		of.network = phases.Network(c.Machine.Network.Model)
	}
	return of
}
