package cluster

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Processors that race for shared data may be chaotic: one instruction more of a message decides who has a block for long, and the time
// of the program changes by a half. A simulation of the same machine is one such time, too.

// variation is the relative change of the delay of a block with which it is counted once more, shorter and longer.
const variation = 0.001

// spread is how many standard deviations a fourth time may be from the mean of three with a probability of 5 %:
// Student's t with two degrees of freedom, 4.303, times sqrt(1 + 1/3).
const spread = 4.968

// variedDelays returns the delay of a block in whole instructions, and those next to it.
func variedDelays(delay float64) []int64 {
	d := int64(max(1, math.Round(delay)))
	by := max(1, int64(math.Round(variation*delay)))
	return unique([]int64{d, max(1, d-by), d + by})
}

// varyDelay widens the interval by how the counts for delays next to that of the machine differ.
func (on *placedRun) varyDelay(c *Case, pred *model.Prediction) error {
	t, exact := c.timedTraffic(on.run, &on.costs.interconnect)
	if t == nil {
		return nil
	}
	shortest, longest := t.Delays[exact], t.Delays[exact]
	own := []float64{math.Log(float64(pred.EInstr))}
	work, instr := on.work.clone(), instructions(on.work)
	for i, d := range t.Delays {
		if i == exact || !sameWork(d, float64(t.Delays[exact])) {
			continue
		}
		net, err := on.costs.solveTimed(c, on.run, t, i, work)
		if err != nil {
			return err
		}
		e := split(net.sum(), instr*float64(c.Processors)).Total()
		own = append(own, math.Log(float64(e)))
		shortest, longest = min(shortest, d), max(longest, d)
		warnSensitive(pred, e, d)
	}
	if len(own) < 3 {
		return nil
	}
	mean, deviation := stat.MeanStdDev(own, nil)
	pred.Interval = model.Interval{Lo: min(pred.EInstr, unit.Seconds(math.Exp(mean-spread*deviation))), Hi: max(pred.EInstr, unit.Seconds(math.Exp(mean+spread*deviation))),
		Covers: fmt.Sprintf("messages of blocks that take %d to %d instructions; analyze simulated the waits for this machine", shortest, longest)}
	return nil
}
