package cluster

import (
	"math"
	"slices"
)

// windowWork is what one processor does in a stretch of its program, as counts.
type windowWork struct {
	Instr      float64
	Touches    float64        // accesses of lines by loads and stores
	Inner      []float64      // misses of each cache level but the last
	Misses     float64        // misses of the last level: line transfers over the bus
	Upgrades   float64        // bus transactions without data
	Writebacks float64        // modified lines that misses evict, or that are flushed
	Remote     remoteRequests // requests to other nodes
}

// plus returns the sum of w and v.
func (w windowWork) plus(v windowWork) windowWork {
	inner := make([]float64, max(len(w.Inner), len(v.Inner)))
	copy(inner, w.Inner)
	for i, m := range v.Inner {
		inner[i] += m
	}
	return windowWork{w.Instr + v.Instr, w.Touches + v.Touches, inner, w.Misses + v.Misses, w.Upgrades + v.Upgrades, w.Writebacks + v.Writebacks, w.Remote.plus(v.Remote)}
}

// costs are the times of a machine in seconds.
type costs struct {
	instr        float64      // 1/S: time of an instruction
	touch        float64      // tau_1: time of a hit in the first level
	inner        []float64    // time of a hit in each further level
	memory       float64      // tau_2: time of a miss on an idle bus
	occupancy    float64      // how long a line holds the bus
	invalidate   float64      // how long an upgrade takes and holds the bus
	shared       bool         // the last of inner is shared, and upgrades go there instead of the bus
	overlap      overlap      // overlap of misses with each other and with instructions
	exposed      float64      // measured share of miss time that the processor waits for; 0: computed from overlap
	interconnect interconnect // network between nodes
	step         float64      // mean time of an instruction or hit
	inInstr      bool         // counted times are in instructions; otherwise in instructions and hits
	each         []costs      // costs of each processor, if they differ
}

// of returns the costs of processor p.
func (c *costs) of(p int) *costs {
	if c.each == nil {
		return c
	}
	return &c.each[p]
}

// stretch is [windowWork] as times in seconds.
type stretch struct {
	ideal   float64    // instructions and cache hits
	latency float64    // misses and upgrades on an idle bus, and remote requests on an idle network
	sync    float64    // waiting at locks and flags
	pending float64    // counted waits for the network and for blocks in transit
	visits  float64    // misses and upgrades
	miss    exposure   // how the processor waits for misses
	upgrade exposure   // and for upgrades
	held    float64    // how long the bus is held
	flushed float64    // of that, by write-backs of flushes, for which no visit waits
	holds   [3]hold    // uses of the bus, by share of visits
	stalls  [3]float64 // how long the processor waits for each of holds
	remote  remoteStretch
	longest float64 // if nothing overlaps and nobody else does anything
}

// exposure describes misses: the processor waits for the measured share, or else for that of
// [overlap.exposure]. Upgrades were not measured.
func (c *costs) exposure(miss, gap float64) exposure {
	if c.exposed > 0 {
		return exposure{time: miss, inFlight: 1 / c.exposed}
	}
	return c.overlap.exposure(miss, gap)
}

// hierarchy returns how long a processor waits for inner levels in all, and how it waits for memory. A memory
// access has come through all levels, so the wait for it begins earlier. The argument inner has the misses of
// each level but the last, and the last misses memory times. The function gap returns the time of instructions
// between so many misses, and memoryGap is the time between accesses that leave the last level.
func (c *costs) hierarchy(inner []float64, memory, memoryGap float64, gap func(misses float64) float64) (inside float64, outside exposure) {
	way := 0.0
	for i, m := range inner {
		way += c.inner[i]
		further := memory
		if i+1 < len(inner) {
			further = inner[i+1]
		}
		if found := max(0, m-further); found > 0 {
			inside += found * way * c.exposure(way, gap(m)).share()
		}
	}
	outside = c.exposure(way+c.memory, memoryGap)
	return inside + memory*way*outside.share(), outside
}

