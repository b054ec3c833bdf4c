// Package cluster predicts the average time per instruction of programs on clusters, from measurements of
// their locality.
//
// E(Instr) is the time of the run over the instructions of all processors. The machine is a symmetric
// multiprocessor, a cluster of workstations, or a cluster of multiprocessors. Clusters have shared memory in
// software. There are three models:
//
//   - [Paper] is the model as published: a power law for the miss ratio, independent queues for memory and disks, and a
//     barrier term for exponential times between barriers.
//   - [Curve] is the same with the measured distribution of stack distances.
//   - [MVA] solves closed queueing networks for what the processors of the trace do between its barriers.
//
// The paper is [du2000]. Symbols are those of the paper:
//
//   - n processors execute S instructions per second each, with gamma memory references per instruction.
//   - tau_i is the time that level i of the memory hierarchy adds without contention, t_i the time with contention. Level 1
//     is the cache, 2 the memory, 3 the disks.
//   - s_i is the size of level i.
//   - alpha and beta describe the locality of the program.
//   - A cluster has N nodes of n processors.
package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/internal/accuracy"
	"spoor/predict/internal/model"
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// paperKey is the key of the paper behind all models of this package.
const paperKey = "du2000"

// Case is a prediction to make: a program, a machine and a number of processors.
type Case struct {
	Runs       []*Run           // runs of one program, by rising number of processors, each number once
	Machine    *machine.Machine // only [MVA] allows nodes of several kinds, with equal numbers of processors
	Processors int              // number that run the program

	whole   *machine.Machine // of [Case.ranksAlone]: the machine with its network; else nil
	exact   *machine.Machine // of [Case.fewWays]: the machine with all its ways; else nil
	untimed bool             // do not use counts in the time of a machine
}

// All lists the models, from the published one to the most exact, and that of traces without references.
var All = []model.Model[*Case]{Paper{}, Curve{}, MVA{}, Messages{}}

// Named returns the model called name.
func Named(name string) (model.Model[*Case], error) {
	var names []string
	for _, m := range All {
		if m.Name() == name {
			return m, nil
		}
		names = append(names, m.Name())
	}
	return nil, lookup.Unknown("model", name, names)
}

// check returns an error if no model can predict c.
func (c *Case) check() error {
	m := c.Machine
	switch {
	case len(c.Runs) == 0:
		return fmt.Errorf("no analyzed run; give --params")
	case m.System.Target != machine.SMP && !clustered(m.System.Target):
		return fmt.Errorf("machine %s is a %s; these models predict smp, cow and clump, predict replay simulates the others", m.Name, m.System.Target)
	case c.Processors < 1 || c.Processors > m.Count():
		return fmt.Errorf("cannot use %d processors of machine %s: it has %d", c.Processors, m.Name, m.Count())
	case c.Processors%c.perNode() != 0:
		return fmt.Errorf("%d processors do not fill nodes of machine %s, which have %d each; choose a multiple", c.Processors, m.Name, m.System.Processors)
	}
	return c.checkNodeKinds()
}

// run returns the run with exactly c.Processors processors, or nil.
func (c *Case) run() *Run {
	for _, r := range c.Runs {
		if r.Processors == c.Processors {
			return r
		}
	}
	return nil
}

// runSizes lists the numbers of processors of the runs.
func (c *Case) runSizes() string {
	var list []string
	for _, r := range c.Runs {
		list = append(list, strconv.Itoa(r.Processors))
	}
	return strings.Join(list, ", ")
}

// complete adds names, the model's error and the machine's warnings to a prediction from run r, and checks the
// result.
func (c *Case) complete(p model.Prediction, name string, r *Run) (model.Prediction, error) {
	if err := c.addMessages(&p, r); err != nil {
		return p, err
	}
	p.Model, p.Machine, p.Processors = name, c.Machine.Name, c.Processors
	if p.Bounds.Least > p.EInstr && p.Bounds.Least <= p.EInstr*(1+enough) {
		p.Bounds.Least = p.EInstr // equal up to rounding
	}
	p.Interval = p.Bounds.Clamp(p.Interval)
	p.Program, p.Trace, p.Target = r.Program, r.Trace, string(c.Machine.System.Target)
	if c.whole != nil {
		p.Target = string(c.whole.System.Target)
	}
	if p.Untested == "" {
		p.ModelMargin = accuracy.Cluster().ModelMargin(accuracy.Kind{Model: name, Target: c.kindFor(name, r)}, p.Program)
	}
	if c.passesMessages() && !p.ModelMargin.Known() {
		p.Untested = "no simulations of programs that pass messages are behind the model's error"
	}
	p.Warnings = append(c.sourceWarnings(), p.Warnings...)
	for _, a := range c.Machine.Assumed {
		p.Warnings = append(p.Warnings, fmt.Errorf("%s", a))
	}
	if n := c.Machine.Processor.Ahead; n > 0 {
		p.Warnings = append(p.Warnings, fmt.Errorf("the model has no prefetching; this processor prefetches up to %d lines of sequential accesses", n))
	}
	return p, p.Check()
}

