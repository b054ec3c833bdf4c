package cluster

import (
	"fmt"

	"spoor/predict/internal/model"
)

// smp holds the inputs of (3.16), for an SMP or one node of a cluster.
type smp struct {
	costs
	disk float64 // tau_3, 0 for no disk
	n    int     // processors of a node
	// pipelined: an access holds the bus for the occupancy only, not for its whole time.
	pipelined    bool
	overlaps     bool // processors continue behind misses
	printed      bool // see [Paper]
	noBarriers   bool // without the barrier term
	remoteAccess      // accesses to other nodes
	gamma        float64
	inner        []float64 // misses of each cache level but the last, per reference
	memory       float64   // share of references that go to memory
	paging       float64   // share of references that go to the disks
}

// solution is the result of (3.16), in seconds per instruction of one processor.
type solution struct {
	times
	l2, t2, u2 float64 // rate [1/s], access time [s] and utilization of the memory
	l3, t3, u3 float64 // the same of the disks
	lr, tr, ur float64 // the same of the network
}

// solve evaluates (3.16). The function t is the mean response of n customers with request rate lambda at a
// server of mean service time tau.
func (s *smp) solve(t func(n int, lambda, tau float64) float64) (out solution) {
	perRef, barriers := s.gamma/s.instr, s.instr // gamma S, and 1/S
	if s.printed {
		perRef, barriers = 1/s.instr, s.gamma*s.instr
	}
	out.ideal = s.instr + s.gamma*s.touch
	inside, miss := s.waiting(out.ideal)
	out.ideal += s.gamma * inside
	out.l2, out.l3 = perRef*s.memory, perRef*s.paging
	out.t2, out.u2 = s.bus(out.l2, t)
	out.latency = s.gamma * s.memory * s.costs.memory * miss.share()
	out.contention = s.gamma * s.memory * miss.extra(out.t2-s.costs.memory)
	s.remoteAccess.solve(&out, perRef, s.n, t)
	out.latency += s.gamma * s.remoteAccess.share * (s.costs.memory + s.remoteAccess.tau)
	out.contention += s.gamma * s.remoteAccess.share * (out.t2 - s.costs.memory + out.tr - s.remoteAccess.tau)
	if s.disk > 0 {
		out.t3 = t(s.n, out.l3, s.disk)
		out.u3 = share(s.n, out.l3, out.t3, s.disk)
		out.latency += s.gamma * s.paging * s.disk
		out.contention += s.gamma * s.paging * (out.t3 - s.disk)
	}
	out.contention = max(0, out.contention)
	if s.pipelined { // see [keepBusLaw], here for equal processors
		out.contention = max(out.contention, float64(s.n)*s.gamma*s.memory*s.held()-out.ideal-out.latency)
	}
	out.sync = s.barrierTerm() * barriers
	return out
}

// barrierTerm returns 1/2 + ... + 1/n [du2000, eq. 3.13], or 0 without barriers.
func (s *smp) barrierTerm() float64 {
	if s.noBarriers {
		return 0
	}
	return harmonicTail(s.processors())
}

// least returns E(Instr) without any miss, if all processors have equal work.
func (s *smp) least() float64 { return (s.instr + s.gamma*s.touch) / float64(s.processors()) }

// waiting returns how long a reference waits for inner levels on average, and how the processor waits for
// memory accesses, if instructions take the ideal time.
func (s *smp) waiting(ideal float64) (inside float64, miss exposure) {
	c := s.costs
	if !s.overlaps {
		c.exposed = 1
	}
	gap := func(perReference float64) float64 { return ideal / (s.gamma * perReference) }
	return c.hierarchy(s.inner, s.memory, gap(s.memory), gap)
}

// bus returns the time of a memory access with contention, and the utilization of the bus. The part of an
// access that does not hold the bus counts as thinking time. An access that holds the bus for longer than it
// takes uses up thinking time.
func (s *smp) bus(rate float64, t func(n int, lambda, tau float64) float64) (with, busy float64) {
	held := s.held()
	rest := s.costs.memory - held
	if rate > 0 {
		rate = 1 / max(minCycle, 1/rate+rest)
	}
	with = t(s.n, rate, held)
	return rest + with, share(s.n, rate, with, held)
}

// held returns how long an access holds the bus.
func (s *smp) held() float64 {
	if s.pipelined {
		return s.occupancy
	}
	return s.costs.memory
}

// processors returns the number of processors of all nodes.
func (s *smp) processors() int { return s.n * max(1, s.nodes) }

// share returns the utilization of a server [du2000, eq. 3.10]. Each of n customers needs it for tau, and gets
// a response after t and a mean of 1/lambda.
func share(n int, lambda, t, tau float64) float64 {
	return min(1, float64(n)*lambda*tau/(1+lambda*t))
}

// eInstr returns E(Instr) [du2000, eq. 3.4].
func (o *solution) eInstr(n int) float64 { return float64(split(o.times, float64(n)).Total()) }

// prediction converts o to a prediction with its terms.
func (s *smp) prediction(o solution) model.Prediction {
	n := float64(s.n)
	sum := split(o.times, float64(s.processors()))
	p := model.Prediction{EInstr: sum.Total(), Split: sum, Utilization: o.u2,
		Limit: limit(n*o.l2*s.instr*s.held(), o.ideal+o.latency, sum)}
	p.Terms = []model.Term{
		{Symbol: "gamma", Value: s.gamma, Unit: "1", What: "memory references per instruction"},
		{Symbol: "1/S", Value: s.instr, Unit: "s", What: "time of an instruction without its references"},
		{Symbol: "tau_1", Value: s.touch, Unit: "s", What: "time of a cache hit"},
		{Symbol: "tau_2", Value: s.costs.memory, Unit: "s", What: "time of a memory access without contention"},
		{Symbol: "P_2", Value: s.memory, Unit: "1", What: "references that go to memory"},
		{Symbol: "lambda_2", Value: o.l2, Unit: "1/s", What: "rate of memory accesses of a processor that never waits"},
		{Symbol: "U_2", Value: o.u2, Unit: "1", What: "utilization of the memory (3.9)"},
		{Symbol: "t_2", Value: o.t2, Unit: "s", What: "time of a memory access with contention (3.12)"},
		{Symbol: "H_n-1", Value: s.barrierTerm(), Unit: "1", What: "barrier term 1/2+...+1/n (3.13)"},
	}
	if s.disk > 0 {
		p.Terms = append(p.Terms,
			model.Term{Symbol: "tau_3", Value: s.disk, Unit: "s", What: "time of a disk access without contention"},
			model.Term{Symbol: "P_3", Value: s.paging, Unit: "1", What: "references that go to the disks"},
			model.Term{Symbol: "t_3", Value: o.t3, Unit: "s", What: "time of a disk access with contention (3.15)"})
		if o.u3 >= 1-1e-9 || s.paging*s.disk > s.memory*s.costs.memory && p.Limit == "latency" {
			p.Limit = "disk"
		}
	}
	s.remoteAccess.addTerms(&p, o)
	if s.gamma > 1 {
		p.Warnings = append(p.Warnings, fmt.Errorf("%.3g references per instruction, but the model assumes at most one", s.gamma))
	}
	return p
}
