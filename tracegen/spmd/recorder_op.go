package spmd

import (
	"spoor/tracegen/spmd/internal/space"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// guarded says that backends may call instrumented code, which must not record their work as that of a rank.
var guarded bool

// GuardBackends makes recordings ignore instrumented code that a backend calls. It is for programs whose standard
// library is instrumented, and whose backend uses it.
func GuardBackends() { guarded = true }

// recordingBackend records the operations of another backend.
type recordingBackend struct{ Backend }

// Do implements Backend.
func (b recordingBackend) Do(r *Rank, op *Op) {
	if guarded {
		r.rec.switchTo(nil)
		defer r.rec.switchTo(r.rec.tape)
	}
	r.rec.sync() // while this rank waits, other ranks may reuse memory that words of its tape refer to
	early := r.rec.early && op.isKnown()
	switch {
	case early:
		r.rec.addEvent(op.Event(r))
		r.rec.flushEarly()
	case r.rec.early:
		r.rec.compute() // so that a backend knows the instructions before a message operation
	}
	b.Backend.Do(r, op)
	if !early && !r.rec.inCollective {
		r.rec.addEvent(op.Event(r))
	}
}

// switchTo makes t the tape of the running rank.
func (rec *recorder) switchTo(t *tape.Tape) {
	if rec.slot != nil {
		rec.slot.Switch(t)
		return
	}
	tape.Switch(t)
}

// isKnown reports whether the event of an operation is known before it is carried out.
func (op *Op) isKnown() bool {
	return op.Kind == trace.Clock || op.Kind.Synchronizes()
}

// addEvent records e after all earlier references and events.
func (rec *recorder) addEvent(e trace.Event) {
	rec.sync()
	rec.splitGap(rec.instr)
	rec.append(e, uint32(rec.instr-rec.atEvent))
}

// Event returns the event of op for r, as far as op has been carried out. It is for backends.
func (op *Op) Event(r *Rank) trace.Event {
	e := op.event(r.space)
	if op.Kind == trace.WaitFlag || op.Kind == trace.Lock {
		e.Addr = r.wordOf(op.Kind, op.Object)
	}
	return e
}

// event returns the event of an operation that was carried out. The package comment explains its columns.
func (op *Op) event(s *space.Space) trace.Event {
	e := trace.NewEvent(op.Kind)
	switch op.Kind {
	case trace.Send:
		setSend(&e, op.Message, s)
	case trace.Isend:
		setSend(&e, op.Message, s)
		e.Request = op.Request.ID
	case trace.Recv:
		setReceive(&e, op.Request, s)
		e.Bytes = op.Request.bytes()
	case trace.Irecv:
		setReceive(&e, op.Request, s)
		e.Request = op.Request.ID
	case trace.Wait:
		setCompleted(&e, op.Requests[op.Index])
	case trace.Test:
		e.Request = op.Request.ID
		if op.Done {
			setCompleted(&e, op.Request)
			e.Count = 1
		}
	case trace.Probe, trace.Iprobe:
		setReceive(&e, op.Request, s)
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

func setSend(e *trace.Event, m *Message, s *space.Space) {
	e.Peer, e.Tag, e.Group = m.To, m.Tag, m.Group
	setLayout(e, &m.buffer, s)
}

func setReceive(e *trace.Event, q *Request, s *space.Space) {
	e.Peer, e.Tag, e.Group = q.Source, q.Tag, q.Group
	if q.into.base != nil {
		setLayout(e, &q.into, s)
	}
}

// setCompleted sets the request, and for a receive the message that arrived.
func setCompleted(e *trace.Event, q *Request) {
	e.Request, e.Group = q.ID, q.Group
	if q.Kind == trace.Irecv {
		e.Peer, e.Tag, e.Bytes = q.from, int32(q.status.Tag), q.bytes()
	}
}

// setLayout sets the length and the layout of a buffer.
func setLayout(e *trace.Event, b *buffer, s *space.Space) {
	size := int64(b.size)
	e.Bytes = int64(b.bytes())
	e.Count, e.Block, e.Stride = int64(b.layout.Count), int64(b.layout.Block)*size, int64(b.layout.Stride)*size
	if addr, ok := s.Virtual(b.base); ok {
		e.Addr = int64(addr)
	}
}

// bytes returns the number of bytes that arrived.
func (q *Request) bytes() int64 { return int64(q.status.Count * q.into.size) }

// enter records a collective as one event, if wholeCollectives is set. Its messages are then not recorded until
// leave.
func (rec *recorder) enter(kind trace.Kind, c *Comm, root int, b buffer) {
	if !rec.wholeCollectives {
		return
	}
	e := trace.NewEvent(kind)
	e.Group = c.context
	if root != nobody {
		e.Peer = c.global(root, kind.String()+" with root")
	}
	setLayout(&e, &b, rec.space)
	rec.addEvent(e)
	rec.inCollective = true
}

func (rec *recorder) leave() { rec.inCollective = false }
