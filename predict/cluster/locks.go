package cluster

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"spoor/analyze/phases"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// addLockWarning warns about waits at locks and flags, if the program has any. A task queue is a lock, too.
//
// The model's error was measured where these waits had been counted (make -C pipelines/du2000 accuracy): on
// one SMP, in an order in which a miss takes as long as on the machine and holds the bus for all of it, with
// caches like the machine's. Without such counts, Cholesky on 4 processors of du2000-smp-256k is 34 % below
// its simulation and IS 36 % above it. Programs with barriers alone have intervals of 1 % there. So without
// such counts the prediction gets no interval.
func (on *placedRun) addLockWarning(c *Case, pred *model.Prediction) {
	locks, flags, ok := phases.SyncCounts(headOf(on.run.phasesTable))
	if !ok || locks+flags == 0 || c.Processors == 1 {
		return // a single processor never waits for another
	}
	if on.timed {
		return // they were counted in the time of the machine
	}
	known := "these waits are those that analyze counted"
	if c.nodes() == 1 {
		known, pred.Untested = on.lockWaits(c)
	}
	if pred.Untested != "" {
		known += "; there is no interval: " + pred.Untested
	}
	pred.Warnings = append(pred.Warnings, fmt.Errorf("the program takes %d locks and waits %d times for flags: %s", locks, flags, known))
}

// lockWaits describes what is known of waits on one node. It also returns why the error of such a prediction
// was never measured, or "" if it was.
func (on *placedRun) lockWaits(c *Case) (known, untested string) {
	node, err := on.run.node()
	switch {
	case errors.Is(err, phases.ErrNotCounted):
		return fmt.Sprintf("these waits are not in the prediction; run analyze with --run phases %s to count them", on.analyzeFlags(c)),
			"the missing waits may be most of the time"
	case err != nil:
		return fmt.Sprintf("these waits are not in the prediction (%v)", err), "the missing waits may be most of the time"
	}
	if node.Node != "" {
		return fmt.Sprintf("these waits are those counted for another machine (run analyze with %s to count like this machine)", on.analyzeFlags(c)),
			"the error was measured only with counts for the machine itself"
	}
	takes := on.costs.memory / on.costs.step
	sameMiss := sameWork(node.Miss, on.busHold())
	sameCaches := c.caches(&node.NodeCaches)
	known = fmt.Sprintf("these waits are those counted with misses of %d instructions", node.Miss)
	if !sameCaches {
		known += fmt.Sprintf(" in caches of %d sets and %d ways", node.Sets, node.Ways)
	}
	if on.pipelined() {
		known += fmt.Sprintf(" that hold the bus throughout; here misses take %.3g instructions and hold the bus for %.3g; predict replay is more accurate", takes, on.busHold())
	} else {
		known += fmt.Sprintf("; here misses take %.3g instructions", takes)
	}
	if on.pipelined() || c.kind() != string(c.Machine.System.Target) { // the study counted no waits on such machines
		untested = "the error was measured only with one level of caches and misses that block the processor and the bus"
	}
	if sameMiss && sameCaches {
		return known, untested
	}
	return known + fmt.Sprintf(" (run analyze with %s to count like this machine)", on.analyzeFlags(c)), "the error was measured only with the misses and caches of the machine itself"
}

// pipelined reports whether a miss releases the bus before it ends.
func (on *placedRun) pipelined() bool { return on.costs.occupancy < on.costs.memory }

// busHold returns for how many instructions or hits a miss holds the bus. If that is less than the whole miss,
// counting with this shorter time is more accurate. An order with the whole time makes holders of a lock wait
// for each other's misses, which they do not do on the machine. Errors against simulation on 4 processors in
// %, with --sets 1024,64 --node-ways 16, without counts, and with the occupancy and with the latency as --node-miss:
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

// analyzeFlags returns the flags of analyze that count waits in an order like that on the machine.
func (on *placedRun) analyzeFlags(c *Case) string {
	if flags := c.timedFlags(&on.costs.interconnect); flags != nil {
		return strings.Join(flags, " ")
	}
	cache := last(c.Machine)
	return fmt.Sprintf("--per-node %d --node-miss %.0f --node-ways %d and %d first in --sets", on.run.Processors, max(1, math.Round(on.busHold())), cache.Ways, cache.Sets())
}

// sameWork reports whether a whole number of instructions is close enough to the wanted one to count as equal.
func sameWork(counted unit.Instructions, want float64) bool {
	return math.Abs(float64(counted)-max(1, want)) <= max(0.5, sameDelay*want)
}

// caches reports whether the caches of a counted order are like the machine's private caches next to memory.
// Lines must be as long, and the size within a factor of two, as in the study.
func (c *Case) caches(w *phases.NodeCaches) bool {
	cache := last(c.Machine)
	by := float64(w.Sets) * float64(w.Ways) / float64(cache.Lines())
	return w.Line == cache.Line && by >= 0.5 && by <= 2
}
