package mpicalls

import (
	"spoor/traces/trace"
)

var messageKinds = [...]trace.Kind{sendRecord: trace.Send, isendRecord: trace.Isend, recvRecord: trace.Recv, irecvRecord: trace.Irecv,
	probeRecord: trace.Probe, iprobeRecord: trace.Iprobe}

// collectiveKinds are the kinds of collectives, as in mpi_collectives.h.
var collectiveKinds = [...]trace.Kind{1: trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather,
	trace.Scatter, trace.AllToAll}

// message emits a message or a probe.
func (r *rank) message(c *record) error {
	e := r.event(messageKinds[c.kind])
	e.Group, e.Peer, e.Tag, e.Bytes = r.comm(c).number, r.partner(c.peer), r.tag(c.tag), c.bytes
	if r.j.recorded != nil && r.j.recorded.Apart && c.addr != 0 {
		c.addr |= uint64(r.of.rank) << 56
	}
	e.Addr, e.Count, e.Block, e.Stride = int64(c.addr), c.count, c.block, c.stride
	if c.addr != 0 && c.count == 0 {
		r.j.notes.irregular++
	}
	if c.kind == sendRecord || c.kind == isendRecord {
		r.known(&e)
	}
	if c.request == 0 {
		return r.emit(e)
	}
	if r.of.cancelled[c.request] {
		r.j.notes.cancelled++
		return r.err
	}
	q := open{number: r.numbers.Take(), ticket: -1}
	e.Request = q.number
	var err error
	if e.Kind == trace.Irecv && (e.Peer < 0 || e.Tag < 0) {
		q.ticket, err = r.hold(e)
	} else {
		err = r.emit(e)
	}
	r.open[c.request] = q
	return err
}

// hold emits a receive whose sender comes later.
func (r *rank) hold(e trace.Event) (int64, error) {
	if r.err != nil {
		return -1, r.err
	}
	r.j.counts[e.Kind.String()]++
	if r.place != nil {
		r.place.put(&e)
	}
	return r.Hold(e, r.pos())
}

// ends emits the end of a request.
func (r *rank) ends(c *record) error {
	q, ok := r.open[c.request]
	if !ok {
		return r.err // cancelled, or of a rank alone
	}
	delete(r.open, c.request)
	r.numbers.Give(q.number)
	if q.ticket >= 0 {
		if _, err := r.Resolve(q.ticket, func(e *trace.Event) bool {
			if c.status == 1 {
				e.Peer, e.Tag, e.Bytes = r.partner(c.peer), r.tag(c.tag), c.bytes
			}
			return true
		}); err != nil {
			return err
		}
	}
	e := r.event(trace.Wait)
	if c.kind == testRecord {
		e.Kind, e.Count = trace.Test, 1
	}
	e.Request = q.number
	return r.emit(e)
}

// collective emits a collective, unless the rank is alone in it.
func (r *rank) collective(c *record) error {
	g := r.comm(c)
	if c.collective == 0 || c.collective >= uint64(len(collectiveKinds)) {
		r.fail("collective of kind %d; the file is damaged", c.collective)
		return r.err
	}
	if g.alone {
		r.j.notes.alone++
		return r.err
	}
	e := r.event(collectiveKinds[c.collective])
	e.Group, e.Peer, e.Bytes = g.number, r.partner(c.peer), c.bytes
	switch e.Kind {
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
		r.known(&e)
	}
	if c.request != 0 {
		q := open{number: r.numbers.Take(), ticket: -1}
		e.Request = q.number
		r.open[c.request] = q
	}
	return r.emit(e)
}
