package dumpi

import (
	"fmt"

	"spoor/traces/trace"
)

// toNull reports whether the message goes to MPI_PROC_NULL, a negative number that
// depends on the MPI library.
func (r *dumpiRank) toNull(c *dumpiCall) bool {
	if c.int("dest") < 0 {
		r.d.notes.null++
		return true
	}
	return false
}

// source returns the sender of a message. If the call leaves it open, the status gives
// it.
func (r *dumpiRank) source(c *dumpiCall, comm *dumpiComm, s *dumpiStatus) (peer int32, null bool) {
	local := c.int("source")
	if local == -1 && s != nil && s.source >= 0 {
		return r.peer(c, "status", s.source, comm), false
	}
	if local < -1 || local == -1 && (s != nil || r.d.null) {
		r.d.notes.null++
		return 0, true
	}
	if local < 0 {
		return trace.None, false
	}
	return r.peer(c, "source", local, comm), false
}

// received returns the size of a message, from its status or else from the buffer.
func (r *dumpiRank) received(c *dumpiCall, count, datatype string, s *dumpiStatus) (n int64, known bool) {
	if s != nil && s.bytes >= 0 {
		return s.bytes, true
	}
	return r.bytes(c, count, datatype)
}

// leftOpen counts a receive from any rank, and one of unknown size, which is stored as
// 0.
func (r *dumpiRank) leftOpen(peer int32, known bool) {
	if peer < 0 {
		r.d.notes.open++
	}
	if !known {
		r.d.notes.sizeless++
	}
}

// outgoing returns the event of a sent message; null reports whether it goes to
// MPI_PROC_NULL.
func (r *dumpiRank) outgoing(k trace.Kind, c *dumpiCall) (e trace.Event, null bool) {
	e = r.event(k, c)
	comm := r.comm(c, "comm")
	e.Group = comm.group
	if r.toNull(c) {
		return e, true
	}
	e.Bytes = r.mustBytes(c, "count", "datatype")
	e.Peer = r.peer(c, "dest", c.int("dest"), comm)
	e.Tag = max(r.tag(c, "tag"), 0)
	return e, false
}

// incoming returns the event of a received message. s is nil if its status is unknown.
func (r *dumpiRank) incoming(k trace.Kind, c *dumpiCall, s *dumpiStatus) (e trace.Event, comm *dumpiComm, null, known bool) {
	e = r.event(k, c)
	comm = r.comm(c, "comm")
	e.Group = comm.group
	if e.Peer, null = r.source(c, comm, s); null {
		return e, comm, true, true
	}
	if e.Tag = r.tag(c, "tag"); e.Tag < 0 && s != nil {
		e.Tag = int32(max(s.tag, -1))
	}
	e.Bytes, known = r.received(c, "count", "datatype", s)
	return e, comm, false, known
}

func (r *dumpiRank) send(c *dumpiCall) error {
	e, null := r.outgoing(trace.Send, c)
	if null || c.err != nil {
		return c.err
	}
	r.d.sent += uint64(e.Bytes)
	return r.emitCall(e, c)
}

func (r *dumpiRank) recv(c *dumpiCall) error {
	e, _, null, known := r.incoming(trace.Recv, c, r.statusOf(c))
	if null {
		return c.err
	}
	r.leftOpen(e.Peer, known)
	return r.emitCall(e, c)
}

func (r *dumpiRank) isend(c *dumpiCall) error {
	e, null := r.outgoing(trace.Isend, c)
	if c.err != nil {
		return c.err
	}
	return r.launch(c, c.int("request"), &dumpiTemplate{event: e, noEvent: null, bytes: true})
}

func (r *dumpiRank) irecv(c *dumpiCall) error {
	e, comm, null, known := r.incoming(trace.Irecv, c, nil)
	if c.err != nil {
		return c.err
	}
	return r.launch(c, c.int("request"), &dumpiTemplate{event: e, comm: comm, noEvent: null, bytes: known})
}

// launch starts an operation. If a receive leaves the source or size open, its event
// waits for the status.
func (r *dumpiRank) launch(c *dumpiCall, id int64, t *dumpiTemplate) error {
	if c.err != nil {
		return c.err
	}
	q := dumpiRequest{number: -1, ticket: -1, comm: t.comm, noEvent: t.noEvent, bytes: t.bytes}
	if !t.noEvent {
		e := t.event
		e.Time = (c.enter - r.start) * 1000
		q.number = r.numbers.Take()
		e.Request = q.number
		var err error
		if e.Kind == trace.Irecv && (e.Peer < 0 || e.Tag < 0 || !t.bytes) {
			q.ticket, err = r.Hold(e, r.place(c))
		} else {
			err = r.Emit(e, r.place(c))
		}
		if err != nil {
			return err
		}
		if e.Kind == trace.Isend {
			r.d.sent += uint64(e.Bytes)
		}
	}
	r.requests[id] = append(r.requests[id], q)
	return nil
}

