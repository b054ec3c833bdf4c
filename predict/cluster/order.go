package cluster

import (
	"fmt"
	"math"
	"slices"

	"spoor/analyze/phases"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// order is what a prediction for a cluster owes to the order in which traffic was counted: how long blocks took in it, in instructions and hits, and
// how long they take.
type order struct {
	counted *phases.TrafficProfile
	delay   float64
}

// sameDelay is how near a delay that was counted is to be, of another one, for being the same.
const sameDelay = 0.01

// nearby is the largest factor between two delays whose orders are compared.
const nearby = 2

// sensitive is how far E(Instr) may move with the order before the prediction says so.
const sensitive = 0.08

// orders adds to a prediction what E(Instr) is if processors come in the order of the next shorter and longer delay that were counted: who is first at a
// lock, a page or a block may depend on little, and then simulations are as far apart when any latency changes by 1 % (make -C pipelines/du2000 spread).
func (on *placedRun) varyOrder(c *Case, pred *model.Prediction) error {
	asked, err := on.run.traffic(c.nodesOf())
	if err != nil || on.costs.interconnect.queues == 0 {
		return err
	}
	o := order{asked, on.costs.interconnect.block.time / on.costs.step}
	if miss := on.costs.memory / on.costs.step; math.Abs(float64(asked.Miss)-miss) > sameDelay*miss {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("what nodes ask of each other was counted with misses that take %d instructions; here, they take %.3g", asked.Miss, miss))
	}
	if !o.same() {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("what nodes ask of each other is between or beyond what was counted for delays; analyze --delay %.0f counts it", o.delay))
	}
	near := o.neighbours()
	work, instr := on.work.clone(), instructions(on.work)
	for _, i := range near {
		if err := on.run.addRemoteDemand(c, work, scaledTo(asked, i, o.delay, c.nodes())); err != nil {
			return err
		}
		e := unit.Seconds(on.costs.run(work, c.Processors, waits).now / instr)
		pred.Interval.Lo, pred.Interval.Hi = min(pred.Interval.Lo, e), max(pred.Interval.Hi, e)
		if off := float64(e/pred.EInstr) - 1; math.Abs(off) > sensitive {
			pred.Warnings = append(pred.Warnings, fmt.Errorf("E(Instr) is %+.0f %% with the order of processors that was counted for a delay of %d: who is first decides, and that may depend on little",
				100*off, asked.Delays[i]))
		}
	}
	if len(near) > 0 {
		pred.Interval.Covers += "; and orders of the delays next to this one"
	}
	return nil
}

// neighbours are the next shorter and longer of the delays, but for this one itself, if they are nearby.
func (o *order) neighbours() (out []int) {
	shorter, longer := -1, -1
	for i, d := range o.counted.Delays {
		switch by := float64(d) / o.delay; {
		case by >= 1.0/nearby && by < 1-sameDelay:
			shorter = i
		case by > 1+sameDelay && by <= nearby && longer < 0:
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

// same reports whether it is one of those that were counted.
func (o *order) same() bool {
	return slices.ContainsFunc(o.counted.Delays, func(d unit.Instructions) bool { return math.Abs(float64(d)-o.delay) <= sameDelay*o.delay })
}

// clone is a program whose work can be changed apart.
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
