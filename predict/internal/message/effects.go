package message

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that the messages of a trace are predicted by the layouts of their buffers. Collectives
// without their messages are left out with a warning. What a program does between messages is no part of it.
func Effects() analysis.Effects {
	return analysis.Effects{Ops: analysis.AllOps(analysis.Outside), Kinds: analysis.AllKinds(analysis.Outside).
		With(analysis.Used, trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Wait, trace.Test).
		With(analysis.Noted, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll)}
}