// initSend and initRecv make persistent requests, which later start operations.
func (r *dumpiRank) initSend(c *dumpiCall) error {
	e, null := r.outgoing(trace.Isend, c)
	r.templates[c.int("request")] = &dumpiTemplate{event: e, noEvent: null, bytes: true}
	return c.err
}

func (r *dumpiRank) initRecv(c *dumpiCall) error {
	e, comm, null, known := r.incoming(trace.Irecv, c, nil)
	r.templates[c.int("request")] = &dumpiTemplate{event: e, comm: comm, noEvent: null, bytes: known}
	return c.err
}

func (r *dumpiRank) startOne(c *dumpiCall) error {
	return r.startRequest(c, "request", c.int("request"))
}

func (r *dumpiRank) startAll(c *dumpiCall) error {
	r.ints[0] = c.ints("requests", r.ints[0])
	for _, id := range r.ints[0] {
		if err := r.startRequest(c, "requests", id); err != nil {
			return err
		}
	}
	return c.err
}

func (r *dumpiRank) startRequest(c *dumpiCall, name string, id int64) error {
	t := r.templates[id]
	if t == nil {
		c.bad(c.must(name), fmt.Sprintf("request %d is not persistent", id), "")
		return c.err
	}
	return r.launch(c, id, t)
}

// sendrecv emits a non-blocking send, a receive, and a wait for the send.
func (r *dumpiRank) sendrecv(c *dumpiCall) error {
	return r.exchange(c, "sendcount", "sendtype", "recvcount", "recvtype")
}

func (r *dumpiRank) sendrecvReplace(c *dumpiCall) error {
	return r.exchange(c, "count", "datatype", "count", "datatype")
}

func (r *dumpiRank) exchange(c *dumpiCall, sendcount, sendtype, recvcount, recvtype string) error {
	comm, s := r.comm(c, "comm"), r.statusOf(c)
	out, in := r.event(trace.Isend, c), r.event(trace.Recv, c)
	out.Group, in.Group = comm.group, comm.group
	toNull := r.toNull(c)
	var fromNull, known bool
	in.Peer, fromNull = r.source(c, comm, s)
	out.Tag = max(r.tag(c, "sendtag"), 0)
	if in.Tag = r.tag(c, "recvtag"); in.Tag < 0 && s != nil {
		in.Tag = int32(max(s.tag, -1))
	}
	r.d.notes.exchanges++
	if !toNull {
		out.Bytes = r.mustBytes(c, sendcount, sendtype)
		out.Peer = r.peer(c, "dest", c.int("dest"), comm)
		out.Request = r.numbers.Take()
		if err := r.emitCall(out, c); err != nil {
			return err
		}
		r.d.sent += uint64(out.Bytes)
	}
	if !fromNull {
		in.Bytes, known = r.received(c, recvcount, recvtype, s)
		r.leftOpen(in.Peer, known)
		if err := r.emitCall(in, c); err != nil {
			return err
		}
	}
	if toNull {
		return c.err
	}
	r.numbers.Give(out.Request)
	wait := r.event(trace.Wait, c)
	wait.Request = out.Request
	return r.emitCall(wait, c)
}

func (r *dumpiRank) probe(c *dumpiCall) error { return r.probed(trace.Probe, c) }

func (r *dumpiRank) iprobe(c *dumpiCall) error {
	if c.int("flag") == 0 {
		r.d.notes.tests++
		return c.err
	}
	return r.probed(trace.Iprobe, c)
}

func (r *dumpiRank) probed(k trace.Kind, c *dumpiCall) error {
	comm, s := r.comm(c, "comm"), r.statusOf(c)
	e := r.event(k, c)
	e.Group = comm.group
	var null bool
	if e.Peer, null = r.source(c, comm, s); null {
		return c.err
	}
	if e.Tag = r.tag(c, "tag"); s != nil {
		e.Tag, e.Bytes = int32(max(s.tag, -1)), max(s.bytes, 0)
	}
	return r.emitCall(e, c)
}
