package footprint

import "spoor/analyze/analysis"

// Effects declares that loads and stores use lines, and that barriers and locks order them. A footprint counts
// the lines that the program uses in a window, so flushes and prefetches have no effect. A note says so, because
// the models of cache occupancy do not know them.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, analysis.Noted), Kinds: analysis.OrderKinds()}
}
