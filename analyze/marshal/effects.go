package marshal

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that messages and recorded collectives have buffers, and that loads and stores
// use their lines. The layout of a buffer gives its lines, whatever caches hold: flushes and prefetches have no
// effect, and a note says so.
func (a *Analysis) Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.LineEffects(a.Refs, analysis.Noted), Kinds: analysis.AllKinds(analysis.Outside).
		With(analysis.Used, trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Wait, trace.Test, trace.Bcast, trace.Reduce,
			trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll)}
}
