package cluster

import "math"

// Work is what one processor does in a stretch of its program.
type Work struct {
	Instr      float64
	Touches    float64   // loads and stores of lines
	Inner      []float64 // misses of each cache level but the last
	Misses     float64   // of the last level: line transfers over the bus
	Upgrades   float64   // bus transactions without data
	Writebacks float64   // modified lines pushed out by misses
}

// plus is the sum of w and v.
func (w Work) plus(v Work) Work {
	inner := make([]float64, max(len(w.Inner), len(v.Inner)))
	copy(inner, w.Inner)
	for i, m := range v.Inner {
		inner[i] += m
	}
	return Work{w.Instr + v.Instr, w.Touches + v.Touches, inner, w.Misses + v.Misses, w.Upgrades + v.Upgrades, w.Writebacks + v.Writebacks}
}

// costs are the times of a machine in seconds.
type costs struct {
	instr      float64   // 1/S: of an instruction
	touch      float64   // tau_1: of a load or store that hits in the first level
	inner      []float64 // of a hit in each level behind the first
	memory     float64   // tau_2: of a miss on an idle bus
	occupancy  float64   // of the bus by a line
	invalidate float64   // of and for an upgrade
}

// stretch is Work in seconds.
type stretch struct {
	ideal   float64 // instructions and cache hits
	latency float64 // misses and upgrades on an idle bus
	visits  float64 // misses and upgrades
	held    float64 // for which the bus is held
	own     float64 // waiting, per visit, for what the processor itself left on the bus
	customer
}

// stretch is what w means on a machine. A write-back follows the miss that caused
// it on the bus at once, and nobody waits for it but who needs the bus: so the
// miss holds the bus for longer than it stalls its processor. Of this posted part,
// what an exponential think time does not cover stalls the next visit (own); the
// customer of the queue begins to think when the bus has done with it.
func (c *costs) stretch(w Work) stretch {
	s := stretch{ideal: w.Instr*c.instr + w.Touches*c.touch, visits: w.Misses + w.Upgrades}
	for i, m := range w.Inner {
		s.ideal += m * c.inner[i]
	}
	s.latency = w.Misses*c.memory + w.Upgrades*c.invalidate
	s.held = (w.Misses+w.Writebacks)*c.occupancy + w.Upgrades*c.invalidate
	if s.visits == 0 {
		return s
	}
	think := s.ideal / s.visits
	dirty := min(w.Writebacks, w.Misses) / s.visits
	s.holds = [3]hold{
		{c.occupancy, w.Misses/s.visits - dirty},
		{2 * c.occupancy, dirty},
		{c.invalidate, w.Upgrades / s.visits},
	}
	for k, stall := range []float64{c.memory, c.memory, c.invalidate} {
		posted, share := s.holds[k].time-stall, s.holds[k].share
		if posted <= 0 {
			s.think += share * (think - posted)
			continue
		}
		left := 0.0
		if think > 0 {
			left = think * math.Exp(-posted/think)
		}
		s.think += share * left
		s.own += share * (left + posted - think)
	}
	return s
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
	held  float64 // for which the bus was held in all
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
	end := make([]float64, len(work)) // when each processor last did anything
	for p := range end {
		end[p] = n.now
	}
	for {
		var active []int
		for p := range work {
			for at[p] < len(work[p]) && work[p][at[p]].ideal+work[p][at[p]].latency == 0 {
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
}

// advance lets all active processors go on until the first of them ends its
// stretch.
func (n *network) advance(work [][]stretch, active, at []int, left []float64) {
	contention := n.contention(work, active, at)
	step := math.Inf(1)
	first := -1
	for i, p := range active {
		s := &work[p][at[p]]
		if t := left[p] * (s.ideal + s.latency + contention[i]); t < step {
			step, first = t, p
		}
	}
	n.now += step
	for i, p := range active {
		s := &work[p][at[p]]
		part := min(left[p], step/(s.ideal+s.latency+contention[i]))
		if p == first {
			part = left[p]
		}
		n.procs[p].ideal += part * s.ideal
		n.procs[p].latency += part * s.latency
		n.procs[p].contention += part * contention[i]
		n.held += part * s.held
		const rest = 1e-9 // of a stretch is rounding
		if left[p] -= part; left[p] <= rest {
			left[p] = 1
			at[p]++
		}
	}
}

// contention is the waiting of each active processor in all of its stretch.
func (n *network) contention(work [][]stretch, active, at []int) []float64 {
	out := make([]float64, len(active))
	var who []int
	var customers []customer
	for i, p := range active {
		s := &work[p][at[p]]
		out[i] = s.visits * s.own
		if s.visits > 0 {
			who = append(who, i)
			customers = append(customers, s.customer)
		}
	}
	for k, w := range n.wait(customers) {
		out[who[k]] += work[active[who[k]]][at[active[who[k]]]].visits * w
	}
	return out
}
