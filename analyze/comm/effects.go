package comm

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that messages are measured, and no references. Locks and flags of shared memory
// are no messages.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Outside), Kinds: analysis.AllKinds(analysis.Used).
		With(analysis.Outside, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join, trace.Probe, trace.Iprobe, trace.Clock, trace.Marker)}
}
