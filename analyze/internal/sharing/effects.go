package sharing

import "spoor/analyze/analysis"

// Effects declares that loads and stores use lines, that flushes and prefetches move them, and that
// barriers and locks order them.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, analysis.Used), Kinds: analysis.OrderKinds()}
}
