// Package cluster predicts E(Instr), the average time per instruction of the whole
// machine, of programs on clusters, from what was measured of their locality.
//
// It predicts a symmetric multiprocessor, and clusters of workstations or of such machines with shared memory in software, in
// three ways:
//
//   - [Paper] is the model as published: a power law for the miss ratio,
//     independent queues for memory and disks, a barrier term for exponential
//     times between barriers.
//   - [Curve] is the same with the measured distribution of stack distances.
//   - [MVA] solves closed queueing networks for what the processors of the trace
//     do between its barriers.
//
// The paper is
//
//   - [du2000] Xing Du, Xiaodong Zhang, Zhichun Zhu: Memory Hierarchy
//     Considerations for Cost-Effective Cluster Computing. IEEE Transactions on
//     Computers 49(9), September 2000, pp. 915-933.
//
// Symbols are those of the paper: n processors of S instructions per second each;
// gamma memory references per instruction; tau_i the time that level i of the
// memory hierarchy adds without contention and t_i with it (1 cache, 2 memory, 3
// disks), s_i its size; alpha and beta the locality of the program. A cluster has N nodes of n
// processors.
package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/accuracy"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// paperKey is the paper of all models here.
const paperKey = "du2000"

// Case is what is to be predicted.
type Case struct {
	Runs       []*Run           // of one program, by rising number of processors, each number once
	Machine    *machine.Machine // only [MVA] knows nodes of other kinds, of as many processors as the others
	Processors int              // that run the program
}

// All lists the models, from the published one to the most exact.
var All = []model.Model[*Case]{Paper{}, Curve{}, MVA{}}

// Named is the model called name.
func Named(name string) (model.Model[*Case], error) {
	var names []string
	for _, m := range All {
		if m.Name() == name {
			return m, nil
		}
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("there is no model %q; there are %s", name, strings.Join(names, ", "))
}

// check says what is impossible about c.
func (c *Case) check() error {
	m := c.Machine
	switch {
	case len(c.Runs) == 0:
		return fmt.Errorf("no measured run")
	case m.System.Target != machine.SMP && !clustered(m.System.Target):
		return fmt.Errorf("machine %s is a %s; these models are of smp, cow and clump", m.Name, m.System.Target)
	case c.Processors < 1 || c.Processors > m.Count():
		return fmt.Errorf("%d processors on machine %s, which has %d", c.Processors, m.Name, m.Count())
	case c.Processors%c.perNode() != 0:
		return fmt.Errorf("%d processors on machine %s, which has %d in each node: as many must take part in each", c.Processors, m.Name, m.System.Processors)
	}
	return c.checkOthers()
}

// run is the run with exactly c.Processors processors, or nil.
func (c *Case) run() *Run {
	for _, r := range c.Runs {
		if r.Processors == c.Processors {
			return r
		}
	}
	return nil
}

// given lists the numbers of processors of the runs.
func (c *Case) given() string {
	var list []string
	for _, r := range c.Runs {
		list = append(list, strconv.Itoa(r.Processors))
	}
	return strings.Join(list, ", ")
}

// finish completes a prediction of c from run r, and holds it to its contract.
func (c *Case) finish(p model.Prediction, name string, r *Run) (model.Prediction, error) {
	p.Model, p.Machine, p.Processors = name, c.Machine.Name, c.Processors
	p.Program, p.Trace, p.Target = r.Program, r.Trace, string(c.Machine.System.Target)
	if p.Untested == "" {
		p.ModelMargin = accuracy.Cluster().ModelMargin(accuracy.Kind{Model: name, Target: c.kind()}, p.Program)
	}
	for _, a := range c.Machine.Assumed {
		p.Warnings = append(p.Warnings, fmt.Errorf("%s", a))
	}
	if n := c.Machine.Processor.Ahead; n > 0 {
		p.Warnings = append(p.Warnings, fmt.Errorf("nothing is fetched ahead; this processor fetches up to %d lines of touches in order", n))
	}
	return p, p.Check()
}

// kind is the machines whose simulations widen the intervals of c's: those of its target whose processors go on behind misses, or that have
// several levels of caches, or neither, as c's.
func (c *Case) kind() string {
	target := string(c.Machine.System.Target)
	switch m := c.Machine; {
	case m.Processor.Outstanding > 0:
		return target + accuracy.Overlap
	case len(m.Caches) > 1 || m.Shared != nil:
		return target + accuracy.Levels
	}
	return target
}

// costsOf are the times of m.
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

// last is the level of m's caches whose misses go to memory.
func last(m *machine.Machine) machine.Cache { return m.Caches[len(m.Caches)-1] }

// Sort orders runs by processors and refuses to mix programs, or two runs with
// equal numbers of processors.
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

// limit is what binds: the bus if the demand for it is no less than the time of a
// processor that never waits (the knee of the asymptotic bounds on a closed
// network), otherwise the largest part of E(Instr). held and alone are for the
// same work.
func limit(held, alone float64, s model.Split) string {
	if held > 0 && held >= alone {
		return "bus"
	}
	return s.Largest()
}

// split makes seconds per instruction of a time split and a number of instructions.
func split(t times, per float64) model.Split {
	return model.Split{Ideal: unit.Seconds(t.ideal / per), Latency: unit.Seconds(t.latency / per),
		Contention: unit.Seconds(t.contention / per), Sync: unit.Seconds(t.sync / per)}
}
