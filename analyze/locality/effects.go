package locality

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that loads and stores use lines. Processors are measured apart, so no event
// orders them. Barriers divide the program for intervals.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.DataEffects, Kinds: analysis.AllKinds(analysis.Outside).With(analysis.Used, trace.Compute, trace.Barrier)}
}
