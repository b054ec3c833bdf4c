package cache

import (
	"cmp"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that references use lines, and that flushes and prefetches move them.
func (a *Analysis) Effects() analysis.Effects {
	refs := cmp.Or(a.Refs, trace.DataOps|trace.FetchOps)
	ops := analysis.LineEffects(refs, analysis.Used)
	if ops[trace.Ifetch] == analysis.Used && !a.serves(Instr) {
		ops[trace.Ifetch] = analysis.Noted
	}
	return analysis.Effects{Ops: ops, Kinds: analysis.OrderKinds()}
}

// serves reports whether references of a side enter any levels.
func (a *Analysis) serves(side Side) bool {
	return slices.ContainsFunc(a.Specs, func(s Spec) bool { return s.enters(false, side) || s.enters(true, side) })
}
