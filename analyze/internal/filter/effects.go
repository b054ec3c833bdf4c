package filter

import "spoor/analyze/analysis"

// Effects declares that every reference passes the caches, and that events are copied.
func Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Used), Kinds: analysis.AllKinds(analysis.Used)}
}
