package phases

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that loads and stores use lines. Barriers end phases, and locks and waits are
// counted.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, analysis.Used), Kinds: analysis.OrderKinds().With(analysis.Used, trace.WaitFlag, trace.Join, trace.Signal)}
}
