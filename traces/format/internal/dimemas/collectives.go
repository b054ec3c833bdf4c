package dimemas

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// operation is a collective by its number.
type operation struct {
	kind   trace.Kind
	rooted bool
	how    how
}

// how is what is special about an operation.
type how uint8

const (
	plain         how = iota
	perMember         // its size is for each member
	reduceScatter     // it becomes a reduce and a scatter
)

// operations are GLOP_ID_MPI_Barrier to GLOP_ID_MPI_Alltoallw of EventEncoding.h.
var operations = [...]operation{
	{kind: trace.Barrier}, {kind: trace.Bcast, rooted: true}, {kind: trace.Gather, rooted: true}, {kind: trace.Gather, rooted: true},
	{kind: trace.Scatter, rooted: true}, {kind: trace.Scatter, rooted: true}, {kind: trace.AllGather}, {kind: trace.AllGather},
	{kind: trace.AllToAll, how: perMember}, {kind: trace.AllToAll}, {kind: trace.Reduce, rooted: true}, {kind: trace.AllReduce},
	{kind: trace.Reduce, how: reduceScatter}, {kind: trace.Reduce, how: reduceScatter}, {kind: trace.Scan}, {kind: trace.AllToAll},
}

// collective reads a collective, or the wait for one.
func (p *parser) collective() error {
	if err := p.values(9, 10); err != nil {
		return err
	}
	op, id := p.number(3, "operation", 0, int64(len(operations)-1)), p.number(4, "communicator", 0, math.MaxInt32)
	p.number(5, "root", 0, math.MaxInt32)
	p.number(6, "thread of the root", 0, math.MaxInt32)
	sent, received := p.number(7, "size sent", 0, math.MaxInt64), p.number(8, "size received", 0, math.MaxInt64)
	kind := int64(collectiveBlocking)
	if len(p.fields) == 10 {
		kind = p.number(9, "kind", 0, 3)
	}
	if p.problem != nil {
		return p.problem
	}
	key := request{none, none, id, op}
	if kind == waits {
		request, found := p.rank.open.take(key)
		if !found {
			return p.Fail(p.raw, fmt.Sprintf("a wait without an open collective %d in communicator %d", op, id), "")
		}
		return p.wait(request)
	}
	c, err := p.join(id)
	if err != nil {
		return err
	}
	e, err := p.begin(&operations[op], id, c)
	if err != nil {
		return err
	}
	if kind == collectiveImmediate {
		e.Request = p.rank.newRequest()
		p.rank.open.add(key, e.Request)
	}
	return p.finish(&operations[op], c, e, sent, received)
}

// join returns a communicator of which the rank is a member.
func (p *parser) join(id int64) (*communicator, error) {
	c := p.comms[id]
	switch {
	case c == nil:
		return nil, p.Fail(p.raw, fmt.Sprintf("communicator %d is not defined", id), "")
	case !c.has(int64(p.rank.number)):
		return nil, p.Fail(p.raw, fmt.Sprintf("task %d is not in communicator %d", p.rank.number, id), "")
	}
	if !p.rank.used[id] {
		p.rank.used[id] = true
		c.users++
	}
	return c, nil
}

// begin returns the event of a collective with its root.
func (p *parser) begin(o *operation, id int64, c *communicator) (*trace.Event, error) {
	e := trace.NewEvent(o.kind)
	e.Group = c.group
	if o.how == reduceScatter {
		e.Peer = int32(c.tasks[0])
	}
	if !o.rooted {
		return &e, nil
	}
	root, err := p.rootOf(id, c)
	e.Peer = root
	return &e, err
}

// finish sets the bytes of a collective, and emits it.
func (p *parser) finish(o *operation, c *communicator, e *trace.Event, sent, received int64) error {
	switch o.kind {
	case trace.Barrier:
	case trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan:
		e.Bytes = max(sent, received)
	case trace.Scatter:
		e.Bytes = received
	default:
		e.Bytes = sent
	}
	if members := int64(len(c.tasks)); o.how == perMember {
		if e.Bytes > math.MaxInt64/members {
			return p.Fail(p.raw, fmt.Sprintf("%d bytes to each of %d tasks exceed 63 bits", e.Bytes, members), "")
		}
		e.Bytes *= members
	}
	if o.how != reduceScatter {
		return p.emit(e)
	}
	scatter := *e
	scatter.Kind, scatter.Bytes, e.Request = trace.Scatter, received, trace.None
	if err := p.emit(e); err != nil {
		return err
	}
	return p.emit(&scatter)
}
