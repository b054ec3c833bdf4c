package cluster

import (
	"math"
	"slices"
)

// Work is what one processor does in a stretch of its program.
type Work struct {
	Instr      float64
	Touches    float64      // loads and stores of lines
	Inner      []float64    // misses of each cache level but the last
	Misses     float64      // of the last level: line transfers over the bus
	Upgrades   float64      // bus transactions without data
	Writebacks float64      // modified lines pushed out by misses
	Remote     RemoteDemand // what the node asks of others for it
}

// plus is the sum of w and v.
func (w Work) plus(v Work) Work {
	inner := make([]float64, max(len(w.Inner), len(v.Inner)))
	copy(inner, w.Inner)
	for i, m := range v.Inner {
		inner[i] += m
	}
	return Work{w.Instr + v.Instr, w.Touches + v.Touches, inner, w.Misses + v.Misses, w.Upgrades + v.Upgrades, w.Writebacks + v.Writebacks, w.Remote.plus(v.Remote)}
}

// costs are the times of a machine in seconds.
type costs struct {
	instr        float64      // 1/S: of an instruction
	touch        float64      // tau_1: of a load or store that hits in the first level
	inner        []float64    // of a hit in each level behind the first
	memory       float64      // tau_2: of a miss on an idle bus
	occupancy    float64      // of the bus by a line
	invalidate   float64      // of and for an upgrade
	shared       bool         // a level behind the private ones, the last of inner, takes upgrades from the bus
	overlap      overlap      // of misses with each other and with instructions
	exposed      float64      // part of misses that is waited for, where it was measured; 0: overlap says
	interconnect interconnect // nodes
	step         float64      // of an instruction or hit
	each         []costs      // of each processor, if they are not equal
}

// of are the costs of a processor.
func (c *costs) of(p int) *costs {
	if c.each == nil {
		return c
	}
	return &c.each[p]
}

// stretch is Work in seconds.
type stretch struct {
	ideal   float64    // instructions and cache hits
	latency float64    // misses and upgrades on an idle bus, and what nodes need of others on an idle network
	sync    float64    // waiting at locks and flags
	pending float64    // waiting for turns on the network and for blocks on their way, where that was counted
	visits  float64    // misses and upgrades
	exposed float64    // part of a miss that the processor waits for
	held    float64    // for which the bus is held
	holds   [3]hold    // of the bus, by visits
	stalls  [3]float64 // for which the processor waits
	remote  remoteStretch
}

// waited is the part of a miss that the processor waits for: what was measured, or see [overlap.waited]. Upgrades are not
// among what is measured.
func (c *costs) waited(miss, gap float64) float64 {
	if c.exposed > 0 {
		return c.exposed
	}
	return c.overlap.waited(miss, gap)
}

// hierarchy is how long inner levels are waited for, in all, and the part of memory accesses that is, each of which has come through
// all these levels: it begins to be waited for the sooner. inner are misses of each level but the last, which misses memory times; gap is
// the time of instructions between so many, apart that between accesses that leave the last.
func (c *costs) hierarchy(inner []float64, memory, apart float64, gap func(misses float64) float64) (inside, exposed float64) {
	way := 0.0
	for i, m := range inner {
		way += c.inner[i]
		further := memory
		if i+1 < len(inner) {
			further = inner[i+1]
		}
		if found := max(0, m-further); found > 0 {
			inside += found * way * c.waited(way, gap(m))
		}
	}
	exposed = c.waited(way+c.memory, apart)
	return inside + memory*way*exposed, exposed
}

// stretch is what w means on a machine.
func (c *costs) stretch(w Work) stretch {
	upgrades := w.Upgrades
	if c.shared {
		upgrades = 0 // on the bus
	}
	s := stretch{ideal: w.Instr*c.instr + w.Touches*c.touch, visits: w.Misses + upgrades}
	instructions := s.ideal
	gap := instructions / max(1, s.visits)
	inside, exposed := c.hierarchy(w.Inner, w.Misses, gap, func(misses float64) float64 { return instructions / max(1, misses) })
	s.ideal += inside
	s.exposed = exposed
	s.latency = w.Misses*c.memory*s.exposed + w.Upgrades*c.invalidate*c.overlap.waited(c.invalidate, gap)
	s.held = (w.Misses+w.Writebacks)*c.occupancy + upgrades*c.invalidate
	if s.visits > 0 {
		dirty := min(w.Writebacks, w.Misses) / s.visits
		s.holds = [3]hold{
			{c.occupancy, w.Misses/s.visits - dirty},
			{2 * c.occupancy, dirty},
			{c.invalidate, upgrades / s.visits},
		}
		stall := c.memory * s.exposed
		s.stalls = [3]float64{stall, stall, c.invalidate * c.overlap.waited(c.invalidate, gap)}
	}
	s.remote = c.remoteStretch(w.Remote, instructions)
	s.latency += s.remote.latency
	s.sync = w.Remote.Waits * c.step
	s.pending = w.Remote.Queues * c.step * c.interconnect.queues
	return s
}

// total is the time of all of it on an idle machine.
func (s *stretch) total() float64 { return s.ideal + s.latency + s.sync + s.pending }

