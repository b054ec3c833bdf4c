package reuse

import "spoor/analyze/analysis"

// Effects declares that references use lines, that flushes and prefetches move them, and that barriers and
// locks order them. A sample cannot
// follow lines that move: a flush of a line outside of the sample leaves a hole in the stack at an unknown depth.
func (a *Analysis) Effects() analysis.Effects {
	moves := analysis.Used
	if a.Sampling.On() {
		moves = analysis.Refused
	}
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, moves), Kinds: analysis.OrderKinds()}
}
