package cluster

import (
	"fmt"
	"math"

	"spoor/analyze/phases"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// bound returns a lower bound of the result of [MVA.Predict] for c. It applies the asymptotic bounds of closed
// queueing networks to every phase of the program. A phase lasts at least as long as
//
//   - the processor with the most work takes if nobody waits, and
//   - each server is held, if its utilization is at most 1 (see [capUtilization]).
//
// The servers are the bus of a machine of one node whose processors wait for every miss, and the network, or
// the ports of the switch, of a cluster.
//
// The requests between nodes depend on the delay of blocks, which only the solution knows. They lie between
// the counts for two neighbouring delays (see [Run.addRemoteDemand]). In every window, the bound takes the
// smaller counts of the two. It is the lowest bound over all pairs of neighbouring delays.
//
// For unequal nodes, and for programs that pass messages, the bound is 0.
//
// Source: [lazowska1984, ch. 5].
func (v MVA) bound(c *Case) (unit.Seconds, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if len(c.Machine.OtherNodes) > 0 || c.passesMessages() {
		return 0, nil
	}
	c, _ = c.fewWays()
	const slack = 10 * enough // for the tolerance of the iterations
	on, err := v.place(c)
	if err == nil && on.timed {
		net, err := on.solve(c)
		if err != nil {
			return 0, err
		}
		return unit.Seconds(net.now / instructions(on.work) * (1 - slack)), nil
	}
	by := 1.0
	if err == nil {
		if by, err = on.beyond(c); err != nil {
			return 0, err
		}
	}
	works, err := c.boundWork()
	if err != nil {
		return 0, err
	}
	costs := costsOf(c.Machine)
	if costs.interconnect, err = c.interconnect(); err != nil {
		return 0, err
	}
	costs.interconnect.overlap = costs.overlap // at most as many messages overlap, see [costs.setGroups]
	least := math.Inf(1)
	for _, work := range works {
		least = min(least, costs.bound(work)/instructions(work))
	}
	return unit.Seconds(by * least * (1 - slack)), nil
}

// boundWork returns the work of c with the smallest requests between nodes, one program for each two
// neighbouring delays.
func (c *Case) boundWork() ([]program, error) {
	m := c.Machine
	r, err := c.exactRun()
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%#v %#v %#v %v %v %d", m.Caches, m.Shared, c.nodesOf(), m.Processor.Outstanding > 0, exclusive(m), c.Processors)
	if known := r.boundWorks[key]; known != nil {
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
		out = []program{c.mergeWindows(work, func(int, int, int) remoteRequests { return remoteRequests{} })}
	} else if out, err = c.clusterBounds(r, work); err != nil {
		return nil, err
	}
	if r.boundWorks == nil {
		r.boundWorks = map[string][]program{}
	}
	r.boundWorks[key] = out
	return out, nil
}

// clusterBounds returns the programs of [Case.boundWork] for a cluster.
func (c *Case) clusterBounds(r *Run, work program) (out []program, err error) {
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
		out = append(out, c.mergeWindows(work, func(p, phase, at int) remoteRequests {
			number := profile.Windows[phase][at]
			return minDemand(remoteDemand(traffic.Window(trace.Proc(p), phase, number, lo), c.nodes()), remoteDemand(traffic.Window(trace.Proc(p), phase, number, hi), c.nodes()))
		}))
	}
	return out, nil
}

// mergeWindows returns work with the requests between nodes that away gives. Where processors wait for every
// miss, times are sums, so all windows of a phase are merged into one.
func (c *Case) mergeWindows(work program, away func(p, phase, at int) remoteRequests) program {
	out := make(program, len(work))
	for phase := range work {
		out[phase] = make([][]windowWork, len(work[phase]))
		for p, windows := range work[phase] {
			var all []windowWork
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

// minDemand returns the minimum of a and b in every count. If a window has less than one block, its ports
// count less: see [costs.remoteStretch].
func minDemand(a, b remoteRequests) remoteRequests {
	a.Blocks, a.Upgrades, a.Rights = min(a.Blocks, b.Blocks), min(a.Upgrades, b.Upgrades), min(a.Rights, b.Rights)
	for i := range a.Ports {
		a.Ports[i] = min(a.Ports[i], b.Ports[i]) * min(1, a.Blocks)
	}
	return a
}

// bound returns the sum of the bounds of all phases, in seconds.
func (c *costs) bound(work program) (sum float64) {
	var servers []float64 // times of the bus, or of the network and its ports
	for _, phase := range work {
		longest := 0.0
		clear(servers)
		for _, windows := range phase {
			alone := 0.0
			for _, w := range windows {
				s := c.stretch(w)
				alone += s.ideal + s.latency
				servers = c.addHeld(servers, &s, w.Remote)
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

// addHeld adds how long servers are held.
func (c *costs) addHeld(held []float64, s *stretch, a remoteRequests) []float64 {
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

// nodesOf returns the settings that the traffic of c depends on. If messages hold the network of c for most of
// their time, the traffic is that of such a network; otherwise that of an ideal one.
func (c *Case) nodesOf() nodesOf {
	of := nodesOf{c.Machine.System.Block, c.perNode(), phases.Placement(c.Machine.Memory.Placement), phases.Ideal}
	if b, err := c.interconnect(); err == nil && b.nodes > 1 && (b.holdsNetwork() || c.hasNode()) {
		of.network = phases.Network(c.Machine.Network.Model)
	}
	return of
}
