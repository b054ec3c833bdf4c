package locality

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that references use lines, as in package reuse. Processors are measured apart, so no event
// orders them. Barriers divide the program for intervals.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: a.Reuse.Effects().Ops, Kinds: analysis.AllKinds(analysis.Outside).With(analysis.Used, trace.Compute, trace.Barrier)}
}
