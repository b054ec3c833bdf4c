package spmd

import "spoor/traces/trace"

// recording is a backend whose operations are recorded.
type recording struct{ Backend }

// Do implements Backend.
func (b recording) Do(r *Rank, op *Op) {
	r.rec.sync() // ranks that run while this one waits may give other arrays the memory that words on its tape are about
	early := r.rec.early && op.isKnown()
	switch {
	case early:
		r.rec.row(op.event(r.space))
		r.rec.flushEarly()
	case r.rec.early:
		r.rec.compute() // what comes before an operation of messages, so that a backend knows it
	}
	b.Backend.Do(r, op)
	if !early && !r.rec.inside {
		r.rec.row(op.event(r.space))
	}
}

// isKnown reports whether the row of an operation does not depend on how it is carried out.
func (op *Op) isKnown() bool {
	return op.Kind == trace.Clock || op.Kind.Synchronizes()
}

// row records e after everything so far.
func (rec *recorder) row(e trace.Event) {
	rec.sync()
	rec.settle(rec.instr)
	rec.append(e, uint32(rec.instr-rec.atEvent))
}

// Event is the row that records op of r, as far as it has been carried out. It is for backends.
func (op *Op) Event(r *Rank) trace.Event { return op.event(r.space) }

// event is the row of an operation that was carried out. The package comment says
// what its columns mean.
func (op *Op) event(s *space) trace.Event {
	e := trace.NewEvent(op.Kind)
	switch op.Kind {
	case trace.Send:
		sent(&e, op.Message, s)
	case trace.Isend:
		sent(&e, op.Message, s)
		e.Request = op.Request.ID
	case trace.Recv:
		posted(&e, op.Request, s)
		e.Bytes = op.Request.bytes()
	case trace.Irecv:
		posted(&e, op.Request, s)
		e.Request = op.Request.ID
	case trace.Wait:
		completed(&e, op.Requests[op.Index])
	case trace.Test:
		e.Request = op.Request.ID
		if op.Done {
			completed(&e, op.Request)
			e.Count = 1
		}
	case trace.Probe, trace.Iprobe:
		posted(&e, op.Request, s)
		if op.Message != nil {
			e.Bytes, e.Count = int64(op.Message.Bytes()), 1
		}
	case trace.WaitFlag:
		e.Peer, e.Tag = op.Object, int32(op.Count)
	case trace.Barrier, trace.Lock, trace.Unlock, trace.Signal:
		e.Peer = op.Object
	}
	return e
}

func sent(e *trace.Event, m *Message, s *space) {
	e.Peer, e.Tag, e.Group = m.To, m.Tag, m.Group
	lay(e, &m.buffer, s)
}

func posted(e *trace.Event, q *Request, s *space) {
	e.Peer, e.Tag, e.Group = q.Source, q.Tag, q.Group
	if q.into.base != nil {
		lay(e, &q.into, s)
	}
}

// completed names the request, and of a receive what came.
func completed(e *trace.Event, q *Request) {
	e.Request, e.Group = q.ID, q.Group
	if q.Kind == trace.Irecv {
		e.Peer, e.Tag, e.Bytes = q.from, int32(q.status.Tag), q.bytes()
	}
}

// lay gives e the length and the layout of a buffer.
func lay(e *trace.Event, b *buffer, s *space) {
	size := int64(b.size)
	e.Bytes = int64(b.bytes())
	e.Count, e.Block, e.Stride = int64(b.layout.Count), int64(b.layout.Block)*size, int64(b.layout.Stride)*size
	if addr, ok := s.virtual(b.base); ok {
		e.Addr = int64(addr)
	}
}

// bytes is how much came.
func (q *Request) bytes() int64 { return int64(q.status.Count * q.into.size) }
