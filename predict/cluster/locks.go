package cluster

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/phases"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// atLocks adds to a prediction what is known of waits at locks and flags, of a program that has any: a task queue is a lock, too.
//
// How far simulations of other programs are outside of the intervals was measured where these waits had been counted (make -C pipelines/du2000 accuracy): on
// one SMP, in an order in which a miss takes as long as on the machine, holds the bus for all of it, and is one of caches like the machine's. Without that, Cholesky on 4
// processors of du2000-smp-256k is 34 % below its simulation, and IS 36 % above it, with intervals of 1 % for those that have barriers alone. So without that there
// is no interval.
func (on *onMachine) atLocks(c *Case, pred *model.Prediction) {
	locks, flags, ok := phases.Waits(headOf(on.run.phases))
	if !ok || locks+flags == 0 || c.Processors == 1 {
		return // who is alone waits for nobody
	}
	known := "waiting for these is as in the order that was counted"
	if c.nodes() == 1 {
		known, pred.Untested = on.waited(c)
	}
	if pred.Untested != "" {
		known += "; no interval is given, as " + pred.Untested
	}
	pred.Warnings = append(pred.Warnings, fmt.Errorf("the program takes %d locks and waits %d times for others besides barriers: %s", locks, flags, known))
}

// waited says what is known of waits on one node, and why nobody has tested how exact that is; "" if somebody has.
func (on *onMachine) waited(c *Case) (known, untested string) {
	node, err := on.run.node()
	switch {
	case errors.Is(err, phases.ErrNotCounted):
		return fmt.Sprintf("waiting for these is not in this model, nor what it does to the order in which data move (nothing was counted of one node with all processors; run analyze with --run phases %s)", on.asIn(c)),
			"what is missing may be most of the time"
	case err != nil:
		return fmt.Sprintf("waiting for these is not in this model, nor what it does to the order in which data move (%v)", err), "what is missing may be most of the time"
	}
	takes := on.takes()
	sameMiss := sameWork(node.Miss, on.takes())
	sameCaches := c.caches(&node.Within)
	known = fmt.Sprintf("waiting for these is as counted with misses that take %d instructions", node.Miss)
	if !sameCaches {
		known += fmt.Sprintf(" in caches of %d sets of %d ways", node.Sets, node.Ways)
	}
	known += fmt.Sprintf("; here, they take %.3g", takes)
	if sameMiss && sameCaches {
		return known, ""
	}
	return known + fmt.Sprintf(" (analyze %s is nearer)", on.asIn(c)), "that was tested with the misses and caches of the machine alone"
}

// takes is how many instructions or hits a miss takes.
func (on *onMachine) takes() float64 { return on.costs.memory / on.costs.step }

// asIn is what analyze is to be told for an order like that on the machine.
func (on *onMachine) asIn(c *Case) string {
	cache := last(c.Machine)
	return fmt.Sprintf("--per-node %d --miss %.0f --ways %d with %d as the first of --sets", on.run.Processors, max(1, math.Round(on.takes())), cache.Ways, cache.Sets())
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
