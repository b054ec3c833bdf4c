package engine

import (
	"spoor/predict/network"
	"spoor/traces/unit"
)

// shipping is what is on its way over links that messages share: when it comes is known when it has left.
type shipping struct {
	all  pool[shipment]
	last map[uint64]int32 // between two ranks, that has not come
}

// shipment is a mail under way.
type shipment struct {
	mail
	why  Cause
	fly  unit.Picos // before
	to   int32
	ends int32 // pending operation that ends when it has left, or over
	next int32 // sent after it between the same ranks, which comes no sooner; or 0
	held bool  // until those before it have come
	left bool
}

// pairOf are two ranks.
func pairOf(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

// ship puts a mail on its way at a time. Those that are ordered do not overtake each other.
func (e *engine) ship(s shipment, at unit.Picos, bytes int64, ordered bool) {
	all := &e.shipping.all
	s.why = e.causes.now
	i := all.add()
	if ordered {
		pair := pairOf(s.from, s.to)
		if before := e.shipping.last[pair]; before != 0 {
			all.items[before].next = i
			s.held = true
		}
		e.shipping.last[pair] = i
	}
	all.items[i] = s
	e.Shared.Send(at, network.Message{From: e.Node(s.from), To: e.Node(s.to), Bytes: unit.Bytes(bytes)}, network.Order{Major: s.from, Minor: s.seq, Tag: i})
	e.limit = min(e.limit, at+e.Shared.Least(unit.Bytes(bytes)))
}

// land does what happens next on the links.
func (e *engine) land() {
	e.now, e.acting = e.Shared.Next(), None
	for _, d := range e.Shared.Step() {
		s := &e.shipping.all.items[d.Tag]
		late, fly := s.late+d.Arrive-d.Sent-d.Latency, s.fly+d.Latency
		if e.causes.now = s.why; d.Left && s.ends != over {
			e.accept(s.from, &mail{at: d.Free, from: s.from, seq: s.seq, late: late, node: s.ends, kind: release}, fly)
		}
		if !d.Came {
			continue
		}
		if s.at, s.late, s.fly, s.left = d.Arrive, late, fly, true; !s.held {
			e.landed(d.Tag)
		}
	}
}

// landed delivers a mail that has left, and those behind it that waited for it.
func (e *engine) landed(i int32) {
	all := &e.shipping.all
	for i != 0 {
		s := all.items[i]
		all.drop(i)
		if pair := pairOf(s.from, s.to); e.shipping.last[pair] == i {
			delete(e.shipping.last, pair)
		}
		if s.at >= Horizon {
			e.acting = s.from
			e.fail(tooLate(s.from, s.to))
			e.acting = None
			return
		}
		e.causes.now = s.why
		e.accept(s.to, &s.mail, s.fly)
		if i = s.next; i == 0 {
			return
		}
		n := &all.items[i]
		if n.held = false; !n.left {
			return
		}
		if s.at > n.at {
			n.late, n.at, n.why = n.late+s.at-n.at, s.at, s.why
		}
	}
}
