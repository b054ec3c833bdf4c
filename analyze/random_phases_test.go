package main

import (
	"math/rand/v2"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// streams are the rows of one processor.
type streams struct {
	refs   trace.Refs
	events trace.Events
}

// use adds a reference.
func (s *streams) use(addr uint64, size uint16, op trace.Op) { s.refs.Append(2, addr, size, op) }

// event adds an event.
func (s *streams) event(kind trace.Kind, change func(*trace.Event)) {
	s.events.Rows = append(s.events.Rows, of(kind, s.refs.Len(), change))
}

// writeStreams writes a trace, and returns its number of references.
func writeStreams(t testing.TB, path string, procs int, fill func(*streams, trace.Proc)) (refs int) {
	t.Helper()
	h := trace.Header{Program: "random", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(path, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range trace.Proc(procs) {
		s := &streams{refs: trace.Refs{Proc: p}, events: trace.Events{Proc: p}}
		fill(s, p)
		refs += s.refs.Len()
		if err := w.Refs(&s.refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&s.events); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	return refs
}

// writePhases writes a trace of random phases of new and reused lines, with barriers, locks and messages.
// With moves, some of the references are prefetches and flushes.
func writePhases(t testing.TB, path string, r *rand.Rand, moves bool) (refs int) {
	t.Helper()
	procs, phases, length := 1+r.IntN(4), 1+r.IntN(5), []int{20, 100, 100, 1000, 1000, 1000, 1000, 5000, 5000, 50000}[r.IntN(10)]
	others := []float64{0, 0, 0.01, 0.2}[r.IntN(4)]
	if !moves {
		others = 0
	}
	seed := r.Uint64()
	return writeStreams(t, path, procs, func(s *streams, p trace.Proc) {
		shape, own := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2+uint64(p)))
		for range phases {
			randomPhase(s, p, procs, shape, own, length, others)
		}
	})
}

// randomPhase adds the references of a phase, and its events. Processors share shape, so that events match.
func randomPhase(s *streams, p trace.Proc, procs int, shape, own *rand.Rand, length int, others float64) {
	base := uint64(1+shape.IntN(8)) << 28
	stride, width := []uint64{8, 8, 8, 64, 64, 4096}[shape.IntN(6)], 1+shape.Uint64N(uint64(length))
	kind, size, locks, messages := shape.IntN(7), uint16(1)<<shape.IntN(7), shape.IntN(2) == 0, shape.IntN(3) == 0
	if shape.IntN(2) == 0 {
		base += uint64(p) << 32
	}
	n := 1 + own.IntN(length)
	for i := range uint64(n) {
		at := i // new lines
		switch kind {
		case 1: // a cycle of lines
			at = i % width
		case 2:
			at = own.Uint64N(width)
		case 3: // near ones are used most
			at = uint64(float64(width) * own.Float64() * own.Float64() * own.Float64())
		case 4: // by columns
			at = i * width % uint64(n)
		case 5: // new lines, each used again soon
			at = i - own.Uint64N(min(i+1, 8))
		case 6: // a copy from one array to another
			at = i/2 + i%2<<20
		}
		op := trace.Op(1 + own.IntN(2))
		if own.Float64() < others {
			op = trace.Ops[own.IntN(len(trace.Ops))]
		}
		s.use(base+at*stride, size, op)
	}
	if locks {
		s.event(trace.Lock, nil)
		s.use(base, 8, trace.Store)
		s.event(trace.Unlock, nil)
	}
	if messages && procs > 1 {
		passRing(s, p, procs)
	}
	s.event(trace.Compute, func(e *trace.Event) { e.Work = int64(own.IntN(1000)) })
	s.event(trace.Barrier, nil)
}

// passRing adds a message to the next processor and one from the previous one.
func passRing(s *streams, p trace.Proc, procs int) {
	to := func(peer int) func(*trace.Event) {
		return func(e *trace.Event) { e.Peer, e.Bytes = int32(peer), 100 }
	}
	s.event(trace.Send, to((int(p)+1)%procs))
	s.event(trace.Recv, to((int(p)+procs-1)%procs))
}
