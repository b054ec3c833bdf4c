package cluster

import (
	"cmp"
	"fmt"
	"strings"

	"spoor/calibrate/param"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Paper is the models as published. For one SMP it is [du2000, eq. 3.4 and 3.16]:
//
//	E(Instr) = (1/n) [ 1/S + gamma T_mem ]
//	T_mem = tau_1 + (1/(gamma S)) [ n l2 tau_2/U(n, l2 tau_2) + n l3 tau_3/U(n, l3 tau_3) - 2 + 1/2 + ... + 1/n ]
//
// Here l_i = gamma S times the share of references that miss in level i-1, per second, and U is [du2000, eq.
// 3.9]. The disk terms are present if the machine has a disk. For clusters see [remoteAccess]. Misses follow
// the power law P_n(x) = P_1(n x) [du2000, eq. 2.1]. Of several runs, the one with the fewest processors
// supplies alpha, beta and gamma, as the paper has one set of them for each application.
//
// Differs: the printed prefactor of (3.16) is 1/S; its dimensions require 1/(gamma S). x is in lines of the
// size that the parameters name. The equation is evaluated as T_mem = tau_1 + sum of miss ratio times t_i +
// (1/2 + ... + 1/n)/(gamma S) with t_i of [response], which is equal. Further levels of caches add their
// latency times the misses before them.
type Paper struct {
	// Raise is the relative increase of the rate of remote accesses for coherence. The paper fitted
	// 12.4 % to its simulations of clusters [du2000, sec. 4.3.2].
	Raise float64
	// Printed uses rates and prefactor as printed, to check the paper. Both are without gamma: l_i = S times
	// the share of references [du2000, sec. 3.2], and 1/S in (3.16), (3.19), (3.20), (3.25) and (3.27).
	Printed bool
	// Law is the fit of the power law: one of [Laws], or the name of parameters that replaced it, see [WithLaw]. Without
	// one, it is [DefaultLaw], or alpha and beta of a file without fits.
	Law string
	// NoBarriers leaves out the barrier term, as [du2000, sec. 5] does for TPC-C. It is also left out for traces
	// without barriers.
	NoBarriers bool
}

var _ model.Model[*Case] = Paper{}

// Name returns "paper" or "printed", with what differs from the default: "paper-likelihood-no-barriers+12.4%".
func (p Paper) Name() string {
	name := "paper"
	if p.Printed {
		name = "printed"
	}
	if p.Law != "" && p.Law != DefaultLaw {
		name += "-" + p.Law
	}
	if p.NoBarriers {
		name += "-no-barriers"
	}
	if p.Raise != 0 {
		name += fmt.Sprintf("%+.4g%%", 100*p.Raise)
	}
	return name
}

// Paper returns the key of [du2000].
func (Paper) Paper() string { return paperKey }

// Predict needs alpha, beta and gamma of a run.
func (p Paper) Predict(c *Case) (model.Prediction, error) {
	if err := cmp.Or(c.check(), c.requireEqualNodes(p.Name()), c.requireNoMessages(p.Name())); err != nil {
		return model.Prediction{}, err
	}
	r := c.Runs[0]
	l, err := r.locality(p)
	if err != nil {
		return model.Prediction{}, err
	}
	value := func(p param.Param) float64 { return p.Value }
	net, err := c.remoteAccess()
	if err != nil {
		return model.Prediction{}, err
	}
	net.raise = p.Raise
	in := l.smp(c, r, net, value(l.alpha), value(l.beta), value(l.gamma))
	out := in.solve(response)
	pred := in.prediction(out)
	pred.Interval = l.interval(c, r, net, pred.EInstr)
	pred.Bounds = c.boundsOf(in.gamma, in.least())
	c.raise(&pred)
	pred.Terms = append([]model.Term{
		{Symbol: "alpha", Value: l.alpha.Value, Unit: "1", What: "locality of the power law (2.1)"},
		{Symbol: "beta", Value: l.beta.Value, Unit: "lines", What: "locality of the power law (2.1)"},
	}, pred.Terms...)
	pred.Warnings = append(pred.Warnings, p.curveWarning(c, r, in.memory)...)
	pred.Warnings = append(pred.Warnings, p.warnings(c, r, l)...)
	pred.Warnings = append(pred.Warnings, in.lawWarning(pred.EInstr)...)
	return c.complete(pred, p.Name(), r)
}

// scaledWarning is the warning of a case with more processors than the run behind its prediction.
func scaledWarning(what string, r *Run, c *Case) error {
	if r.Processors == 1 {
		return fmt.Errorf("%s scaled from 1 processor to %d: the model assumes that the program is parallel, its work divides evenly and it passes no messages", what, c.Processors)
	}
	return fmt.Errorf("%s scaled from %d processors to %d: the model assumes that the work divides evenly", what, r.Processors, c.Processors)
}

// warnings returns what makes a prediction of [Paper] doubtful.
func (p Paper) warnings(c *Case, r *Run, l powerLawFit) (all []error) {
	if p.Printed {
		all = append(all, fmt.Errorf("rates and prefactor are as printed, without gamma: queues are those of one reference per instruction, and the barrier term is gamma times (3.13)"))
	}
	if worst, ok := r.Params.Lookup("fit_max_error" + strings.TrimPrefix(l.alpha.Name, "alpha")); ok {
		all = append(all, fmt.Errorf("the power law differs from the measured miss ratio by up to %.2g", worst.Value))
	}
	all = append(all, l.boundWarnings()...)
	if r.Processors != c.Processors {
		all = append(all, fmt.Errorf("%w; P_n(x) = P_1(n x)", scaledWarning("locality is", r, c)))
	}
	if f, ok := r.Params.Lookup("footprint"); ok && c.Machine.Disk != nil && f.Unit == "lines" &&
		f.Value*float64(r.Processors)*l.line <= float64(c.Machine.Memory.Size)*float64(c.nodes()) {
		all = append(all, fmt.Errorf("all data fits into memory, but the power law sends references to the disk"))
	}
	if c.nodes() > 1 {
		all = append(all, fmt.Errorf("remote accesses are those that the power law sends beyond a node's memory; the model ignores sharing"))
	}
	if m := c.Machine; m.Memory.Occupancy != m.Memory.Latency && c.Processors > 1 {
		all = append(all, fmt.Errorf("the model assumes that an access holds the bus for the memory latency %v, not the occupancy %v", m.Memory.Latency, m.Memory.Occupancy))
	}
	if c.Machine.Processor.Outstanding > 0 {
		all = append(all, fmt.Errorf("the model waits for every miss; this processor has up to %d in flight", c.Machine.Processor.Outstanding))
	}
	if p.NoBarriers {
		return all
	}
	return append(all, barrierWarning(c, r)...)
}

// lawWarning warns if accesses hold a bus, the network or a disk for longer than the predicted time. The
// published equations allow that where an access holds the bus for longer than it takes, and as printed.
func (s *smp) lawWarning(e unit.Seconds) []error {
	network := float64(s.processors()) * s.remoteAccess.share * s.tau
	if s.switched {
		network /= float64(s.nodes)
	}
	held, what := float64(s.n)*s.memory*s.occupancy, "the bus"
	if network > held {
		held, what = network, "the network"
	}
	if disk := float64(s.n) * s.paging * s.disk; disk > held {
		held, what = disk, "a disk"
	}
	least := unit.Seconds(s.gamma * held / float64(s.processors()))
	if e >= least*(1-1e-9) {
		return nil
	}
	return []error{fmt.Errorf("E(Instr) is %.0f %% below %v, for which the model's own accesses hold %s", 100*float64(1-e/least), least, what)}
}
