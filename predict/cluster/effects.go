package cluster

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects says, by the name of a model, what it does with every row of the trace that its measurements come
// from. These are measurements of analyses, which note instruction fetches. A program that passes messages is
// refused without its critical paths, see [Run.HasMessageTime].
var Effects = map[string]analysis.Effects{
	"paper": {Ops: readOps, Kinds: readKinds},
	"curve": {Ops: readOps, Kinds: readKinds.With(analysis.Used, trace.Lock, trace.Unlock)},
	"mva":   {Ops: readOps, Kinds: readKinds.With(analysis.Used, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join)},

	"messages": {Ops: analysis.AllOps(analysis.Refused), Kinds: analysis.AllKinds(analysis.Used).
		With(analysis.Refused, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join).With(analysis.Outside, trace.Clock, trace.Marker)},
}

var (
	readOps   = analysis.LineEffects(0, analysis.Used)
	readKinds = analysis.AllKinds(analysis.Refused).With(analysis.Used, trace.Compute, trace.Barrier).
			With(analysis.Outside, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join, trace.Clock, trace.Marker)
)
