package cluster

import (
	"fmt"
	"math"
	"slices"

	"spoor/analyze/phases"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// order describes the orders in which traffic was counted: for which delays of blocks, and the delay on the
// machine, in instructions and hits.
type order struct {
	counted *phases.TrafficProfile
	delay   float64
}

// sameDelay is the relative difference up to which two delays count as equal.
const sameDelay = 0.01

// nearby is the largest factor between two delays whose orders are compared.
const nearby = 2

// sensitive is the relative change of E(Instr) with the order above which the prediction warns.
const sensitive = 0.08

// vary widens the interval by the orders of other delays.
func (on *placedRun) vary(c *Case, pred *model.Prediction) error {
	switch {
	case on.carried:
		return nil
	case on.timed:
		return on.varyDelay(c, pred)
	}
	return on.varyOrder(c, pred)
}

// varyOrder computes E(Instr) also with the orders of the next shorter and longer delay that were counted, and
// widens the interval to them. Small differences can decide which processor comes first at a lock, a page or a
// block. Simulations then differ as much if any latency changes by 1 % (make -C pipelines/du2000 spread).
func (on *placedRun) varyOrder(c *Case, pred *model.Prediction) error {
	asked, err := on.run.traffic(c.nodesOf())
	if err != nil || on.costs.interconnect.queues == 0 {
		return err
	}
	o := order{asked, on.costs.interconnect.block.time / on.costs.counted()}
	if miss := on.costs.memory / on.costs.step; asked.Miss > 0 && !sameWork(asked.Miss, miss) {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("requests between nodes were counted with misses of %d instructions; here misses take %.3g; run analyze with --node-miss %.0f", asked.Miss, miss, max(1, math.Round(miss))))
	}
	if !o.same() {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("requests between nodes were not counted for this delay, but interpolated; run analyze with --delay %.0f", o.delay))
	}
	near := o.neighbours()
	work, instr := on.work.clone(), instructions(on.work)
	for _, i := range near {
		if err := on.run.addRemoteDemand(c, work, countedDemand(asked, i, o.delay, c.nodes())); err != nil {
			return err
		}
		e := unit.Seconds(on.costs.run(work, c.Processors, waits).now / instr)
		pred.Interval.Lo, pred.Interval.Hi = min(pred.Interval.Lo, e), max(pred.Interval.Hi, e)
		warnSensitive(pred, e, asked.Delays[i])
	}
	if len(near) > 0 {
		pred.Interval.Covers += "; and the orders counted for the neighbouring delays"
	}
	return nil
}

// warnSensitive warns if E(Instr) is another one with the order of another delay.
func warnSensitive(pred *model.Prediction, e unit.Seconds, delay unit.Instructions) {
	if off := float64(e/pred.EInstr) - 1; math.Abs(off) > sensitive {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("E(Instr) changes by %+.0f %% with the order of processors counted for delay %d: small timing differences decide who comes first",
			100*off, delay))
	}
}

// neighbours returns the next shorter and longer delays that are nearby, without this delay itself.
func (o *order) neighbours() (out []int) {
	shorter, longer := -1, -1
	for i, d := range o.counted.Delays {
		switch by := float64(d) / o.delay; {
		case sameWork(d, o.delay):
		case by >= 1.0/nearby && by < 1:
			shorter = i
		case by > 1 && by <= nearby && longer < 0:
			longer = i
		}
	}
	for _, i := range []int{shorter, longer} {
		if i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// same reports whether the delay is one of the counted ones.
func (o *order) same() bool {
	return slices.ContainsFunc(o.counted.Delays, func(d unit.Instructions) bool { return sameWork(d, o.delay) })
}

// clone returns a copy of p with its own work.
func (p program) clone() program {
	out := slices.Clone(p)
	for i := range out {
		out[i] = slices.Clone(out[i])
		for j := range out[i] {
			out[i][j] = slices.Clone(out[i][j])
		}
	}
	return out
}
