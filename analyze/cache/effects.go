package cache

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that loads, stores and instruction fetches use lines.
func (a *Analysis) Effects() analysis.Effects {
	ops := analysis.DataEffects
	ops[trace.Ifetch] = analysis.Used
	return analysis.Effects{Ops: ops, Kinds: analysis.OrderKinds()}
}
