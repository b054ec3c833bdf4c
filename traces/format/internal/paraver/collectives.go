package paraver

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// prvGlobalID is a collective with a root: the communicator and its number in it.
type prvGlobalID struct {
	comm        *prvComm
	rootedCount int
}

// prvGlobalState holds the state of a collective until all members know the root.
type prvGlobalState struct {
	id            prvGlobalID
	root          int32 // -1 while it is unknown
	left, emitted int   // members
}

// commFor returns the communicator of a collective.
func (r *prvRank) commFor(call *prvCall) *prvComm {
	if call.comm == nil {
		call.comm = r.p.commOf(prvCommID{r.app, 1})
	}
	return call.comm
}

// members returns the number of ranks that take part.
func (p *prvParser) members(c *prvComm) int {
	if c.members == nil {
		return len(p.ranks)
	}
	return len(c.members)
}

// join counts a rank that has left a collective with a root. Only the root's own record
// gives the root.
func (r *prvRank) join(call *prvCall) {
	c := r.commFor(call)
	switch k := call.how; {
	case k.how == prvReduceScatter:
		return
	case k.kind != trace.Bcast && k.kind != trace.Reduce && k.kind != trace.Gather && k.kind != trace.Scatter:
		return
	}
	if r.rootedCount == nil {
		r.rootedCount = map[*prvComm]int{}
	}
	id := prvGlobalID{c, r.rootedCount[c]}
	r.rootedCount[c]++
	g := r.p.global[id]
	if g == nil {
		g = &prvGlobalState{id: id, root: trace.None}
		r.p.global[id] = g
	}
	g.left++
	if call.root && g.root == trace.None {
		g.root = int32(r.s.Batch.Proc)
	}
	call.global = g
}

// collective makes the events of a collective.
func (r *prvRank) collective(call *prvCall) error {
	c := r.commFor(call)
	op := newPrvOp(call.how.kind, call.line)
	op.group, op.bytes = c.group, call.contributes()
	if g := call.global; g != nil {
		if op.peer = g.root; op.peer == trace.None {
			r.p.rootless++
		}
		if g.emitted++; g.emitted >= r.p.members(c) {
			delete(r.p.global, g.id)
		}
	}
	switch call.how.how {
	case prvPerMember:
		n := int64(r.p.members(c))
		if op.bytes > math.MaxInt64/n {
			return r.p.c.Fail(trace.Pos{File: r.p.file, At: call.line}, fmt.Sprintf("%d bytes to each of %d ranks exceed 64 bits", op.bytes, n))
		}
		op.bytes *= n
	case prvReduceScatter:
		r.p.scatters++
		op.peer = 0
		if len(c.members) > 0 {
			op.peer = c.members[0]
		}
		second := op
		second.kind, second.bytes = trace.Scatter, call.received
		call.ops = append(call.ops, op, second)
		return nil
	case prvExscan:
		r.p.exscans++
	case prvNonblocking:
		r.p.blocking++
	}
	call.ops = append(call.ops, op)
	return nil
}

// contributes returns the bytes that a rank sends to a collective, or receives from a
// scatter.
func (c *prvCall) contributes() int64 {
	switch c.how.kind {
	case trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan:
		return max(c.sent, c.received)
	case trace.Scatter:
		return c.received
	}
	return c.sent
}
