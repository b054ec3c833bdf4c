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

// program returns the work of the run on the caches of c's machine, with warnings.
func (r *Run) program(c *Case) (program, []error, error) {
	m := c.Machine
	work, err := r.phaseWork(c.machineOf)
	if err != nil {
		return nil, nil, err
	}
	switch timed := c.timedNode(r); {
	case timed != nil:
		return work, nil, r.addCounted(c, timed, work)
	case c.singleNode():
		if err := r.addTimed(c, work); err != nil {
			return nil, nil, err
		}
	}
	warnings, err := r.protocolWarning(c)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case m.Shared != nil:
		more, err := r.addSharedCache(c, work)
		return work, append(warnings, more...), err
	case c.nodes() > 1 && m.Memory.Page != phases.Page:
		warnings = append(warnings, fmt.Errorf("requests between nodes were counted with pages of %v, but the machine has pages of %v", phases.Page, m.Memory.Page))
	}
	return work, warnings, nil
}

// protocolWarning warns if the protocol of c's machine sends nothing for some upgrades, and the table is too
// old to tell which.
func (r *Run) protocolWarning(c *Case) ([]error, error) {
	if c.Processors == 1 || !exclusive(c.Machine) {
		return nil, nil
	}
	profile, err := r.profile(last(c.Machine).Line)
	if err != nil || profile.Alone {
		return nil, err
	}
	return []error{fmt.Errorf("upgrades are those of protocol msi, because %s is of an older version, but the machine has %s; run analyze again", phasesFile, c.Machine.System.Protocol)}, nil
}

// phaseWork returns the measured phases with the caches of the machine that each processor is in.
func (r *Run) phaseWork(of func(processor int) *machine.Machine) (program, error) {
	profile, err := r.profile(last(of(0)).Line)
	if err != nil {
		return nil, err
	}
	if err := r.checkSets(of); err != nil {
		return nil, err
	}
	out := make(program, len(profile.Windows))
	for i := range out {
		out[i] = make([][]windowWork, r.Processors)
		for p := range out[i] {
			if out[i][p], err = r.stretches(of(p), trace.Proc(p), i); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
		}
	}
	return out, nil
}

// checkSets returns an error if a cache was not measured. It names all values that analyze --sets needs.
func (r *Run) checkSets(of func(processor int) *machine.Machine) error {
	var have, missing []int64
	for p := range r.Processors {
		for _, level := range of(p).Caches {
			profile, err := r.profile(level.Line)
			if err != nil {
				return err
			}
			if level.Ways > profile.Ways {
				return fmt.Errorf("%s: the phases table has caches of 1 to %[3]d ways, not %[2]d; use predict replay", r.Name, level.Ways, profile.Ways)
			}
			if have = profile.Sets; !slices.Contains(have, int64(level.Sets())) {
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

// numbers formats a list for --sets.
func numbers(values []int64) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.FormatInt(v, 10))
	}
	return strings.Join(out, ",")
}

// stretches returns the work of processor p in one phase, window by window.
func (r *Run) stretches(m *machine.Machine, p trace.Proc, phase int) ([]windowWork, error) {
	var out []windowWork
	for i, level := range m.Caches {
		profile, err := r.profile(level.Line)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = make([]windowWork, len(profile.Windows[phase]))
		}
		for at := range out {
			c, err := profile.WindowCounts(p, phase, at, int64(level.Sets()), level.Ways)
			if err != nil {
				return nil, err
			}
			if exclusive(m) {
				c.Upgrades -= c.Alone
			}
			out[at].level(c, i == 0, i == len(m.Caches)-1, r.Processors == 1)
		}
	}
	return out, nil
}

// exclusive reports whether the protocol of m has an exclusive clean state. A store to such a line sends nothing.
func exclusive(m *machine.Machine) bool {
	return m.System.Protocol == machine.MESI || m.System.Protocol == machine.MOESI
}

// level adds the counts of one level of caches to w. With alone there are no other processors whose copies an
// upgrade could invalidate.
func (w *windowWork) level(c phases.Counts, first, last, alone bool) {
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
