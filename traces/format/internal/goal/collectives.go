package goal

import (
	"slices"

	"spoor/traces/trace"
)

// A collective becomes the messages of a simple algorithm, whatever its size. Members
// are numbered in the order of their ranks.
//
//   - barrier: a dissemination of single bytes;
//   - bcast, reduce: binomial trees; allreduce: reduce, then bcast;
//   - scan: from member to member;
//   - gather, scatter: one message for each member;
//   - allgather: a ring; alltoall: pairwise.

// goalMember is one member's view of a collective.
type goalMember struct {
	x       *goalExport
	members []trace.Proc
	me      int
	tag     int32
}

// collective writes the messages of e.
func (x *goalExport) collective(e *trace.Event) {
	x.computed()
	members := x.survey.groupMembers[e.Group]
	c := goalMember{x, members, slices.Index(members, x.proc), x.survey.base[goalChannel{e.Group, true}]}
	root := max(0, slices.Index(members, trace.Proc(e.Peer)))
	first := x.nodes
	c.messages(e, root)
	if e.Work > 0 {
		x.work(e.Work)
	}
	if e.Request != trace.None {
		x.computed()
		if x.nodes == first || len(x.chain) > 1 {
			x.emit(goalStep{kind: trace.Compute})
		}
		x.detach(e.Request, first, x.nodes-1)
	}
}

// messages writes the messages of e.
func (c *goalMember) messages(e *trace.Event, root int) {
	switch e.Kind {
	case trace.Barrier:
		c.barrier()
	case trace.Bcast:
		c.bcast(root, e.Bytes)
	case trace.Reduce:
		c.reduce(root, e.Bytes)
	case trace.AllReduce:
		c.reduce(0, e.Bytes)
		c.bcast(0, e.Bytes)
	case trace.Scan:
		c.scan(e.Bytes)
	case trace.Gather:
		c.linear(root, e.Bytes, trace.Recv)
	case trace.Scatter:
		c.linear(root, e.Bytes, trace.Send)
	case trace.AllGather:
		for range len(c.members) - 1 {
			c.exchange(c.at(1), c.at(-1), e.Bytes)
		}
	case trace.AllToAll:
		n := int64(len(c.members))
		for d := 1; d < len(c.members); d++ {
			c.exchange(c.at(d), c.at(-d), e.Bytes/n+min(1, e.Bytes%n))
		}
	}
}

// at returns the member at distance d after this one, around the ring.
func (c *goalMember) at(d int) int { return (c.me + d + len(c.members)) % len(c.members) }

func (c *goalMember) step(kind trace.Kind, member int, bytes int64) {
	c.x.emit(goalStep{kind: kind, size: bytes, peer: int32(c.members[member]), tag: c.tag})
}

// exchange sends and receives at the same time.
func (c *goalMember) exchange(to, from int, bytes int64) {
	before := slices.Clone(c.x.chain)
	c.step(trace.Send, to, bytes)
	sent := c.x.chain[0]
	c.x.chain = append(c.x.chain[:0], before...)
	c.step(trace.Recv, from, bytes)
	c.x.chain = append(c.x.chain, sent)
}

func (c *goalMember) barrier() {
	for d := 1; d < len(c.members); d *= 2 {
		c.exchange(c.at(d), c.at(-d), 1)
	}
}

// bcast receives from the parent, then sends to the children, the farthest first.
func (c *goalMember) bcast(root int, bytes int64) {
	n := len(c.members)
	distance := (c.me - root + n) % n
	below := 1 // the children are at the powers of two below this
	for below < n && distance&below == 0 {
		below *= 2
	}
	if distance > 0 {
		c.step(trace.Recv, (distance-below+root)%n, bytes)
	}
	for d := below / 2; d > 0; d /= 2 {
		if distance+d < n {
			c.step(trace.Send, (distance+d+root)%n, bytes)
		}
	}
}

// reduce receives from the children, the nearest first, then sends to the parent.
func (c *goalMember) reduce(root int, bytes int64) {
	n := len(c.members)
	distance := (c.me - root + n) % n
	d := 1
	for ; d < n && distance&d == 0; d *= 2 {
		if distance+d < n {
			c.step(trace.Recv, (distance+d+root)%n, bytes)
		}
	}
	if distance > 0 {
		c.step(trace.Send, (distance-d+root)%n, bytes)
	}
}

func (c *goalMember) scan(bytes int64) {
	if c.me > 0 {
		c.step(trace.Recv, c.me-1, bytes)
	}
	if c.me+1 < len(c.members) {
		c.step(trace.Send, c.me+1, bytes)
	}
}

// linear lets the root do kind for every other member.
func (c *goalMember) linear(root int, bytes int64, kind trace.Kind) {
	if c.me != root {
		other := trace.Send
		if kind == trace.Send {
			other = trace.Recv
		}
		c.step(other, root, bytes)
		return
	}
	for i := range c.members {
		if i != root {
			c.step(kind, i, bytes)
		}
	}
}
