package quanta

import "spoor/analyze/analysis"

// Effects declares that every row is counted. A warning says that waits at other events than
// barriers and locks take no time.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Used), Kinds: analysis.AllKinds(analysis.Used)}
}
