package otf2

import (
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// otf2Share says which part of a collective's bytes Spoor counts. Score-P records the
// sum over all partners of a rank.
type otf2Share uint8

const (
	otf2Nothing  otf2Share = 1 + iota
	otf2Total              // all bytes that the rank sends
	otf2Sent               // its block or vector, as sent to one rank; the root may send none, in place
	otf2Received           // its block or vector, as received; the root may receive none
	otf2Each               // its block or vector, sent to each rank
	otf2Prefix             // its vector of a scan: sent to all ranks from its own on, received from all up to it
	otf2Before             // the same without the rank itself
)

// otf2Operation is the event that a collective becomes.
type otf2Operation struct {
	kind  trace.Kind // 0 if it is omitted
	share otf2Share
	note  string // note on the substitution, or ""
}

var otf2Operations = map[string]otf2Operation{
	"BARRIER":              {trace.Barrier, otf2Nothing, ""},
	"BCAST":                {trace.Bcast, otf2Received, ""},
	"GATHER":               {trace.Gather, otf2Sent, ""},
	"GATHERV":              {trace.Gather, otf2Sent, ""},
	"SCATTER":              {trace.Scatter, otf2Received, ""},
	"SCATTERV":             {trace.Scatter, otf2Received, ""},
	"ALLGATHER":            {trace.AllGather, otf2Each, ""},
	"ALLGATHERV":           {trace.AllGather, otf2Each, ""},
	"ALLTOALL":             {trace.AllToAll, otf2Total, ""},
	"ALLTOALLV":            {trace.AllToAll, otf2Total, ""},
	"ALLTOALLW":            {trace.AllToAll, otf2Total, ""},
	"ALLREDUCE":            {trace.AllReduce, otf2Each, ""},
	"REDUCE":               {trace.Reduce, otf2Sent, ""},
	"SCAN":                 {trace.Scan, otf2Prefix, ""},
	"EXSCAN":               {trace.Scan, otf2Before, "EXSCAN imported as SCAN"},
	"REDUCE_SCATTER":       {trace.Reduce, otf2Total, "REDUCE_SCATTER imported as a reduction to rank 0 and a scatter"},
	"REDUCE_SCATTER_BLOCK": {trace.Reduce, otf2Total, "REDUCE_SCATTER imported as a reduction to rank 0 and a scatter"},
	"CREATE_HANDLE":        {}, "DESTROY_HANDLE": {}, "ALLOCATE": {}, "DEALLOCATE": {},
	"CREATE_HANDLE_AND_ALLOCATE": {}, "DESTROY_HANDLE_AND_DEALLOCATE": {},
}

// otf2Call holds the attributes of a completed collective.
type otf2Call struct {
	op             otf2Operation
	comm           *otf2Comm
	root           []byte
	sent, received int64
	started        bool // by a request
	request        uint64
}

// call reads the attributes of the end of a collective.
func (p *otf2Parser) call(e *otf2Line) (c otf2Call, err error) {
	a := otf2Attrs{rest: e.attrs}
	if c.started = e.kind.name != "MPI_COLLECTIVE_END"; c.started {
		c.request = a.number("Request: ")
	}
	received, sent := a.number("Received: "), a.number("Sent: ")
	c.root = a.last("Root: ")
	comm := a.last("Communicator: ")
	name := a.last("Operation: ")
	if err := p.incomplete(&a, e.kind.name, e.line); err != nil {
		return c, err
	}
	var ok bool
	if c.op, ok = otf2Operations[string(name)]; !ok {
		return c, p.fail(e.line, "unknown collective operation "+input.Quote(name), "")
	}
	if sent > math.MaxInt64 || received > math.MaxInt64 {
		return c, p.fail(e.line, "the collective has over 2^63-1 bytes", "")
	}
	c.sent, c.received = int64(sent), int64(received)
	c.comm, err = p.comm(comm, e)
	return c, err
}

// collective handles the end of a collective operation.
func (p *otf2Parser) collective(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	c, err := p.call(e)
	if err != nil {
		return err
	}
	if c.op.kind == 0 || c.comm.self || c.comm.between {
		p.notices.dropped++
		if c.started {
			return p.abandon(r, c.request, e)
		}
		return nil
	}
	ev := trace.NewEvent(c.op.kind)
	ev.Group = c.comm.group
	if ev.Peer, err = p.root(c.root, c.op, c.comm, e); err != nil {
		return err
	}
	if ev.Time, err = p.callTime(e); err != nil {
		return err
	}
	ev.Bytes = c.op.share.of(c.sent, c.received, int64(c.comm.size))
	if c.comm.size == 0 && c.op.share != otf2Nothing {
		p.notices.sizeless++
	}
	if c.started && (c.op.note == "" || c.op.kind == trace.Scan) {
		return p.completeCollective(r, c.request, ev, c.op, e)
	}
	if c.started {
		if err := p.abandon(r, c.request, e); err != nil {
			return err
		}
		p.notices.later++
	}
	return p.emitCollective(r, ev, c.op, c.received, c.comm, e)
}

// completeCollective completes the collective that a request started.
func (p *otf2Parser) completeCollective(r *otf2Rank, id uint64, ev trace.Event, op otf2Operation, e *otf2Line) error {
	request, err := p.close(r, id, trace.Barrier, e)
	if err != nil {
		return err
	}
	if op.note != "" {
		p.notices.taken(op.note)
	}
	inTime, err := r.Resolve(request.ticket, func(posted *trace.Event) bool {
		ev.Time, ev.Request = posted.Time, request.number
		*posted = ev
		return true
	})
	if err != nil {
		return err
	}
	if inTime {
		return p.completed(r, request.number, e)
	}
	p.notices.late++
	r.numbers.Give(request.number)
	return r.Emit(ev, p.here())
}

// abandon drops the collective that a request started.
func (p *otf2Parser) abandon(r *otf2Rank, id uint64, e *otf2Line) error {
	request, err := p.close(r, id, trace.Barrier, e)
	if err != nil {
		return err
	}
	r.numbers.Give(request.number)
	_, err = r.Resolve(request.ticket, func(*trace.Event) bool { return false })
	return err
}

// of returns the counted part of the bytes that a rank among n sent and received. If n
// is 0, it returns the recorded bytes.
func (s otf2Share) of(sent, received, n int64) int64 {
	switch s {
	case otf2Nothing:
		return 0
	case otf2Sent:
		if sent == 0 && n > 1 {
			return received / (n - 1)
		}
	case otf2Received:
		if received == 0 && n > 1 {
			return sent / (n - 1)
		}
		return received
	case otf2Each:
		return divideEvenly(sent, n, n-1) // n-1 in place
	case otf2Prefix:
		if n > 0 && sent <= math.MaxInt64-received {
			return divideEvenly(sent+received, n+1, n-1)
		}
	case otf2Before:
		if n > 0 && sent <= math.MaxInt64-received {
			return divideEvenly(sent+received, n-1, n-1)
		}
	}
	return sent
}

// divideEvenly returns v divided by the first divisor without remainder, or v.
func divideEvenly(v, first, second int64) int64 {
	for _, by := range [...]int64{first, second} {
		if by > 0 && v%by == 0 {
			return v / by
		}
	}
	return v
}

// emitCollective emits a collective, or its substitute.
func (p *otf2Parser) emitCollective(r *otf2Rank, ev trace.Event, op otf2Operation, received int64, c *otf2Comm, e *otf2Line) error {
	if op.note == "" {
		return r.Emit(ev, p.here())
	}
	p.notices.taken(op.note)
	if op.kind == trace.Scan {
		return r.Emit(ev, p.here())
	}
	if ev.Peer = c.first; ev.Peer < 0 {
		return p.fail(e.line, "the text does not give the first rank of the communicator", "print the archive with otf2-print -A")
	}
	if err := r.Emit(ev, p.here()); err != nil {
		return err
	}
	ev.Kind = trace.Scatter
	ev.Bytes = received / int64(max(1, c.size))
	return r.Emit(ev, p.here())
}

// root returns the world rank of the root of a collective, or none.
func (p *otf2Parser) root(value []byte, op otf2Operation, c *otf2Comm, e *otf2Line) (int32, error) {
	switch string(value) {
	case "NONE":
		if op.note == "" && (op.kind == trace.Bcast || op.kind == trace.Reduce || op.kind == trace.Gather || op.kind == trace.Scatter) {
			return 0, p.fail(e.line, "a "+op.kind.String()+" without a root", "")
		}
		return trace.None, nil
	case "SELF":
		return int32(e.place.rank.Batch.Proc), nil
	case "THIS_GROUP":
		return 0, p.fail(e.line, "the root is a group", "collectives between two groups cannot be imported")
	}
	return p.peer(value, c, e)
}