// stretch converts w to times on a machine.
func (c *costs) stretch(w windowWork) stretch {
	upgrades := w.Upgrades
	if c.shared {
		upgrades = 0 // none on the bus
	}
	s := stretch{ideal: w.Instr*c.instr + w.Touches*c.touch, visits: w.Misses + upgrades}
	instructions := s.ideal
	gap := instructions / max(1, s.visits)
	inside, miss := c.hierarchy(w.Inner, w.Misses, gap, func(misses float64) float64 { return instructions / max(1, misses) })
	s.ideal += inside
	s.miss, s.upgrade = miss, c.overlap.exposure(c.invalidate, gap)
	exposed := s.miss.share()
	s.latency = w.Misses*c.memory*exposed + w.Upgrades*c.invalidate*s.upgrade.share()
	s.held = (w.Misses+w.Writebacks)*c.occupancy + upgrades*c.invalidate
	s.flushed = max(0, w.Writebacks-w.Misses) * c.occupancy
	if s.visits > 0 {
		dirty := min(w.Writebacks, w.Misses) / s.visits
		s.holds = [3]hold{
			{c.occupancy, w.Misses/s.visits - dirty},
			{2 * c.occupancy, dirty},
			{c.invalidate, upgrades / s.visits},
		}
		stall := c.memory * exposed
		s.stalls = [3]float64{stall, stall, c.invalidate * s.upgrade.share()}
	}
	s.remote = c.remoteStretch(w.Remote, instructions)
	s.longest = c.longest(&w)
	s.latency += s.remote.latency
	s.sync = w.Remote.Waits * c.counted()
	s.pending = w.Remote.Queues * c.counted() * c.interconnect.queues
	return s
}

// total returns the time of the whole stretch on an idle machine.
func (s *stretch) total() float64 { return s.ideal + s.latency + s.sync + s.pending }

// onBus returns s as a customer of the bus, if the processor spends the time think elsewhere between two
// visits.
//
// A write-back follows on the bus directly after the miss that caused it, and its processor does not wait for
// it. So the miss holds the bus for longer than it stalls its processor. An exponential think time covers a
// part of this posted use. The rest stalls the next visit: own is that stall, per visit. The customer of the
// queue begins to think when the posted use has ended.
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

// network is a closed queueing network. Its customers change as processors go from stretch to stretch.
type network struct {
	wait    func([]customer) []float64 // solves the network for the waits
	procs   []times
	now     float64
	held    float64 // how long the buses were held in all
	flushed float64 // of that, by flushes

	perNode int       // processors of a node; 0: there is one node
	counted bool      // the stretches contain the waits for the network
	ports   []float64 // how long each port of the network was held, as in [remoteRequests]
}

// phase runs what every processor does from one barrier to the next: by processor, the stretches of its
// program in order. At any moment, the bus is the closed network of the current stretches. It stays the same
// until the first processor ends its stretch. A processor that has arrived at the barrier has left the
// network, and waits for the slowest.
func (n *network) phase(work [][]stretch) {
	at := make([]int, len(work))
	left := make([]float64, len(work)) // share of the current stretch that is left
	for p := range work {
		left[p] = 1
	}
	before := *n
	before.ports, before.procs = slices.Clone(n.ports), slices.Clone(n.procs)
	end := make([]float64, len(work)) // when each processor ended its work
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
	n.extendPhase(&before)
	n.limitPhase(&before, work)
}

// advance runs all active processors until the first of them ends its stretch.
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
		n.flushed += part * s.flushed
		for i, held := range s.remote.ports {
			n.ports[i] += part * held
		}
		const rest = 1e-9 // a smaller share of a stretch is rounding
		if left[p] -= part; left[p] <= rest {
			left[p] = 1
			at[p]++
		}
	}
}

// contention returns how long each active processor waits in its whole stretch.
func (n *network) contention(work [][]stretch, active, at []int) []float64 {
	all := make([]*stretch, len(active))
	for i, p := range active {
		all[i] = &work[p][at[p]]
	}
	if n.perNode > 0 {
		return n.twoQueueWaits(all, active)
	}
	waits := n.onBus(all, make([]float64, len(all)))
	overlapped := false
	for i, s := range all {
		if !s.overlaps() {
			waits[i] *= s.visits
			continue
		}
		waits[i], overlapped = s.waited(waits[i]), true
	}
	if overlapped {
		keepBusLaw(all, waits)
	}
	return waits
}

// onBus returns the wait for the bus per visit. Besides their ideal time, the processors spend the times
// besides away from the bus in their stretches.
func (n *network) onBus(all []*stretch, besides []float64) []float64 {
	out := make([]float64, len(all))
	var index []int
	var customers []customer
	for i, s := range all {
		if s.visits > 0 {
			c, own := s.onBus((s.ideal + besides[i]) / s.visits)
			out[i] = own
			index, customers = append(index, i), append(customers, c)
		}
	}
	for k, w := range n.wait(customers) {
		out[index[k]] += w
	}
	return out
}
