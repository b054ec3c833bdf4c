package direct

import (
	"spoor/predict/internal/engine/observe"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Recording is a Sink that stores the events of a program in memory, for timelines. Its rows are those that an
// Observer receives.
type Recording struct{ rows []trace.Events }

// NewRecording returns an empty Recording.
func NewRecording(procs int) *Recording { return &Recording{make([]trace.Events, procs)} }

// Refs implements spmd.Sink.
func (r *Recording) Refs(*trace.Refs) error { return nil }

// Events implements spmd.Sink.
func (r *Recording) Events(b *trace.Events) error {
	of := &r.rows[b.Proc]
	of.Proc = b.Proc
	for i := range b.Rows {
		if b.Rows[i].Kind != trace.Compute {
			of.Rows = append(of.Rows, b.Rows[i])
		}
	}
	return nil
}

// Source returns the events as a trace, after the run.
func (r *Recording) Source(h trace.Header) trace.Source {
	h.Procs = len(r.rows)
	for p := range r.rows {
		r.rows[p].Proc = trace.Proc(p)
		r.rows[p].Rows = append(r.rows[p].Rows, trace.NewEvent(trace.Compute)) // the last operation
	}
	return &trace.Memory{Head: h, EventsOf: r.rows}
}

// rowNumbering is an Observer that numbers the events of ranks as in a recording: a wait for several requests is one
// event.
type rowNumbering struct {
	observe.Observer
	next  []int64
	rowOf [][]int64 // by rank and operation
}

// Began implements observe.Observer.
func (r *rowNumbering) Began(rank int32, row int64, at unit.Picos) {
	for int64(len(r.rowOf[rank])) <= row {
		r.rowOf[rank] = append(r.rowOf[rank], r.next[rank])
	}
	r.Observer.Began(rank, r.next[rank], at)
	r.next[rank]++
}

// Ended implements observe.Observer.
func (r *rowNumbering) Ended(rank int32, row int64, at unit.Picos) {
	r.Observer.Ended(rank, r.rowOf[rank][row], at)
}

// Matched implements observe.Observer.
func (r *rowNumbering) Matched(rank int32, row int64, from, tag, group int32) {
	r.Observer.Matched(rank, r.rowOf[rank][row], from, tag, group)
}
