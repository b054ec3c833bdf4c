package spmd

import (
	"fmt"

	"spoor/traces/trace"
)

// Any is the source or the tag of a receive that takes messages of every one.
const Any = -1

// Party is whom ranks send messages to: a *Rank stands for all ranks, a *Comm for
// the members of a communicator.
type Party interface{ comm() *Comm }

// Status describes a message that was received or found.
type Status struct {
	Source int // number of the sender in the communicator
	Tag    int
	Count  int // elements
}

// Send sends a copy of data to member to of the party. It never blocks.
func Send[T any](p Party, to, tag int, data []T) {
	c := p.comm()
	c.send(trace.Send, to, tag, contiguous(c.rank, data), nil)
}

// SendVector sends the elements of data that v selects.
func SendVector[T any](p Party, to, tag int, data []T, v Vector) {
	c := p.comm()
	c.send(trace.Send, to, tag, strided(c.rank, data, v), nil)
}

// Isend starts a Send. What is sent is data as it is now.
func Isend[T any](p Party, to, tag int, data []T) *Request {
	c := p.comm()
	return c.isend(to, tag, contiguous(c.rank, data))
}

// IsendVector starts a SendVector.
func IsendVector[T any](p Party, to, tag int, data []T, v Vector) *Request {
	c := p.comm()
	return c.isend(to, tag, strided(c.rank, data, v))
}

// Recv waits for a message of member from with that tag (either may be Any) and
// copies it to the beginning of into.
func Recv[T any](p Party, from, tag int, into []T) Status {
	c := p.comm()
	return c.recv(from, tag, contiguous(c.rank, into))
}

// RecvVector receives into the elements of into that v selects, in their order.
func RecvVector[T any](p Party, from, tag int, into []T, v Vector) Status {
	c := p.comm()
	return c.recv(from, tag, strided(c.rank, into, v))
}

// Irecv starts a Recv; into must not be touched before the request has completed.
func Irecv[T any](p Party, from, tag int, into []T) *Request {
	c := p.comm()
	return c.irecv(from, tag, contiguous(c.rank, into))
}

// IrecvVector starts a RecvVector.
func IrecvVector[T any](p Party, from, tag int, into []T, v Vector) *Request {
	c := p.comm()
	return c.irecv(from, tag, strided(c.rank, into, v))
}

// Sendrecv sends and receives at the same time, out before in: they may be the
// same memory.
func Sendrecv[T any](p Party, to, sendTag int, out []T, from, recvTag int, in []T) Status {
	q := Isend(p, to, sendTag, out)
	s := Recv(p, from, recvTag, in)
	q.Wait()
	return s
}

// Probe waits until a Recv with these arguments would not block, and describes the
// message that it would get.
func Probe(p Party, from, tag int) Status {
	return p.comm().probe(trace.Probe, from, tag).status()
}

// Iprobe describes the message that a Recv with these arguments would get now, if
// there is one.
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

func (c *Comm) send(kind trace.Kind, to, tag int, b buffer, q *Request) {
	checkTag(tag, 0)
	r := c.rank
	r.message = Message{From: int32(r.id), To: c.global(to, "send to"), Tag: int32(tag), Group: c.context,
		source: int32(c.index), buffer: b}
	r.do(Op{Kind: kind, Message: &r.message, Request: q})
}

func (c *Comm) isend(to, tag int, b buffer) *Request {
	q := &Request{Kind: trace.Isend, done: true, status: Status{c.index, tag, b.elements()}}
	c.send(trace.Isend, to, tag, b, c.rank.start(q))
	return q
}

// selector is a request that looks for messages.
func (c *Comm) selector(kind trace.Kind, from, tag int) Request {
	checkTag(tag, Any)
	source := int32(Any)
	if from != Any {
		source = c.global(from, kind.String()+" from")
	}
	return Request{Kind: kind, Source: source, Tag: int32(tag), Group: c.context, ID: trace.None, rank: c.rank}
}

func (c *Comm) recv(from, tag int, b buffer) Status {
	r := c.rank
	q := &r.receive
	*q = c.selector(trace.Recv, from, tag)
	q.into = b
	r.do(Op{Kind: trace.Recv, Request: q})
	q.check()
	return q.status
}

func (c *Comm) irecv(from, tag int, b buffer) *Request {
	q := new(Request)
	*q = c.selector(trace.Irecv, from, tag)
	q.into = b
	r := c.rank
	r.do(Op{Kind: trace.Irecv, Request: r.start(q)})
	return q
}

func (c *Comm) probe(kind trace.Kind, from, tag int) *Message {
	r := c.rank
	r.receive = c.selector(kind, from, tag)
	r.do(Op{Kind: kind, Request: &r.receive})
	return r.op.Message
}

const maxTag = 1<<31 - 1

func checkTag(tag, lowest int) {
	if tag < lowest || tag > maxTag {
		panic(fmt.Sprintf("tag %d is out of range; %d to %d", tag, lowest, maxTag))
	}
}
