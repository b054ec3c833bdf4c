package spmd

import (
	"fmt"

	"spoor/traces/trace"
)

// Any, as the source or tag of a receive, accepts every source or tag.
const Any = -1

// Party is a set of ranks that exchange messages: a *Rank means all ranks, a *Comm the members of a communicator.
type Party interface{ comm() *Comm }

// Status describes a message that was received or found by a probe.
type Status struct {
	Source int // number of the sender in the communicator
	Tag    int
	Count  int // elements
}

// Send sends a copy of data to member to of the party. It never blocks.
func Send[T any](p Party, to, tag int, data []T) {
	c := p.comm()
	setBuffer(&c.rank.message.buffer, c.rank, data)
	c.send(trace.Send, to, tag, nil)
}

// SendVector sends the elements of data that v selects.
func SendVector[T any](p Party, to, tag int, data []T, v Vector) {
	c := p.comm()
	setVector(&c.rank.message.buffer, c.rank, data, v)
	c.send(trace.Send, to, tag, nil)
}

// Isend starts a Send. It sends data as it is now.
func Isend[T any](p Party, to, tag int, data []T) *Request {
	c := p.comm()
	setBuffer(&c.rank.message.buffer, c.rank, data)
	return c.isend(to, tag)
}

// IsendVector starts a SendVector.
func IsendVector[T any](p Party, to, tag int, data []T, v Vector) *Request {
	c := p.comm()
	setVector(&c.rank.message.buffer, c.rank, data, v)
	return c.isend(to, tag)
}

// Recv waits for a message from member from with the given tag; either may be Any. It copies the message to the
// beginning of into.
func Recv[T any](p Party, from, tag int, into []T) Status {
	c := p.comm()
	setBuffer(&c.rank.receive.into, c.rank, into)
	return c.recv(from, tag)
}

// RecvVector receives into the elements of into that v selects, in their order.
func RecvVector[T any](p Party, from, tag int, into []T, v Vector) Status {
	c := p.comm()
	setVector(&c.rank.receive.into, c.rank, into, v)
	return c.recv(from, tag)
}

// Irecv starts a Recv. The program must not use into before the request has completed.
func Irecv[T any](p Party, from, tag int, into []T) *Request {
	c, q := p.comm(), new(Request)
	setBuffer(&q.into, c.rank, into)
	return c.irecv(q, from, tag)
}

// IrecvVector starts a RecvVector.
func IrecvVector[T any](p Party, from, tag int, into []T, v Vector) *Request {
	c, q := p.comm(), new(Request)
	setVector(&q.into, c.rank, into, v)
	return c.irecv(q, from, tag)
}

// Sendrecv sends and receives at the same time. Out and in may be the same memory, because out is sent first.
func Sendrecv[T any](p Party, to, sendTag int, out []T, from, recvTag int, in []T) Status {
	q := Isend(p, to, sendTag, out)
	s := Recv(p, from, recvTag, in)
	q.Wait()
	return s
}

// Probe waits until a Recv with the same arguments would not block. It describes the message that the Recv would
// take.
func Probe(p Party, from, tag int) Status {
	return p.comm().probe(trace.Probe, from, tag).status()
}

// Iprobe describes the message that a Recv with the same arguments would take now, and reports whether there is
// one.
func Iprobe(p Party, from, tag int) (Status, bool) {
	m := p.comm().probe(trace.Iprobe, from, tag)
	if m == nil {
		return Status{}, false
	}
	return m.status(), true
}

func (m *Message) status() Status {
	return Status{int(m.source), int(m.Tag), m.buffer.elements()}
}

// send sends the rank's current message.
func (c *Comm) send(kind trace.Kind, to, tag int, q *Request) {
	checkTag(tag, 0)
	r := c.rank
	m := &r.message
	m.From, m.To, m.Tag, m.Group, m.source = int32(r.id), c.global(to, "send to"), int32(tag), c.context, int32(c.index)
	r.op.Kind, r.op.Message, r.op.Request = kind, m, q
	r.backend.Do(r, &r.op)
}

func (c *Comm) isend(to, tag int) *Request {
	q := &Request{Kind: trace.Isend, Group: c.context, done: true, status: Status{c.index, tag, c.rank.message.buffer.elements()}}
	c.send(trace.Isend, to, tag, c.rank.startRequest(q))
	return q
}

// selects prepares q, which may be reused, to select messages.
func (c *Comm) selects(q *Request, kind trace.Kind, from, tag int) *Request {
	checkTag(tag, Any)
	q.Source = Any
	if from != Any {
		q.Source = c.global(from, "receive from")
	}
	q.Tag, q.Group, q.ID, q.Kind = int32(tag), c.context, trace.None, kind
	q.rank, q.done, q.at, q.Mark = c.rank, false, 0, 0
	q.arrived.Store(false)
	return q
}

// recv receives into the rank's current receive buffer.
func (c *Comm) recv(from, tag int) Status {
	r := c.rank
	q := c.selects(&r.receive, trace.Recv, from, tag)
	r.op.Kind, r.op.Request = trace.Recv, q
	r.backend.Do(r, &r.op)
	q.check()
	return q.status
}

func (c *Comm) irecv(q *Request, from, tag int) *Request {
	r := c.rank
	c.selects(q, trace.Irecv, from, tag)
	r.op.Kind, r.op.Request = trace.Irecv, r.startRequest(q)
	r.backend.Do(r, &r.op)
	return q
}

func (c *Comm) probe(kind trace.Kind, from, tag int) *Message {
	q := c.selects(&c.rank.receive, kind, from, tag)
	q.into = buffer{}
	c.rank.do(Op{Kind: kind, Request: q})
	return c.rank.op.Message
}

const maxTag = 1<<31 - 1

func checkTag(tag, lowest int) {
	if tag < lowest || tag > maxTag {
		panic(fmt.Sprintf("tag %d is out of range; %d to %d", tag, lowest, maxTag))
	}
}
