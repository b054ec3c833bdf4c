package cluster

import (
	"fmt"

	"spoor/analyze/locality"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// critical returns E(Instr) of the run's critical path without any miss, and whether the parameters have that
// path. Parameters of older versions do not.
func (r *Run) critical(of costs) (least unit.Seconds, known bool) {
	all, counted := r.Params.Lookup("instructions")
	instr, known := r.Params.Lookup(locality.CriticalInstr)
	refs, _ := r.Params.Lookup(locality.CriticalRefs)
	if !known || !counted || !(all.Value > 0) {
		return 0, false
	}
	share := min(1, instr.Value/all.Value) // it may be extrapolated
	access := min(1, refs.Value/max(1, instr.Value))
	return unit.Seconds(share * (of.instr + access*of.touch)), true
}

// raise raises a prediction for processors with equal work to the critical path of the run. Processors without
// work then wait.
func (c *Case) raise(p *model.Prediction) {
	r := c.run()
	if r == nil || c.Processors == 1 {
		return // see [scaledWarning]
	}
	least, known := r.critical(costsOf(c.Machine))
	if !known {
		p.Warnings = append(p.Warnings, fmt.Errorf("the parameters have no %s: the work of all processors counts as equal; analyze the trace again", locality.CriticalInstr))
	}
	p.Bounds.Least = max(p.Bounds.Least, min(least, p.Bounds.Most))
	if p.EInstr >= least {
		return
	}
	p.Warnings = append(p.Warnings, fmt.Errorf("the model gives %v for equal work; raised to %v, which the processors with most work between barriers need", p.EInstr, least))
	p.Split.Sync += least - p.EInstr
	p.EInstr, p.Limit = least, p.Split.Largest()
	p.Interval.Hi = max(p.Interval.Hi, least)
}