// kind names the machines whose simulations give the model's error for c. They have the same target. Where the
// processors of c continue behind misses, theirs do too; otherwise where c has several levels of caches,
// theirs have several too. Programs that pass messages are a kind of their own.
func (c *Case) kind() string {
	target := string(c.Machine.System.Target)
	switch m := c.Machine; {
	case c.whole != nil:
		return string(c.whole.System.Target) + accuracy.Messages
	case c.passesMessages():
		return target + accuracy.InterleavedMessages
	case m.Processor.Outstanding > 0:
		return target + accuracy.Overlap
	case len(m.Caches) > 1 || m.Shared != nil:
		return target + accuracy.Levels
	}
	return target
}

// kindFor is the kind of c for a model that predicts from run r. Counts in the time of the machine are kinds of their own.
func (c *Case) kindFor(name string, r *Run) string {
	net, err := c.interconnect()
	if name == (MVA{}).Name() && err == nil && c.isTimed(r, &net) {
		return c.kind() + accuracy.Timed
	}
	return c.kind()
}

// costsOf returns the times of m.
func costsOf(m *machine.Machine) costs {
	c := costs{
		instr:      float64(m.Processor.CPI.At(m.Processor.Clock)),
		touch:      float64(m.At(m.Caches[0].Latency)),
		memory:     float64(m.At(m.Memory.Latency)),
		occupancy:  float64(m.At(m.Memory.Occupancy)),
		invalidate: float64(m.At(m.Memory.Invalidate)),
		exposed:    m.Processor.Exposed,
		overlap:    overlap{outstanding: float64(m.Processor.Outstanding), window: float64(m.Processor.Window.At(m.Processor.Clock))},
	}
	for _, level := range m.Caches[1:] {
		c.inner = append(c.inner, float64(m.At(level.Latency)))
	}
	if m.Shared != nil {
		c.inner, c.shared = append(c.inner, float64(m.At(m.Shared.Latency))), true
	}
	return c
}

// last returns the level of m's caches whose misses go to memory.
func last(m *machine.Machine) machine.Cache { return m.Caches[len(m.Caches)-1] }

// Sort orders runs by processors. It refuses runs of different programs, and two runs with equal numbers of
// processors.
func Sort(runs []*Run) error {
	slices.SortStableFunc(runs, func(a, b *Run) int { return a.Processors - b.Processors })
	for i, r := range runs[min(1, len(runs)):] {
		before := runs[i]
		if r.Program != before.Program {
			return fmt.Errorf("%s is of %q and %s of %q; predict one program at a time", before.Name, before.Program, r.Name, r.Program)
		}
		if r.Processors == before.Processors {
			return fmt.Errorf("%s and %s both have %d processors; leave one of them out", before.Name, r.Name, r.Processors)
		}
	}
	return nil
}

// limit names what limits the time. It is the bus if the demand for it is at least the time of a processor
// that never waits (the knee of the asymptotic bounds on a closed network). Otherwise it is the largest part
// of E(Instr). The arguments held and alone are times for the same work.
func limit(held, alone float64, s model.Split) string {
	if held > 0 && held >= alone {
		return "bus"
	}
	return s.Largest()
}

// split returns the parts of t in seconds per instruction, for a number of instructions per.
func split(t times, per float64) model.Split {
	return model.Split{Ideal: unit.Seconds(t.ideal / per), Latency: unit.Seconds(t.latency / per),
		Contention: unit.Seconds(t.contention / per), Sync: unit.Seconds(t.sync / per)}
}