// onBus is the customer of the bus that s is, if it is elsewhere for so long between two visits; and what it waits, per visit, for
// what it left on the bus itself. A write-back follows the miss that caused
// it on the bus at once, and nobody waits for it but who needs the bus: so the
// miss holds the bus for longer than it stalls its processor. Of this posted part,
// what an exponential think time does not cover stalls the next visit (own); the
// customer of the queue begins to think when the bus has done with it.
func (s *stretch) onBus(think float64) (c customer, own float64) {
	c.holds = s.holds
	for k, stall := range s.stalls {
		posted, share := s.holds[k].time-stall, s.holds[k].share
		if posted <= 0 {
			c.think += share * (think - posted)
			continue
		}
		left := 0.0
		if think > 0 {
			left = think * math.Exp(-posted/think)
		}
		c.think += share * left
		own += share * (left + posted - think)
	}
	return c, own
}

// times is where the time of one processor goes, in seconds.
type times struct{ ideal, latency, contention, sync float64 }

func (t times) total() float64 { return t.ideal + t.latency + t.contention + t.sync }

// network is a closed queueing network whose customers change as processors go
// from stretch to stretch.
type network struct {
	wait  func([]customer) []float64 // which approximation
	procs []times
	now   float64
	held  float64 // for which the buses were held in all

	perNode int       // processors; 0: there is one node
	counted bool      // waits for the network are in stretches
	ports   []float64 // of the network, for how long each was held: see [interconnect.port]
}

// phase runs what every processor does from one barrier to the next: by
// processor, the stretches of its program in order. At any moment the bus is the
// closed network of the stretches that the processors are in, which holds until
// the first of them reaches the end of its own. A processor that has arrived at
// the barrier has left the network, and waits for the slowest.
func (n *network) phase(work [][]stretch) {
	at := make([]int, len(work))
	left := make([]float64, len(work)) // of the present stretch
	for p := range work {
		left[p] = 1
	}
	begun, before := n.now, slices.Clone(n.ports)
	end := make([]float64, len(work)) // when each processor last did anything
	for p := range end {
		end[p] = n.now
	}
	for {
		var active []int
		for p := range work {
			for at[p] < len(work[p]) && work[p][at[p]].total() == 0 {
				at[p]++
			}
			if at[p] < len(work[p]) {
				active = append(active, p)
			}
		}
		if len(active) == 0 {
			break
		}
		n.advance(work, active, at, left)
		for _, p := range active {
			end[p] = n.now
		}
	}
	for p := range work {
		n.procs[p].sync += n.now - end[p]
	}
	n.fill(begun, before)
}

// fill makes what began at a time, when ports had been held for so long, last at least as long as each of them is held: waits that were counted for two delays
// may be too short in between.
func (n *network) fill(begun float64, before []float64) {
	missing := 0.0
	for i, held := range n.ports {
		missing = max(missing, held-before[i]-(n.now-begun))
	}
	if !n.counted || missing <= 0 {
		return
	}
	n.now += missing
	for p := range n.procs {
		n.procs[p].contention += missing
	}
}

// advance lets all active processors go on until the first of them ends its
// stretch.
func (n *network) advance(work [][]stretch, active, at []int, left []float64) {
	contention := n.contention(work, active, at)
	step := math.Inf(1)
	first := -1
	for i, p := range active {
		s := &work[p][at[p]]
		if t := left[p] * (s.total() + contention[i]); t < step {
			step, first = t, p
		}
	}
	n.now += step
	for i, p := range active {
		s := &work[p][at[p]]
		part := min(left[p], step/(s.total()+contention[i]))
		if p == first {
			part = left[p]
		}
		n.procs[p].ideal += part * s.ideal
		n.procs[p].latency += part * s.latency
		n.procs[p].contention += part * (contention[i] + s.pending)
		n.procs[p].sync += part * s.sync
		n.held += part * s.held
		for i, held := range s.remote.ports {
			n.ports[i] += part * held
		}
		const rest = 1e-9 // of a stretch is rounding
		if left[p] -= part; left[p] <= rest {
			left[p] = 1
			at[p]++
		}
	}
}

// contention is the waiting of each active processor in all of its stretch.
func (n *network) contention(work [][]stretch, active, at []int) []float64 {
	all := make([]*stretch, len(active))
	for i, p := range active {
		all[i] = &work[p][at[p]]
	}
	if n.perNode > 0 {
		return n.twoQueueWaits(all, active)
	}
	waits := n.onBus(all, make([]float64, len(all)))
	for i, s := range all {
		waits[i] *= s.visits * s.exposed
	}
	return waits
}

// onBus is the waiting for the bus per visit, of processors that are not at the bus for so long, in their stretches, besides
// their ideal time.
func (n *network) onBus(all []*stretch, besides []float64) []float64 {
	out := make([]float64, len(all))
	var who []int
	var customers []customer
	for i, s := range all {
		if s.visits > 0 {
			c, own := s.onBus((s.ideal + besides[i]) / s.visits)
			out[i] = own
			who, customers = append(who, i), append(customers, c)
		}
	}
	for k, w := range n.wait(customers) {
		out[who[k]] += w
	}
	return out
}
