package replay

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// A Simulator is one way to replay a trace, with what it does with every row.
type Simulator struct {
	Name    string
	Effects analysis.Effects
}

// Simulators lists all ways.
var Simulators = []Simulator{
	{"replay of references", analysis.Effects{Ops: cachedOps, Kinds: sharedKinds}},
	{"replay of references, logp", analysis.Effects{Ops: uncachedOps, Kinds: sharedKinds}},
	{"replay of messages", analysis.Effects{Ops: analysis.AllOps(analysis.Noted), Kinds: messageKinds.With(analysis.Refused, memoryKinds...)}},
	{"replay of both", analysis.Effects{Ops: cachedOps, Kinds: messageKinds.With(analysis.Used, memoryKinds...)}},
}

// Effects of operations. Nothing simulates caches of instructions. Target logp has no caches at all.
var (
	cachedOps = analysis.OpEffects{trace.Load: analysis.Used, trace.Store: analysis.Used, trace.Ifetch: analysis.Noted,
		trace.Prefetch: analysis.Used, trace.Flush: analysis.Used}
	uncachedOps = analysis.OpEffects{trace.Load: analysis.Used, trace.Store: analysis.Used, trace.Ifetch: analysis.Noted,
		trace.Prefetch: analysis.Noted, trace.Flush: analysis.Noted}
)

// Effects of events. A marker only names a place.
var (
	sharedKinds = analysis.AllKinds(analysis.Refused).With(analysis.Outside, trace.Marker).With(analysis.Used, trace.Compute, trace.Barrier).
			With(analysis.Used, memoryKinds...)
	messageKinds = analysis.AllKinds(analysis.Used).With(analysis.Outside, trace.Marker).With(analysis.Noted, trace.Clock)
)
