package cluster

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/phases"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// addLockWarning adds to a prediction what is known of waits at locks and flags, of a program that has any: a task queue is a lock, too.
//
// How far simulations of other programs are outside of the intervals was measured where these waits had been counted (make -C pipelines/du2000 accuracy): on
// one SMP, in an order in which a miss takes as long as on the machine, holds the bus for all of it, and is one of caches like the machine's. Without that, Cholesky on 4
// processors of du2000-smp-256k is 34 % below its simulation, and IS 36 % above it, with intervals of 1 % for those that have barriers alone. So without that there
// is no interval.
func (on *placedRun) addLockWarning(c *Case, pred *model.Prediction) {
	locks, flags, ok := phases.Waits(headOf(on.run.phasesTable))
	if !ok || locks+flags == 0 || c.Processors == 1 {
		return // who is alone waits for nobody
	}
	known := "waiting for these is as in the order that was counted"
	if c.nodes() == 1 {
		known, pred.Untested = on.lockWaits(c)
	}
	if pred.Untested != "" {
		known += "; no interval is given, as " + pred.Untested
	}
	pred.Warnings = append(pred.Warnings, fmt.Errorf("the program takes %d locks and waits %d times for others besides barriers: %s", locks, flags, known))
}

// waited says what is known of waits on one node, and why nobody has tested how exact that is; "" if somebody has.
func (on *placedRun) lockWaits(c *Case) (known, untested string) {
	node, err := on.run.node()
	switch {
	case errors.Is(err, phases.ErrNotCounted):
		return fmt.Sprintf("waiting for these is not in this model, nor what it does to the order in which data move (nothing was counted of one node with all processors; run analyze with --run phases %s)", on.analyzeFlags(c)),
			"what is missing may be most of the time"
	case err != nil:
		return fmt.Sprintf("waiting for these is not in this model, nor what it does to the order in which data move (%v)", err), "what is missing may be most of the time"
	}
	takes := on.costs.memory / on.costs.step
	sameMiss := sameWork(node.Miss, on.busHold())
	sameCaches := c.caches(&node.Within)
	known = fmt.Sprintf("waiting for these is as counted with misses that take %d instructions", node.Miss)
	if !sameCaches {
		known += fmt.Sprintf(" in caches of %d sets of %d ways", node.Sets, node.Ways)
	}
	if on.pipelined() {
		known += fmt.Sprintf(" and hold the bus for all of them; here, they take %.3g and hold it for %.3g: believe predict replay", takes, on.busHold())
	} else {
		known += fmt.Sprintf("; here, they take %.3g", takes)
	}
	if on.pipelined() || c.kind() != string(c.Machine.System.Target) { // the study has none of these in which waits were counted
		untested = "that was tested on machines alone with one level of caches whose misses are waited for, and hold the bus throughout"
	}
	if sameMiss && sameCaches {
		return known, untested
	}
	return known + fmt.Sprintf(" (analyze %s is nearer to that)", on.analyzeFlags(c)), "that was tested with the misses and caches of the machine alone"
}

// pipelined says that a miss leaves the bus to others before it is at its end.
func (on *placedRun) pipelined() bool { return on.costs.occupancy < on.costs.memory }

// holds is for how many instructions or hits a miss holds the bus. Where it holds it for less than it takes, an order in which it takes no longer than that is nearer than one in
// which it holds it for all that it takes: holders of a lock then wait for each other's misses, which they do not.
// With --sets 1024,64 --ways 16, errors to the simulation on 4 processors in %, of no order, and of those with the occupancy and with the latency as --miss:
//
//	                 example-server         example-desktop
//	cholesky       -36   -1.5    +87      -30    -12    +34
//	is             -28    -11   -4.0      +29    +23   +9.0
//	tpcc, small    -72   -5.8   +351      -68    -42   +115
//
// (tpcc with warehouses=1 transactions=200 items=2000 customers=100; the others as tracegen has them.)
func (on *placedRun) busHold() float64 {
	return min(on.costs.occupancy, on.costs.memory) / on.costs.step
}

// analyzeFlags is what analyze is to be told for an order like that on the machine.
func (on *placedRun) analyzeFlags(c *Case) string {
	cache := last(c.Machine)
	return fmt.Sprintf("--per-node %d --miss %.0f --ways %d with %d as the first of --sets", on.run.Processors, max(1, math.Round(on.busHold())), cache.Ways, cache.Sets())
}

// sameWork reports whether a whole number of instructions is as near to one as it may be for being the same.
func sameWork(counted unit.Instructions, want float64) bool {
	return math.Abs(float64(counted)-max(1, want)) <= max(0.5, sameDelay*want)
}

// caches reports whether those of an order are like the private ones of the machine next to memory: of lines as long, and no more than twice or half as large, as
// in the study.
func (c *Case) caches(w *phases.Within) bool {
	cache := last(c.Machine)
	by := float64(w.Sets) * float64(w.Ways) / float64(cache.Lines())
	return w.Line == cache.Line && by >= 0.5 && by <= 2
}
