package logp

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that messages are traffic where they are sent. Collectives without their messages are left
// out with a warning.
func Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Outside), Kinds: analysis.AllKinds(analysis.Outside).
		With(analysis.Used, trace.Send, trace.Isend).
		With(analysis.Noted, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll)}
}
