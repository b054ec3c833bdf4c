package cluster

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// A Reader is a model with what it does with every row of the trace that its measurements come from.
type Reader struct {
	Name    string
	Effects analysis.Effects
}

// Readers lists the models. Their measurements are those of analyses, which note instruction fetches. A
// program that passes messages is refused, see [Run.PassesMessages].
var Readers = []Reader{
	{"paper", analysis.Effects{Ops: readOps, Kinds: readKinds}},
	{"curve", analysis.Effects{Ops: readOps, Kinds: readKinds.With(analysis.Used, trace.Lock, trace.Unlock)}},
	{"mva", analysis.Effects{Ops: readOps, Kinds: readKinds.With(analysis.Used, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join)}},
}

var (
	readOps   = analysis.LineEffects(0, analysis.Used)
	readKinds = analysis.AllKinds(analysis.Refused).With(analysis.Used, trace.Compute, trace.Barrier).
			With(analysis.Outside, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join, trace.Clock, trace.Marker)
)
