package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
)

// program is what the run does on m's caches, with what speaks against it.
func (r *Run) program(c *Case) (program, []error, error) {
	m := c.Machine
	work, err := r.ofPhases(c.machineOf)
	if err != nil {
		return nil, nil, err
	}
	if c.alone() {
		if err := r.inTime(c, work); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case m.Shared != nil:
		return r.behindShared(c, work)
	case c.nodes() > 1 && m.Memory.Page != phases.Page:
		return work, []error{fmt.Errorf("traffic is that of pages of %v, not of %v", phases.Page, m.Memory.Page)}, nil
	}
	return work, nil, nil
}

// ofPhases is the phases that were measured with the caches of the machine that each processor is in.
func (r *Run) ofPhases(of func(processor int) *machine.Machine) (program, error) {
	profile, err := r.profile(last(of(0)).Line)
	if err != nil {
		return nil, err
	}
	if err := r.counted(of); err != nil {
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

// counted is an error if a cache was not measured. It names all that analyze must be asked for.
func (r *Run) counted(of func(processor int) *machine.Machine) error {
	var have, missing []int64
	for p := range r.Processors {
		for _, level := range of(p).Caches {
			profile, err := r.profile(level.Line)
			if err != nil {
				return err
			}
			if level.Ways > profile.Ways() {
				return fmt.Errorf("%s: the phases table has no caches of %d ways; it has 1 to %d; predict replay simulates any", r.Name, level.Ways, profile.Ways())
			}
			if have = profile.Sets(); !slices.Contains(have, int64(level.Sets())) {
				missing = append(missing, int64(level.Sets()))
			}
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		list := numbers(slices.Compact(missing))
		return fmt.Errorf("%s: the phases table has no caches of %s sets; it has %s; run analyze with --sets %s", r.Name, list, numbers(have), list)
	}
	return nil
}

// numbers is a list as --sets takes it.
func numbers(values []int64) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.FormatInt(v, 10))
	}
	return strings.Join(out, ",")
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
