package reusetime

import "spoor/analyze/analysis"

// Effects declares that loads and stores use lines, and that barriers and locks order them. A reuse time lies
// between two uses of the program, whatever a cache does between them. The curves that follow from reuse times
// assume caches that only uses change. Therefore flushes and prefetches have no effect, and a note says so.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, analysis.Noted), Kinds: analysis.OrderKinds()}
}
