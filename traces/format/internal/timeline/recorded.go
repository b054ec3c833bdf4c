package timeline

import (
	"maps"
	"slices"

	"spoor/traces/heap"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// recordedTimeline lays a trace out at its recorded times. An event lasts until the
// next one of its processor begins. A Compute with work in ps lasts for its work. The
// events of all processors come in the order of time, so that a wildcard receives the
// message that was sent first.
func recordedTimeline(src trace.Source, sink timelineSink) (notes []string, err error) {
	r := recorded{messageMatcher: messageMatcher{sink: sink}, work: src.Header().WorkUnit}
	defer func() {
		for _, w := range r.all {
			w.cursor.Stop()
		}
	}()
	for p := range src.Header().Procs {
		w := &recordedProc{proc: trace.Proc(p), cursor: trace.NewEventCursor(src, trace.Proc(p)), requests: map[int32]*postedRecv{}}
		r.all = append(r.all, w)
		if err := w.advance(); err != nil {
			return nil, err
		}
		if w.event != nil {
			r.queue.Push(w.item())
		}
	}
	for len(r.queue) > 0 {
		w := r.queue[0].Value
		if err := r.together(w); err != nil {
			return nil, err
		}
		if w.event == nil {
			r.queue.Pop()
		} else {
			r.queue.ReplaceFirst(w.item())
		}
	}
	for _, w := range r.all {
		r.backwards += w.backwards
		if err := r.abandoned(w.requests); err != nil {
			return nil, err
		}
	}
	if r.backwards > 0 {
		notes = append(notes, input.Plural(r.backwards, "event")+" recorded before its predecessor, shown at the same time")
	}
	return append(notes, r.messageMatcher.unmatchedNotes()...), nil
}

// abandoned delivers the receives without a wait.
func (p *messageMatcher) abandoned(requests map[int32]*postedRecv) error {
	for _, id := range slices.Sorted(maps.Keys(requests)) {
		s := requests[id]
		if s.sentMessage != nil && s.received < 0 {
			s.received = max(s.posted, s.sentMessage.SentEnd)
			if err := p.deliver(s); err != nil {
				return err
			}
		}
	}
	return nil
}

type recorded struct {
	messageMatcher
	work      trace.WorkUnit
	all       []*recordedProc
	queue     heap.Heap[int64, trace.Proc, uint8, *recordedProc] // by time
	run       []trace.Event                                      // events that begin together
	backwards int
}

// recordedProc is positioned at the next event of a processor.
type recordedProc struct {
	proc      trace.Proc
	cursor    *trace.EventCursor
	event     *trace.Event // nil at the end
	time      int64
	requests  map[int32]*postedRecv
	backwards int
}

func (w *recordedProc) advance() (err error) {
	w.event, err = w.cursor.Next()
	if err == nil && w.event != nil {
		if w.event.Time < w.time {
			w.backwards++
		}
		w.time = max(w.time, min(w.event.Time, Longest))
	}
	return err
}

// together handles the events of w that begin at the same time.
func (r *recorded) together(w *recordedProc) error {
	const most = 1 << 12 // limits the memory for a trace whose times are all 0
	begin := w.time
	r.run = r.run[:0]
	for w.event != nil && w.time == begin && len(r.run) < most {
		r.run = append(r.run, *w.event)
		if err := w.advance(); err != nil {
			return err
		}
	}
	end := begin
	if w.event != nil {
		end = w.time
	}
	worked := -1 // events before work or a send that begin at the same time took no time
	for i := range r.run {
		if e := &r.run[i]; e.Kind == trace.Compute && e.Work > 0 || e.Kind == trace.Send || e.Kind == trace.Isend {
			worked = i
		}
	}
	for i := range r.run {
		until := end
		if i < worked {
			until = begin
		}
		if err := r.event(w, &r.run[i], begin, until, w.event == nil && i == len(r.run)-1); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorded) event(w *recordedProc, e *trace.Event, begin, end int64, last bool) error {
	if e.Kind == trace.Compute {
		if r.work == trace.WorkPicos {
			if worked := afterPicos(begin, float64(e.Work)); last || worked < end {
				end = worked
			}
		}
		if end == begin {
			return nil
		}
		return r.sink.Span(w.proc, e, begin, end)
	}
	if err := r.sink.Span(w.proc, e, begin, end); err != nil {
		return err
	}
	switch e.Kind {
	case trace.Send, trace.Isend:
		m := &sentMessage{Delivery: Delivery{From: w.proc, To: trace.Proc(e.Peer), Tag: e.Tag, group: e.Group, Bytes: e.Bytes, Sent: begin, SentEnd: end}}
		if s := r.send(e, m); s != nil {
			return r.deliver(s)
		}
	case trace.Recv, trace.Irecv:
		return r.receives(w, e, begin, end)
	case trace.Wait, trace.Test:
		s := w.requests[e.Request]
		if s == nil || e.Kind == trace.Test && e.Count == 0 {
			return nil
		}
		delete(w.requests, e.Request)
		s.received = end
		return r.deliver(s)
	}
	return nil
}

func (r *recorded) receives(w *recordedProc, e *trace.Event, begin, end int64) error {
	s := &postedRecv{posted: begin, received: -1}
	r.receive(w.proc, e, s)
	if e.Kind == trace.Irecv && e.Request != trace.None {
		w.requests[e.Request] = s
		return nil
	}
	s.received = end
	return r.deliver(s)
}

// item returns w in the order of its next event, ties by number.
func (w *recordedProc) item() heap.Item[int64, trace.Proc, uint8, *recordedProc] {
	return heap.Item[int64, trace.Proc, uint8, *recordedProc]{Key: w.time, Tie: w.proc, Value: w}
}
