package cluster

import (
	"fmt"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
)

// program is what the run does on m's caches, with what speaks against it.
func (r *Run) program(c *Case) (program, []error, error) {
	m := c.Machine
	work, err := r.ofPhases(c.machineOf)
	if err == nil && c.alone() {
		if err := r.inTime(c, work); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case err == nil && m.Shared != nil:
		return r.behindShared(c, work)
	case c.nodes() > 1 && m.Memory.Page != phases.Page:
		return work, []error{fmt.Errorf("traffic is that of pages of %v, not of %v", phases.Page, m.Memory.Page)}, err
	case c.nodes() > 1 || err == nil:
		return work, nil, err
	}
	whole, fallback := r.ofCurve(m)
	if fallback == nil && m.Shared != nil {
		whole, _, fallback = r.behindShared(c, whole)
	}
	if fallback != nil {
		return nil, nil, err // what is missing for the better way
	}
	return whole, []error{fmt.Errorf("%w", err), fmt.Errorf("the whole program is one phase without imbalance, coherence and write-backs, with binomial placement in the sets")}, nil
}

// ofPhases is the phases that were measured with the caches of the machine that each processor is in.
func (r *Run) ofPhases(of func(processor int) *machine.Machine) (program, error) {
	profile, err := r.profile(last(of(0)).Line)
	if err != nil {
		return nil, err
	}
	out := make(program, profile.Phases())
	for i := range out {
		out[i] = make([][]Work, r.Processors)
		for p := range out[i] {
			if out[i][p], err = r.stretches(of(p), trace.Proc(p), i); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
		}
	}
	return out, nil
}

// stretches is what processor p does in one phase, window by window.
func (r *Run) stretches(m *machine.Machine, p trace.Proc, phase int) ([]Work, error) {
	var out []Work
	for i, level := range m.Caches {
		profile, err := r.profile(level.Line)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = make([]Work, profile.Windows(phase))
		}
		for at := range out {
			c, err := profile.WindowCounts(p, phase, at, int64(level.Sets()), level.Ways)
			if err != nil {
				return nil, err
			}
			out[at].level(c, i == 0, i == len(m.Caches)-1, r.Processors == 1)
		}
	}
	return out, nil
}

// level takes the counts of one level of caches into w; alone says that there is
// nobody whose copies an upgrade could invalidate.
func (w *Work) level(c phases.Counts, first, last, alone bool) {
	misses := float64(c.LoadMisses + c.StoreMisses)
	if first {
		w.Instr, w.Touches = float64(c.Instr), float64(c.Loads+c.Stores)
	}
	if !last {
		w.Inner = append(w.Inner, misses)
		return
	}
	w.Misses, w.Writebacks = misses, float64(c.Writebacks)
	if !alone {
		w.Upgrades = float64(c.Upgrades)
	}
}

// ofCurve is the whole program as one phase, with the misses of each processor's
// stack distances. Instructions are split over the processors as their uses are.
func (r *Run) ofCurve(m *machine.Machine) (program, error) {
	instr, err := r.parameter("instructions", "1")
	if err != nil {
		return nil, err
	}
	work := make([]Work, r.Processors)
	total := 0.0
	for i, level := range m.Caches {
		all, err := r.ofProcessors(level.Line)
		if err != nil {
			return nil, err
		}
		for p, d := range all {
			misses := d.misses(level.Sets(), level.Ways)
			if i == 0 {
				work[p].Touches = d.total()
				total += d.total()
			}
			if i < len(m.Caches)-1 {
				work[p].Inner = append(work[p].Inner, misses)
			} else {
				work[p].Misses = misses
			}
		}
	}
	phase := make([][]Work, r.Processors)
	for p := range work {
		work[p].Instr = instr.Value * work[p].Touches / max(1, total)
		phase[p] = []Work{work[p]}
	}
	return program{phase}, nil
}
