package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
)

// carry multiplies a prediction for a machine by what the counts in the time of another machine add to the queueing networks there: see
// [placedRun.beyond]. So a machine that differs a little is predicted from counts for the other.
func (on *placedRun) carry(c *Case, net *network) error {
	by, err := on.beyond(c)
	if err != nil || by == 1 {
		return err
	}
	on.carried, net.wait = true, nil
	net.now *= by
	for p := range net.procs {
		t := &net.procs[p]
		t.ideal, t.latency, t.contention, t.sync = t.ideal*by, t.latency*by, t.contention*by, t.sync*by
	}
	return nil
}

// beyond returns the time that was counted in the time of the machine that the run was counted for, as a multiple of that of the queueing
// networks for it. It is 1 if c is that machine, or if there are no such counts.
func (on *placedRun) beyond(c *Case) (float64, error) {
	r := on.run
	if on.timed || c.untimed || c.whole != nil || r.countedFor == nil || !c.hasNode() {
		return 1, nil
	}
	base := &Case{Runs: []*Run{r}, Machine: withNodes(r.countedFor, c.Machine.System.Nodes), Processors: c.Processors}
	base, _ = base.fewWays()
	key := fmt.Sprintf("%d %d", c.Processors, base.Machine.System.Nodes)
	if by, known := r.beyonds[key]; known {
		return by, nil
	}
	by := 1.0
	timed, isTimed, err := base.solvedTime()
	if err == nil && isTimed {
		base.untimed = true
		var without float64
		if without, _, err = base.solvedTime(); err == nil && without > 0 {
			by = timed / without
		}
	}
	if err != nil {
		return 1, err
	}
	if r.beyonds == nil {
		r.beyonds = map[string]float64{}
	}
	r.beyonds[key] = by
	return by, nil
}

// solvedTime returns the time of the run on the machine, and whether it was counted in its time.
func (c *Case) solvedTime() (now float64, timed bool, err error) {
	on, err := MVA{}.place(c)
	if err != nil {
		return 0, false, err
	}
	net, err := on.solve(c)
	if err != nil {
		return 0, false, err
	}
	return net.now, on.timed, nil
}

// withNodes returns m with another number of nodes.
func withNodes(m *machine.Machine, nodes int) *machine.Machine {
	out := *m
	out.System.Nodes = nodes
	return &out
}
