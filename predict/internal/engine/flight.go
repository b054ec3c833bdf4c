package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// flightTime returns how long a packet to r has been in flight since the send, without the time that it waited for
// ports.
func (r *rank) flightTime(i int32, m *packet) (flight unit.Picos) {
	e := r.e
	switch {
	case e.UsesLinks():
		return e.flights[i]
	case e.LogGOPSim:
		return e.Latency
	case m.from == r.id:
	case m.kind == eager:
		return max(0, e.FlightAfterSend(m.bytes))
	default:
		if flight = max(0, e.FlightAfterSend(0)) * emptyLegs[m.kind]; m.kind == data {
			flight += max(0, e.FlightAfterSend(m.bytes))
		}
	}
	switch m.kind {
	case cts:
		flight += e.SendOverhead(0) + e.ReceiveOverhead(0)
	case data:
		flight += e.SendOverhead(0) + e.SendOverhead(m.bytes) + 2*e.ReceiveOverhead(0)
	}
	return flight
}

// emptyLegs is the number of packets without bytes in a protocol exchange, up to and including this one.
var emptyLegs = [...]unit.Picos{rts: 1, cts: 2, data: 2, ack: 0}

// deliverInOrder delivers a packet that arrives at a time, but not before earlier packets between the same ranks.
// That wait counts as portWait.
func (r *rank) deliverInOrder(to int32, m packet, at, flight unit.Picos) {
	e, pair := r.e, pairKey(r.id, to)
	m.at = max(at, e.pairs[pair])
	m.portWait += m.at - at
	e.pairs[pair] = m.at
	why := e.causes.now
	e.chainOrder(pair, m.at > at)
	e.deliver(to, m, flight)
	e.causes.now = why
}

// sendOverLinks sends a message over Net, or over Local if both ranks are on one node.
func (e *engine) sendOverLinks(at unit.Picos, from, to int32, bytes int64) network.Delivery {
	m := network.Message{From: e.Node(from), To: e.Node(to), Bytes: unit.Bytes(bytes)}
	if m.From == m.To {
		return e.sendLocally(at, from, to, m)
	}
	d := e.Net.Send(at, m)
	if d.Latency >= cost.MaxDuration {
		e.fail(cost.ErrTooLong(from, to, bytes))
	}
	e.chainLinks()
	return d
}

// sendLocally sends a message between two ranks of a node.
func (e *engine) sendLocally(at unit.Picos, from, to int32, m network.Message) network.Delivery {
	if e.Local == nil {
		return network.Delivery{Free: at, Arrive: at}
	}
	d := e.Local.Send(at, from, to, m.Bytes)
	if d.Latency >= cost.MaxDuration {
		e.fail(cost.ErrTooLong(from, to, int64(m.Bytes)))
	}
	return d
}
