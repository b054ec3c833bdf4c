package cluster

import (
	"cmp"
	"fmt"
)

// placedRun is the work of a run on a machine, before any waits.
type placedRun struct {
	run      *Run
	costs    costs
	work     program
	timed    bool // in the time of the machine
	carried  bool // from counts in the time of another machine
	warnings []error
}

// place finds the work of a run on the machine of c.
func (v MVA) place(c *Case) (*placedRun, error) {
	if err := cmp.Or(c.check(), c.requireReferences(v.Name())); err != nil {
		return nil, err
	}
	r, err := c.exactRun()
	if err != nil {
		return nil, err
	}
	work, warnings, err := r.program(c)
	if err != nil {
		return nil, err
	}
	if instructions(work) == 0 {
		return nil, fmt.Errorf("%s: the trace counts no instructions", r.Name)
	}
	costs := costsOf(c.Machine)
	costs.inInstr = c.hasNode()
	if costs.interconnect, err = c.interconnect(); err != nil {
		return nil, err
	}
	costs.each = c.nodeCosts(costs.interconnect)
	costs.setGroups(work, r.drains(len(work)))
	on := &placedRun{run: r, costs: costs, work: work, timed: c.isTimed(r, &costs.interconnect), warnings: warnings}
	switch {
	case on.timed:
		on.costs.step = costs.instr
	case c.nodes() == 1:
		on.costs.step = costs.hitTime(work)
	}
	return on, nil
}

// exactRun returns the run with the number of processors of c.
func (c *Case) exactRun() (*Run, error) {
	r := c.run()
	if r == nil {
		return nil, fmt.Errorf("model mva needs a run with %d processors; there are runs with %s", c.Processors, c.runSizes())
	}
	return r, nil
}

// solve finds the waits. In a cluster, it also adds the requests between nodes to the work.
func (on *placedRun) solve(c *Case) (*network, error) {
	if c.whole != nil {
		return on.alone(c.Processors), nil
	}
	if c.nodes() == 1 && on.timed {
		return on.costs.timedNetwork(on.work, c.Processors), nil
	}
	if c.nodes() == 1 {
		return on.costs.run(on.work, c.Processors, waits), nil
	}
	return on.run.solveCluster(c, &on.costs, on.work)
}
