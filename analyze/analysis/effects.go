package analysis

import (
	"fmt"

	"spoor/traces/trace"
)

// An Effect says what a consumer of traces does with the rows of one operation or kind of event.
type Effect uint8

// The effects. The zero Effect is not declared, which tests do not accept.
const (
	Undeclared Effect = iota
	Used              // rows change the result
	Noted             // rows are ignored, and a note says so
	Refused           // such a trace is an error
	Outside           // not a part of what is measured, as the description says: ignored without a note
)

var effectNames = [...]string{Undeclared: "undeclared", Used: "used", Noted: "noted", Refused: "refused", Outside: "outside"}

// String returns the name of the effect.
func (e Effect) String() string { return effectNames[e] }

// OpEffects has the effect of each operation.
type OpEffects [trace.Flush + 1]Effect

// KindEffects has the effect of each kind of event beyond its position.
type KindEffects [trace.Marker + 1]Effect

// Effects declares what a consumer does with every row of a trace. Each analysis, model and
// simulator has one declaration beside it.
type Effects struct {
	Ops   OpEffects
	Kinds KindEffects
}

// Check returns an error that names the first row without a declaration.
func (e Effects) Check() error {
	for _, op := range trace.Ops {
		if e.Ops[op] == Undeclared {
			return fmt.Errorf("operation %v has no declared effect", op)
		}
	}
	for _, k := range trace.Kinds {
		if e.Kinds[k] == Undeclared {
			return fmt.Errorf("event %v has no declared effect", k)
		}
	}
	return nil
}

// AllOps returns the same effect for every operation.
func AllOps(e Effect) (all OpEffects) {
	for _, op := range trace.Ops {
		all[op] = e
	}
	return all
}

// AllKinds returns the same effect for every kind of event.
func AllKinds(e Effect) (all KindEffects) {
	for _, k := range trace.Kinds {
		all[k] = e
	}
	return all
}

// With returns the effects, with another one for some kinds.
func (k KindEffects) With(e Effect, kinds ...trace.Kind) KindEffects {
	for _, kind := range kinds {
		k[kind] = e
	}
	return k
}

// LineEffects returns the effects of an analysis of the lines of some references; zero: of loads and
// stores. Other references that users choose to omit need no note.
func LineEffects(refs trace.OpSet, moves Effect) (e OpEffects) {
	for _, op := range []trace.Op{trace.Load, trace.Store, trace.Ifetch} {
		switch {
		case refs == 0 && op == trace.Ifetch:
			e[op] = Noted
		case refs == 0 || refs.Has(op):
			e[op] = Used
		default:
			e[op] = Outside
		}
	}
	e[trace.Prefetch], e[trace.Flush] = moves, moves
	if refs != 0 && !refs.WithMoves().Has(trace.Prefetch) {
		e[trace.Prefetch] = Outside
	}
	return e
}

// WaitKinds are the events at which a program may wait although the interleaved order does not wait
// there, see [Interleave].
var WaitKinds = []trace.Kind{trace.Recv, trace.Wait, trace.Probe, trace.WaitFlag, trace.Join, trace.Bcast, trace.Reduce,
	trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll}

// OrderKinds returns the effects of an analysis that uses events only for the interleaved order, or
// for positions.
func OrderKinds() KindEffects {
	return AllKinds(Outside).With(Used, trace.Compute, trace.Barrier, trace.Lock, trace.Unlock).With(Noted, WaitKinds...)
}
