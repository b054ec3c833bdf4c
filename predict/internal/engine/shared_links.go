package engine

import (
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// transferTable holds the packets in flight over shared links. The arrival of a packet becomes known only when it has
// left.
type transferTable struct {
	all  pool[transfer]
	last map[uint64]int32 // last unfinished transfer between two ranks
}

// transfer is a packet in flight over shared links.
type transfer struct {
	packet
	cause  Cause
	flight unit.Picos // before this transfer
	to     int32
	ends   int32 // pending operation that ends when it has left, or completed
	next   int32 // next transfer between the same ranks, which arrives no sooner; or 0
	held   bool  // until those before it have arrived
	left   bool
}

// pairKey returns the map key of two ranks.
func pairKey(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

// startTransfer sends a packet at a time. Ordered packets do not overtake each other.
func (e *engine) startTransfer(s transfer, at unit.Picos, bytes int64, ordered bool) {
	all := &e.transfers.all
	s.cause = e.causes.now
	i := all.add()
	if ordered {
		pair := pairKey(s.from, s.to)
		if before := e.transfers.last[pair]; before != 0 {
			all.items[before].next = i
			s.held = true
		}
		e.transfers.last[pair] = i
	}
	all.items[i] = s
	e.Shared.Send(at, network.Message{From: e.Node(s.from), To: e.Node(s.to), Bytes: unit.Bytes(bytes)}, network.Order{Major: s.from, Minor: s.seq, Tag: i})
	e.limit = min(e.limit, at+e.Shared.MinTime(unit.Bytes(bytes)))
}

// stepLinks simulates the next event of the links.
func (e *engine) stepLinks() {
	e.now, e.active = e.Shared.Next(), None
	for _, d := range e.Shared.Step() {
		s := &e.transfers.all.items[d.Tag]
		portWait, flight := s.portWait+d.Arrive-d.Sent-d.Latency, s.flight+d.Latency
		if e.causes.now = s.cause; d.Departed && s.ends != completed {
			e.enqueueArrival(s.from, &packet{at: d.Free, from: s.from, seq: s.seq, portWait: portWait, pending: s.ends, kind: ack}, flight)
		}
		if !d.Arrived {
			continue
		}
		if s.at, s.portWait, s.flight, s.left = d.Arrive, portWait, flight, true; !s.held {
			e.deliverTransfer(d.Tag)
		}
	}
}

// deliverTransfer delivers a packet that has left, and those behind it that waited for it.
func (e *engine) deliverTransfer(i int32) {
	all := &e.transfers.all
	for i != 0 {
		s := all.items[i]
		all.drop(i)
		if pair := pairKey(s.from, s.to); e.transfers.last[pair] == i {
			delete(e.transfers.last, pair)
		}
		if s.at >= Horizon {
			e.active = s.from
			e.fail(errTooLate(s.from, s.to))
			e.active = None
			return
		}
		e.causes.now = s.cause
		e.enqueueArrival(s.to, &s.packet, s.flight)
		if i = s.next; i == 0 {
			return
		}
		n := &all.items[i]
		if n.held = false; !n.left {
			return
		}
		if s.at > n.at {
			n.portWait, n.at, n.cause = n.portWait+s.at-n.at, s.at, s.cause
		}
	}
}
