package cluster

import (
	"fmt"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
)

// ranksAlone returns the case of ranks that compute alone on the nodes of a cluster, if the program passes messages. Each has a memory
// and a bus of its own, where its data are by first touch. The time of messages is added to what models predict for it. With
// another placement, the data of a rank are also on other nodes, and c is returned.
func (c *Case) ranksAlone() *Case {
	if !c.passesMessages() || !clustered(c.Machine.System.Target) || c.Processors > c.Machine.System.Nodes || c.Machine.Memory.Placement != machine.FirstTouch {
		return c
	}
	m := *c.Machine
	m.System.Target, m.System.Nodes, m.System.Processors, m.System.Block = machine.SMP, 1, c.Processors, 0
	m.Memory.Invalidate, m.Network = machine.Latency{}, nil
	return &Case{Runs: c.Runs, Machine: &m, Processors: c.Processors, whole: c.Machine}
}

// withoutBus returns the case with a memory that serves any number of processors at once, for models that know one bus only.
func (c *Case) withoutBus() *Case {
	if c.whole == nil {
		return c
	}
	alone, m := *c, *c.Machine
	m.Memory.Occupancy = machine.Latency{}
	alone.Machine = &m
	return &alone
}

// wrongTrace is why a model is for other traces.
type wrongTrace struct{ error }

// requireNoMessages returns an error if the program passes messages.
func (c *Case) requireNoMessages(name string) error {
	if c.passesMessages() {
		return wrongTrace{fmt.Errorf("model %s has no messages; choose curve or mva", name)}
	}
	return c.requireReferences(name)
}

// requireReferences returns an error if only messages were analyzed.
func (c *Case) requireReferences(name string) error {
	if c.onlyMessages() {
		return wrongTrace{fmt.Errorf("model %s needs references, and only messages were analyzed; choose messages", name)}
	}
	return nil
}

// onlyMessages reports whether only messages were analyzed.
func (c *Case) onlyMessages() bool {
	return slices.ContainsFunc(c.Runs, func(r *Run) bool { return r.onlyMessages })
}

// alone solves the network of each processor by itself, with a bus of its own.
func (on *placedRun) alone(processors int) *network {
	all := &network{procs: make([]times, processors)}
	for p := range all.procs {
		var own program
		for _, phase := range on.work {
			var windows []windowWork
			if p < len(phase) {
				windows = phase[p]
			}
			own = append(own, [][]windowWork{windows})
		}
		one := on.costs.of(p).run(own, 1, waits)
		all.procs[p] = one.procs[0]
		all.now = max(all.now, one.now)
		all.held += one.held / float64(processors)
	}
	for p := range all.procs {
		all.procs[p].sync = all.now - (all.procs[p].total() - all.procs[p].sync)
	}
	return all
}

// noWaits is the interval of a prediction for processors with buses of their own.
func noWaits(p *model.Prediction) {
	p.Interval = model.Interval{Lo: p.EInstr, Hi: p.EInstr, Covers: "no waits, because each processor has a bus of its own, and not errors of the counts"}
}
