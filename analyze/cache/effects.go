package cache

import (
	"cmp"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that references use lines, and that flushes and prefetches move them.
func (a *Analysis) Effects() analysis.Effects {
	refs := cmp.Or(a.Refs, trace.DataOps|trace.FetchOps)
	return analysis.Effects{Ops: analysis.LineEffects(refs, analysis.Used), Kinds: analysis.OrderKinds()}
}
