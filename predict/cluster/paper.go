package cluster

import (
	"cmp"
	"fmt"
	"math"

	"spoor/calibrate/param"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// Paper is the models as published: of one SMP [du2000, eq. 3.4 and 3.16],
//
//	E(Instr) = (1/n) [ 1/S + gamma T_mem ]
//	T_mem = tau_1 + (1/(gamma S)) [ n l2 tau_2/U(n, l2 tau_2) + n l3 tau_3/U(n, l3 tau_3) - 2 + 1/2 + ... + 1/n ]
//
// where l_i = gamma S times the share of references that miss in level i-1, here
// per second, and U is [du2000, eq. 3.9]; and of clusters (see [remote]). The disk terms are there if the machine
// has a disk. Misses follow the power law P_n(x) = P_1(n x) [du2000, eq. 2.1]; of
// several runs, the one with the fewest processors supplies alpha, beta and gamma,
// as the paper has one set of them for each application.
//
// Differs: the printed prefactor of (3.16) is 1/S; dimensions want 1/(gamma S). x
// is in lines of the size the parameters name. Evaluated as
// T_mem = tau_1 + sum of miss ratio times t_i + (1/2 + ... + 1/n)/(gamma S) with
// t_i of [response], which is the same. Levels of caches behind the first add
// their latency times the misses before them.
type Paper struct {
	// Raise is by how much the rate of remote accesses is raised for coherence; the paper fitted 12.4 %
	// to its simulations of clusters [du2000, sec. 4.3.2].
	Raise float64
	// Printed takes rates and prefactor as they are printed, so that the paper can be checked: l_i = S times the share of references
	// [du2000, sec. 3.2] and 1/S in (3.16), (3.19), (3.20), (3.25) and (3.27), both without gamma.
	Printed bool
}

var _ model.Model[*Case] = Paper{}

// Name is "paper" or "printed", with what is raised: "paper+12.4%".
func (p Paper) Name() string {
	name := "paper"
	if p.Printed {
		name = "printed"
	}
	if p.Raise != 0 {
		name += fmt.Sprintf("%+.4g%%", 100*p.Raise)
	}
	return name
}

// Paper is the key of [du2000].
func (Paper) Paper() string { return paperKey }

// powerLaw is the locality of a program on n processors [du2000, eq. 2.1], of which
// miss gives the share of references that go beyond the nearest x lines.
type powerLaw struct{ alpha, beta, n float64 }

func (l powerLaw) miss(x float64) float64 {
	return math.Pow(l.n*x/l.beta+1, 1-l.alpha)
}

// smp is the inputs of (3.16), and of one node of a cluster: the share of references that miss in each level.
type smp struct {
	costs
	disk float64 // tau_3, 0 for no disk
	n    int     // processors of a node
	// pipelined says that an access holds the bus for the occupancy only, and not for all of its time.
	pipelined bool
	overlaps  bool // misses of processors that go on behind them
	printed   bool // see [Paper]
	remote         // in other nodes
	gamma     float64
	inner     []float64 // misses of each cache level but the last, per reference
	memory    float64   // references that go to memory
	paging    float64   // references that go to the disks
}

// solution is what (3.16) says, in seconds per instruction of one processor.
type solution struct {
	times
	l2, t2, u2 float64 // rate [1/s], access time [s] and utilization of the memory
	l3, t3, u3 float64 // of the disks
	lr, tr, ur float64 // of the network
}

// solve evaluates (3.16); t is the mean response of n customers with request rate
// lambda at a server of mean service time tau.
func (s *smp) solve(t func(n int, lambda, tau float64) float64) (out solution) {
	perRef, barriers := s.gamma/s.instr, s.instr // gamma S, and 1/S
	if s.printed {
		perRef, barriers = 1/s.instr, s.gamma*s.instr
	}
	out.ideal = s.instr + s.gamma*s.touch
	inside, exposed := s.waiting(out.ideal)
	out.ideal += s.gamma * inside
	out.l2, out.l3 = perRef*s.memory, perRef*s.paging
	out.t2, out.u2 = s.bus(out.l2, t)
	out.latency = s.gamma * s.memory * s.costs.memory * exposed
	out.contention = s.gamma * s.memory * (out.t2 - s.costs.memory) * exposed
	s.remote.solve(&out, perRef, s.n, t)
	out.latency += s.gamma * s.remote.share * (s.costs.memory + s.remote.tau)
	out.contention += s.gamma * s.remote.share * (out.t2 - s.costs.memory + out.tr - s.remote.tau)
	if s.disk > 0 {
		out.t3 = t(s.n, out.l3, s.disk)
		out.u3 = share(s.n, out.l3, out.t3, s.disk)
		out.latency += s.gamma * s.paging * s.disk
		out.contention += s.gamma * s.paging * (out.t3 - s.disk)
	}
	out.contention = max(0, out.contention)
	out.sync = harmonicTail(s.processors()) * barriers
	return out
}

// waiting is how long a reference waits for inner levels, on average, and which part of memory accesses is waited for, if instructions
// take the ideal time.
func (s *smp) waiting(ideal float64) (inside, exposed float64) {
	c := s.costs
	if !s.overlaps {
		c.exposed = 1
	}
	gap := func(perReference float64) float64 { return ideal / (s.gamma * perReference) }
	return c.hierarchy(s.inner, s.memory, gap(s.memory), gap)
}

// bus is the time of a memory access with contention, and how busy the bus is. For what an access takes besides holding it, a
// processor is elsewhere, as if it were thinking.
func (s *smp) bus(rate float64, t func(n int, lambda, tau float64) float64) (with, busy float64) {
	held := s.held()
	rest := s.costs.memory - held
	if rate > 0 {
		rate = 1 / (1/rate + rest)
	}
	with = t(s.n, rate, held)
	return rest + with, share(s.n, rate, with, held)
}

// held is for how long an access holds the bus.
func (s *smp) held() float64 {
	if s.pipelined {
		return min(s.costs.memory, s.occupancy)
	}
	return s.costs.memory
}

// processors are those of all nodes.
func (s *smp) processors() int { return s.n * max(1, s.nodes) }

// share is how busy a server is [du2000, eq. 3.10]: n customers, each with a
// response of t after a mean of 1/lambda, want it for tau.
func share(n int, lambda, t, tau float64) float64 {
	return min(1, float64(n)*lambda*tau/(1+lambda*t))
}

// eInstr is E(Instr) [du2000, eq. 3.4].
func (o *solution) eInstr(n int) float64 { return float64(split(o.times, float64(n)).Total()) }

// Predict needs alpha, beta and gamma of a run.
func (p Paper) Predict(c *Case) (model.Prediction, error) {
	if err := cmp.Or(c.check(), c.equal(p.Name())); err != nil {
		return model.Prediction{}, err
	}
	r := c.Runs[0]
	l, err := r.locality()
	if err != nil {
		return model.Prediction{}, err
	}
	value := func(p param.Param) float64 { return p.Value }
	net, err := c.remote()
	if err != nil {
		return model.Prediction{}, err
	}
	net.raise, l.printed = p.Raise, p.Printed
	in := l.smp(c, r, net, value(l.alpha), value(l.beta), value(l.gamma))
	out := in.solve(response)
	pred := in.prediction(out)
	pred.Interval = l.interval(c, r, net, pred.EInstr)
	pred.Terms = append([]model.Term{
		{Symbol: "alpha", Value: l.alpha.Value, Unit: "1", What: "locality of the power law (2.1)"},
		{Symbol: "beta", Value: l.beta.Value, Unit: "lines", What: "locality of the power law (2.1)"},
	}, pred.Terms...)
	pred.Warnings = append(pred.Warnings, p.reservations(c, r, l)...)
	return c.finish(pred, p.Name(), r)
}

// scaled is the reservation of a case with more processors than the run that it is predicted from.
func scaled(what string, r *Run, c *Case) error {
	if r.Processors == 1 {
		return fmt.Errorf("%s of 1 processor scaled to %d: whether the program is parallel at all is not known, and its work is taken to divide evenly", what, c.Processors)
	}
	return fmt.Errorf("%s of %d processors scaled to %d, and the work taken to divide evenly", what, r.Processors, c.Processors)
}

func (p Paper) reservations(c *Case, r *Run, l fitted) (all []error) {
	if p.Printed {
		all = append(all, fmt.Errorf("rates and prefactor are as printed, without gamma: queues are as long as if every instruction were a reference, and the barrier term is gamma times what (3.13) has"))
	}
	if worst, ok := r.Params.Lookup("fit_max_error"); ok {
		all = append(all, fmt.Errorf("the power law is up to %.2g off the measured miss ratio", worst.Value))
	}
	if r.Processors != c.Processors {
		all = append(all, fmt.Errorf("%w; P_n(x) = P_1(n x)", scaled("locality", r, c)))
	}
	if f, ok := r.Params.Lookup("footprint"); ok && c.Machine.Disk != nil && f.Unit == "lines" &&
		f.Value*float64(r.Processors)*l.line <= float64(c.Machine.Memory.Size)*float64(c.nodes()) {
		all = append(all, fmt.Errorf("all data fit into memory, but the power law sends references to the disk"))
	}
	if c.nodes() > 1 {
		all = append(all, fmt.Errorf("remote accesses are those that the power law sends beyond a node's memory, whoever shares data"))
	}
	if m := c.Machine; m.Memory.Occupancy != m.Memory.Latency && c.Processors > 1 {
		all = append(all, fmt.Errorf("the bus is taken as held for the memory latency %v, not for the occupancy %v", m.Memory.Latency, m.Memory.Occupancy))
	}
	if c.Machine.Processor.Outstanding > 0 {
		all = append(all, fmt.Errorf("every miss is waited for; this processor has %d under way", c.Machine.Processor.Outstanding))
	}
	return append(all, published(c)...)
}

// published is what speaks against all that is predicted with (3.16).
func published(c *Case) (all []error) {
	if c.Processors > 1 {
		all = append(all, fmt.Errorf("the barrier term is per instruction, whatever the number of barriers"))
	}
	return all
}

// fitted is the parameters of a run; lengths are in lines of line bytes.
type fitted struct {
	alpha, beta, gamma param.Param
	line               float64
	printed            bool // see [Paper]
}

func (r *Run) locality() (l fitted, err error) {
	if l.alpha, err = r.parameter("alpha", "1"); err != nil {
		return l, err
	}
	if l.beta, err = r.parameter("beta", "lines"); err != nil {
		return l, err
	}
	if l.gamma, err = r.gamma(); err != nil {
		return l, err
	}
	line, err := r.parameter("line", "B")
	l.line = line.Value
	switch {
	case err != nil:
		return l, err
	case !(l.alpha.Value > 1):
		return l, fmt.Errorf("%s: parameter alpha is %v; the power law needs it above 1", r.Name, l.alpha.Value)
	case !(l.beta.Value > 0):
		return l, fmt.Errorf("%s: parameter beta is %v; the power law needs it above 0", r.Name, l.beta.Value)
	case !(l.line >= 1):
		return l, fmt.Errorf("%s: parameter line is %v bytes", r.Name, l.line)
	}
	return l, nil
}

// smp is the inputs of (3.16) for given parameters. Distances of the measured run
// shrink by how many times more processors share the work.
func (l fitted) smp(c *Case, r *Run, net remote, alpha, beta, gamma float64) *smp {
	s := &smp{}
	l.fill(s, c, r, net, alpha, beta, gamma)
	return s
}

// fill makes s the inputs of [fitted.smp]; what s was for the same machine is used again.
func (l fitted) fill(s *smp, c *Case, r *Run, net remote, alpha, beta, gamma float64) {
	law := powerLaw{alpha, beta, float64(c.Processors) / float64(r.Processors)}
	if s.instr == 0 {
		s.costs = costsOf(c.Machine)
	}
	s.n, s.remote, s.gamma, s.inner, s.printed = c.perNode(), net, gamma, s.inner[:0], l.printed
	memory := float64(c.Machine.Memory.Size) / l.line
	if net.nodes > 1 {
		s.remote.share = law.miss(memory) * (1 + net.raise)
	}
	for _, level := range c.Machine.Caches {
		s.inner = append(s.inner, law.miss(float64(level.Size)/l.line))
	}
	if shared := c.Machine.Shared; shared != nil {
		// Of data that nobody else uses, each processor has its part there.
		s.inner = append(s.inner, law.miss(float64(shared.Size)/l.line/float64(s.n)))
	}
	s.memory = s.inner[len(s.inner)-1]
	s.inner = s.inner[:len(s.inner)-1]
	if d := c.Machine.Disk; d != nil {
		s.disk = float64(c.Machine.At(d.Latency))
		s.paging = law.miss(memory * float64(c.nodes())) // (3.18)
	}
}

// interval is E(Instr) over the box of the three parameters' intervals. E(Instr)
// falls with alpha and rises with beta and gamma, so two corners bound it; e is at the
// values, and in the box whatever the rounding.
func (l fitted) interval(c *Case, r *Run, net remote, e unit.Seconds) model.Interval {
	if !l.alpha.HasInterval() || !l.beta.HasInterval() || !l.gamma.HasInterval() || l.beta.Lo <= 0 {
		return model.Interval{}
	}
	at := func(alpha, beta, gamma float64) unit.Seconds {
		in := l.smp(c, r, net, max(1, alpha), beta, gamma)
		out := in.solve(response)
		return unit.Seconds(out.eInstr(in.processors()))
	}
	return model.Interval{
		Lo:     min(e, at(l.alpha.Hi, l.beta.Lo, max(0, l.gamma.Lo))),
		Hi:     max(e, at(l.alpha.Lo, l.beta.Hi, l.gamma.Hi)),
		Covers: "all of the 95 % intervals of alpha, beta and gamma at once; not that the power law may not fit",
	}
}

// prediction is o with its terms.
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
		{Symbol: "H_n-1", Value: harmonicTail(s.processors()), Unit: "1", What: "barrier term 1/2+...+1/n (3.13)"},
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
	s.remote.explain(&p, o)
	if s.gamma > 1 {
		p.Warnings = append(p.Warnings, fmt.Errorf("%.3g references per instruction: the model is of one at most", s.gamma))
	}
	return p
}
