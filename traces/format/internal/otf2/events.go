package otf2

import (
	"bytes"
	"fmt"
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// otf2Handlers maps the events that concern messages to their handlers. Other events
// are counted and omitted.
var otf2Handlers map[string]func(p *otf2Parser, e *otf2Line) error

func init() {
	otf2Handlers = map[string]func(p *otf2Parser, e *otf2Line) error{
		"ENTER":                            (*otf2Parser).enter,
		"LEAVE":                            (*otf2Parser).leave,
		"MPI_SEND":                         (*otf2Parser).send,
		"MPI_ISEND":                        (*otf2Parser).isend,
		"MPI_ISEND_COMPLETE":               (*otf2Parser).isendComplete,
		"MPI_IRECV_REQUEST":                (*otf2Parser).irecvRequest,
		"MPI_RECV":                         (*otf2Parser).recv,
		"MPI_IRECV":                        (*otf2Parser).irecv,
		"MPI_REQUEST_TEST":                 (*otf2Parser).nothing,
		"MPI_REQUEST_CANCELLED":            (*otf2Parser).cancelled,
		"MPI_COLLECTIVE_BEGIN":             (*otf2Parser).nothing,
		"MPI_COLLECTIVE_END":               (*otf2Parser).collective,
		"NON_BLOCKING_COLLECTIVE_REQUEST":  (*otf2Parser).collectiveRequest,
		"NON_BLOCKING_COLLECTIVE_COMPLETE": (*otf2Parser).collective,
		"PROGRAM_BEGIN":                    (*otf2Parser).nothing,
		"PROGRAM_END":                      (*otf2Parser).nothing,
	}
}

// nothing ignores an event without information of its own.
func (p *otf2Parser) nothing(*otf2Line) error { return nil }

// message reads the attributes of a message; peerKey is "Sender: " or "Receiver: ".
func (p *otf2Parser) message(e *otf2Line, peerKey string, request bool) (ev trace.Event, id uint64, err error) {
	a := otf2Attrs{rest: e.attrs}
	if request {
		id = a.number("Request: ")
	}
	bytes, tag := a.number("Length: "), a.number("Tag: ")
	comm := a.last("Communicator: ")
	peer := a.last(peerKey)
	ev = trace.NewEvent(trace.Send)
	if err := p.incomplete(&a, e.kind.name, e.line); err != nil {
		return ev, 0, err
	}
	if otf2NoPartner(peer) {
		p.notices.nobody++
		ev.Peer = trace.None
		return ev, id, nil
	}
	if bytes > math.MaxInt64 || tag > math.MaxInt32 {
		return ev, 0, p.fail(e.line, fmt.Sprintf("the message has %d bytes and tag %d", bytes, tag), "the limits are 2^63-1 bytes and tags of 31 bits")
	}
	ev.Bytes, ev.Tag = int64(bytes), int32(tag)
	c, err := p.comm(comm, e)
	if err != nil {
		return ev, 0, err
	}
	ev.Group = c.group
	if ev.Peer, err = p.peer(peer, c, e); err != nil {
		return ev, 0, err
	}
	ev.Time, err = p.callTime(e)
	return ev, id, err
}

// otf2NoPartner reports whether value is MPI_PROC_NULL, a negative number in 32 bits.
func otf2NoPartner(value []byte) bool {
	number, invalid := bytes.CutSuffix(value, []byte(" (INVALID)"))
	if !invalid {
		return false
	}
	n, problem := input.ParseDecimal(number)
	return problem == "" && n >= 1<<32-2 && n < 1<<32
}

// comm finds a communicator by `"name" <id>`. Without definitions, the name
// MPI_COMM_WORLD is the world, and others get a number when they first appear.
func (p *otf2Parser) comm(value []byte, e *otf2Line) (*otf2Comm, error) {
	id, ok := otf2Reference(value)
	if !ok {
		p.ragged = true
		return nil, p.fail(e.line, e.kind.name+" without a communicator", "print the archive again")
	}
	c := p.comms[id]
	if c == nil && p.complete {
		return nil, p.fail(e.line, fmt.Sprintf("communicator %d is not defined", id), "check that the archive is complete")
	}
	if c == nil {
		c = &otf2Comm{group: -1, first: 0}
		if string(otf2Name(value)) != "MPI_COMM_WORLD" {
			c.group, c.first = p.made, -1
			p.made++
		}
		p.comms[id] = c
	}
	return c, nil
}

// peer returns the world rank of `2 ("name" <id>)`, a rank of c at location id.
func (p *otf2Parser) peer(value []byte, c *otf2Comm, e *otf2Line) (int32, error) {
	id, ok := otf2Reference(value)
	if !ok {
		return 0, p.fail(e.line, e.kind.name+" does not give the location of its partner", "print the archive with otf2-print -A")
	}
	rank := int32(-1)
	if p.complete {
		rank = p.worldRank(id)
	} else if id <= otf2MaxRank {
		rank = int32(id)
	}
	if rank < 0 {
		return 0, p.fail(e.line, fmt.Sprintf("location %d is not an MPI rank", id), "print the archive with otf2-print -A")
	}
	number, _ := otf2Field(value)
	if local, problem := input.ParseDecimal(number); c.group < 0 && (problem != "" || local != uint64(rank)) {
		return 0, p.fail(e.line, fmt.Sprintf("rank %s of the world is at location %d, which is rank %d", input.Quote(number), id, rank), "print the archive with otf2-print -A")
	}
	return rank, nil
}

func (p *otf2Parser) send(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	ev, _, err := p.message(e, "Receiver: ", false)
	if err != nil || ev.Peer < 0 {
		return err
	}
	p.notices.sent += uint64(ev.Bytes)
	l := e.place
	if n := len(l.stack); n > 0 && l.stack[n-1].exchange {
		p.notices.exchanges++
		ev.Kind, ev.Request = trace.Isend, r.numbers.Take()
		l.sent = append(l.sent, ev.Request)
	}
	return r.Emit(ev, p.here())
}

// endExchange completes the sends of an MPI_Sendrecv, after it received.
func (p *otf2Parser) endExchange(e *otf2Line) error {
	l := e.place
	for _, number := range l.sent {
		if err := p.completed(l.rank, number, e); err != nil {
			return err
		}
	}
	l.sent = l.sent[:0]
	return nil
}

func (p *otf2Parser) recv(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	ev, _, err := p.message(e, "Sender: ", false)
	if err != nil || ev.Peer < 0 {
		return err
	}
	ev.Kind = trace.Recv
	return r.Emit(ev, p.here())
}

func (p *otf2Parser) isend(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	ev, id, err := p.message(e, "Receiver: ", true)
	if err != nil {
		return err
	}
	nobody := ev.Peer < 0
	ev.Kind = trace.Isend
	if ev.Request, err = p.open(r, id, otf2Request{kind: trace.Isend, nobody: nobody}, e); err != nil || nobody {
		return err
	}
	p.notices.sent += uint64(ev.Bytes)
	return r.Emit(ev, p.here())
}

// irecvRequest posts a receive, of which only the request is known.
func (p *otf2Parser) irecvRequest(e *otf2Line) error { return p.posted(trace.Irecv, e) }

// collectiveRequest starts a non-blocking collective. A barrier is the placeholder
// until it completes.
func (p *otf2Parser) collectiveRequest(e *otf2Line) error { return p.posted(trace.Barrier, e) }

// posted holds back an event that its completion will complete.
func (p *otf2Parser) posted(kind trace.Kind, e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	id, err := p.requestOf(e)
	if err != nil {
		return err
	}
	ev := trace.NewEvent(kind)
	if ev.Time, err = p.callTime(e); err != nil {
		return err
	}
	request := otf2Request{kind: kind}
	if ev.Request, err = p.open(r, id, request, e); err != nil {
		return err
	}
	request.number = ev.Request
	if request.ticket, err = r.Hold(ev, p.here()); err != nil {
		return err
	}
	r.requests[id] = request
	return nil
}

// irecv completes a receive.
func (p *otf2Parser) irecv(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	ev, id, err := p.message(e, "Sender: ", true)
	if err != nil {
		return err
	}
	request, err := p.close(r, id, trace.Irecv, e)
	if err != nil {
		return err
	}
	if ev.Peer < 0 {
		return p.drop(r, request)
	}
	inTime, err := r.Resolve(request.ticket, func(posted *trace.Event) bool {
		posted.Peer, posted.Tag, posted.Group, posted.Bytes = ev.Peer, ev.Tag, ev.Group, ev.Bytes
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
	ev.Kind = trace.Recv
	return r.Emit(ev, p.here())
}

func (p *otf2Parser) isendComplete(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	id, err := p.requestOf(e)
	if err != nil {
		return err
	}
	request, err := p.close(r, id, trace.Isend, e)
	if err != nil {
		return err
	}
	if request.nobody {
		return p.drop(r, request)
	}
	return p.completed(r, request.number, e)
}

// cancelled ends a request: a receive is dropped, a send stays.
func (p *otf2Parser) cancelled(e *otf2Line) error {
	r, err := p.rankOfEvent(e)
	if err != nil {
		return err
	}
	id, err := p.requestOf(e)
	if err != nil {
		return err
	}
	request, err := p.close(r, id, 0, e)
	if err != nil {
		return err
	}
	p.notices.cancelled++
	if request.kind == trace.Isend && !request.nobody {
		return p.completed(r, request.number, e)
	}
	return p.drop(r, request)
}
