package timeline

import (
	"iter"
	"testing"

	"spoor/traces/trace"
)

// oneRow yields events one by one, in the same memory, as a file may do between its batches.
type oneRow struct{ *trace.Memory }

func (s oneRow) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(yield func(*trace.Events, error) bool) {
		for b, err := range s.Memory.Events(procs...) {
			out := trace.Events{Proc: b.Proc, Rows: make([]trace.Event, 1)}
			for i := range b.Rows {
				if out.Rows[0] = b.Rows[i]; !yield(&out, err) {
					return
				}
			}
		}
	}
}

// spans counts the spans of each kind, and those that begin before the end of the last one of their processor.
type spans struct {
	kinds map[trace.Kind]int
	ends  map[trace.Proc]int64
	back  int
}

func (s *spans) Span(p trace.Proc, e *trace.Event, begin, end int64) error {
	if s.kinds[e.Kind]++; begin < s.ends[p] {
		s.back++
	}
	s.ends[p] = end
	return nil
}

func (s *spans) Delivered(*Delivery) error { return nil }

// TestReceiveBeforeAnotherBatch: a receive whose message is there, and after it an irecv that takes its place in memory.
func TestReceiveBeforeAnotherBatch(t *testing.T) {
	event := func(k trace.Kind, peer, request int32) trace.Event {
		e := trace.NewEvent(k)
		e.Peer, e.Tag, e.Request = peer, 0, request
		if k == trace.Wait {
			e.Peer, e.Tag = trace.None, trace.None
		}
		return e
	}
	late := event(trace.Recv, 0, trace.None)
	late.Instr = 5000
	m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 2), EventsOf: []trace.Events{
		{Rows: []trace.Event{event(trace.Send, 1, trace.None), event(trace.Send, 1, trace.None)}},
		{Proc: 1, Rows: []trace.Event{late, event(trace.Irecv, 0, 3), event(trace.Wait, 0, 3)}},
	}}
	s := spans{kinds: map[trace.Kind]int{}, ends: map[trace.Proc]int64{}}
	if _, err := nominalTimeline(oneRow{m}, prices{instr: 1000, latency: 1000}, &s); err != nil {
		t.Fatal(err)
	}
	if s.back > 0 || s.kinds[trace.Recv] != 1 || s.kinds[trace.Irecv] != 1 || s.kinds[trace.Wait] != 1 {
		t.Errorf("%d spans go back in time; spans by kind: %v", s.back, s.kinds)
	}
}
