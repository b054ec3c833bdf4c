package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// transferTable holds the packets in flight over shared links. The arrival of a packet becomes known only when it has
// left.
type transferTable struct {
	all    table.Pool[transfer]
	orders []order          // of pairs of ranks; index 0 stands for none
	order  map[uint64]int32 // by pair
}

// order is the order of the transfers between two ranks.
type order struct {
	last   int32      // last unfinished one
	arrive unit.Picos // when the last of the delivered ones arrives
}

// transfer is a packet in flight over shared links.
type transfer struct {
	packet
	cause  observe.Cause
	flight unit.Picos // before this transfer
	to     int32
	ends   int32 // pending operation that ends when it has left, or completed
	next   int32 // next transfer between the same ranks, which arrives no sooner; or 0
	held   bool  // until those before it have arrived
	left   bool
	order  int32 // its order, or 0 if it may overtake others
}

// pairKey returns the map key of two ranks.
func pairKey(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

// startTransfer sends a packet at a time. Ordered packets do not overtake each other.
func (e *engine) startTransfer(s transfer, at unit.Picos, bytes int64, ordered bool) {
	all := &e.transfers.all
	s.cause = e.causes.now
	i := all.Add()
	if ordered {
		s.order = e.transfers.orderOf(pairKey(s.from, s.to))
		o := &e.transfers.orders[s.order]
		if o.last != 0 {
			all.Items[o.last].next = i
			s.held = true
		}
		o.last = i
	}
	all.Items[i] = s
	e.Shared.Send(at, network.Message{From: e.Node(s.from), To: e.Node(s.to), Bytes: unit.Bytes(bytes)}, network.Order{Major: s.from, Minor: s.seq, Tag: i})
	e.limit = min(e.limit, at+e.Shared.MinTime(unit.Bytes(bytes)))
}

// stepLinks simulates the next event of the links.
func (e *engine) stepLinks() {
	e.now, e.active = e.Shared.Next(), program.None
	for _, d := range e.Shared.Step() {
		s := &e.transfers.all.Items[d.Tag]
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
		s := all.Items[i]
		all.Drop(i)
		if e.causes.now = s.cause; s.order != 0 {
			e.delayToOrder(&s, i)
		}
		if s.at >= cost.Horizon {
			e.active = s.from
			e.fail(cost.ErrTooLate(s.from, s.to))
			e.active = program.None
			return
		}
		e.enqueueArrival(s.to, &s.packet, s.flight)
		if i = s.next; i == 0 {
			return
		}
		n := &all.Items[i]
		if n.held = false; !n.left {
			return
		}
	}
}

// delayToOrder delays the arrival of transfer i to that of the one before it. It may be sooner if they took other routes.
func (e *engine) delayToOrder(s *transfer, i int32) {
	o := &e.transfers.orders[s.order]
	if o.last == i {
		o.last = 0
	}
	held := o.arrive > s.at
	if held {
		s.at, s.portWait = o.arrive, s.portWait+o.arrive-s.at
	}
	o.arrive = s.at
	if e.obs != nil {
		e.chainOrder(pairKey(s.from, s.to), held)
	}
}

// orderOf returns the order of a pair.
func (t *transferTable) orderOf(pair uint64) int32 {
	i := t.order[pair]
	if i == 0 {
		i = int32(len(t.orders))
		t.orders = append(t.orders, order{})
		t.order[pair] = i
	}
	return i
}
