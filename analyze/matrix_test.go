package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/registry"
	"spoor/traces/stage"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// Every analysis does with every row what its declaration says: a used one changes the result, a noted one has a
// note, and a refused one is an error.
func TestEffectsOfAnalyses(t *testing.T) {
	dir := t.TempDir()
	for _, op := range trace.Ops[:testsize.Cases(len(trace.Ops), 2)] {
		with, base := filepath.Join(dir, op.String()), filepath.Join(dir, "no "+op.String())
		writeOps(t, with, op)
		writeOps(t, base, 0)
		checkEffects(t, op.String(), with, base, func(e analysis.Effects) analysis.Effect { return e.Ops[op] })
	}
	for _, k := range trace.Kinds[:testsize.Cases(len(trace.Kinds), 3)] {
		with, base := filepath.Join(dir, k.String()), filepath.Join(dir, "no "+k.String())
		a, b := eventsOf(k)
		writeEvents(t, with, a, b)
		writeEvents(t, base, withoutKind(a, k), withoutKind(b, k))
		checkEffects(t, k.String(), with, base, func(e analysis.Effects) analysis.Effect { return e.Kinds[k] })
	}
}

// checkEffects compares all analyses of a trace with and without rows of a name.
func checkEffects(t *testing.T, name, with, base string, of func(analysis.Effects) analysis.Effect) {
	t.Helper()
	for _, k := range registry.All() {
		effect := of(builtFor(t, k, trace.Header{Procs: 2}).Effects())
		flags := []string{"--line=64B", "--sets=1", "--quantum=500", "--window=500", "--footprint-cache=1x2"}
		what := fmt.Sprintf("%s: %s is %v", k.Name, name, effect)
		status, _, errs := analyze(append(flags, "--run="+k.Name, "-o", with+".analysis", with)...)
		switch failed := status != stage.Done; {
		case failed != (effect == analysis.Refused):
			t.Errorf("%s, but: %s", what, errs)
			continue
		case failed:
			continue
		}
		noted := strings.Contains(errs, k.Name+": ") && strings.Contains(errs, name)
		same := digests(t, with, flags, []string{k.Name}, 1)[k.Name] == digests(t, base, flags, []string{k.Name}, 1)[k.Name]
		if effect == analysis.Used && same || effect == analysis.Noted && !noted || effect == analysis.Outside && noted {
			t.Errorf("%s; the result is the same: %v; notes: %s", what, same, errs)
		}
	}
}

// writeOps writes a trace in which one more reference of an operation has an effect.
func writeOps(t *testing.T, path string, op trace.Op) {
	t.Helper()
	writeStreams(t, path, 2, func(s *streams, p trace.Proc) {
		s.use(0, 8, trace.Store)
		if op == trace.Flush {
			s.use(0, 8, op)
		} else if op == trace.Prefetch {
			s.use(4096, 8, op)
		} else if op != 0 {
			s.use(1<<16, 8, op)
		}
		s.use(0, 8, trace.Load)
		s.use(4096, 8, trace.Load)
		s.event(trace.Barrier, func(e *trace.Event) { e.Peer = 0 })
		s.use(8192, 8, trace.Load)
		kind := []trace.Kind{trace.Send, trace.Recv}[p]
		s.event(kind, func(e *trace.Event) {
			e.Peer, e.Tag, e.Bytes, e.Addr, e.Count, e.Block = int32(1-p), 0, 1<<17, 1<<10, 1, 1<<17
		})
	})
}

// writeEvents writes a trace with the events of two processors, between references to shared lines.
func writeEvents(t *testing.T, path string, a, b []trace.Event) {
	t.Helper()
	writeStreams(t, path, 2, func(s *streams, p trace.Proc) {
		refs := func(op trace.Op) {
			for i := range uint64(40) {
				s.use(i%20*64, 8, op)
			}
		}
		refs(trace.Op(1 + p))
		for _, e := range [][]trace.Event{a, b}[p] {
			e.Refs = uint64(s.refs.Len())
			s.events.Rows = append(s.events.Rows, e)
			refs(trace.Op(2 - p))
		}
		refs(trace.Op(1 + p))
	})
}

// eventsOf returns events of two processors among which those of a kind have an effect.
func eventsOf(k trace.Kind) (a, b []trace.Event) {
	event := func(k trace.Kind, peer int32, change ...func(*trace.Event)) trace.Event {
		e := trace.NewEvent(k)
		e.Peer, e.Tag = peer, 0
		for _, c := range change {
			c(&e)
		}
		return e
	}
	bytes, request := func(e *trace.Event) { e.Bytes = 100 }, func(e *trace.Event) { e.Request = 1 }
	succeeds := func(e *trace.Event) { e.Count = 1 }
	work := event(trace.Compute, -1, func(e *trace.Event) { e.Work = 5000 })
	send, recv := event(trace.Send, 1, bytes), event(trace.Recv, 0, bytes)
	irecv, wait := event(trace.Irecv, 0, bytes, request), event(trace.Wait, -1, request)
	arrived := func(e *trace.Event) { e.Peer, e.Bytes = 0, 50 }
	switch k {
	case trace.Compute:
		return []trace.Event{work, send}, []trace.Event{recv}
	case trace.Send, trace.Recv:
		return []trace.Event{work, send}, []trace.Event{recv}
	case trace.Isend:
		return []trace.Event{work, event(k, 1, bytes, request), wait}, []trace.Event{recv}
	case trace.Irecv, trace.Wait:
		return []trace.Event{work, send}, []trace.Event{irecv, event(trace.Wait, 0, request, arrived), work}
	case trace.Test:
		return []trace.Event{work, send}, []trace.Event{irecv, event(k, 0, request, succeeds, arrived), work}
	case trace.Probe, trace.Iprobe:
		return []trace.Event{work, send}, []trace.Event{event(k, 0, succeeds), work, recv}
	case trace.Lock, trace.Unlock:
		both := []trace.Event{event(trace.Lock, 0), work, event(trace.Unlock, 0)}
		return both, both
	case trace.Signal, trace.WaitFlag:
		return []trace.Event{work, event(trace.Signal, 0)}, []trace.Event{event(trace.WaitFlag, 0, func(e *trace.Event) { e.Tag = 1 })}
	case trace.Fork, trace.Join:
		return []trace.Event{work, event(trace.Fork, 1), event(trace.Join, 1)}, []trace.Event{work}
	case trace.Barrier:
		return []trace.Event{work, event(k, -1)}, []trace.Event{event(k, -1)}
	}
	e := event(k, -1, bytes)
	if e.Collective() && k != trace.AllReduce {
		e.Peer = 0
	}
	return []trace.Event{work, e}, []trace.Event{e}
}

// withoutKind returns the events without those of a kind, and those that are nothing without them.
func withoutKind(events []trace.Event, k trace.Kind) []trace.Event {
	gone := []trace.Kind{k}
	for _, pair := range [][]trace.Kind{{trace.Send, trace.Recv}, {trace.Lock, trace.Unlock}, {trace.Signal, trace.WaitFlag}, {trace.Fork, trace.Join},
		{trace.Isend, trace.Wait, trace.Recv}, {trace.Irecv, trace.Wait, trace.Send}} {
		if k == pair[0] || len(pair) == 2 && k == pair[1] {
			gone = pair
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e trace.Event) bool { return slices.Contains(gone, e.Kind) })
}
