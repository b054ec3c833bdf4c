package paths

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that messages and work are used, and no references. A warning says why a program with events of a shared memory has
// no paths.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Outside), Kinds: analysis.AllKinds(analysis.Used).
		With(analysis.Noted, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join).
		With(analysis.Outside, trace.Clock, trace.Marker)}
}
