package engine

import "spoor/traces/unit"

// sendCTS answers an rts at a time. The answer uses neither the processor nor the port.
func (r *rank) sendCTS(n int32, m *packet, flight, at unit.Picos) {
	e := r.e
	a := packet{at: at, from: r.id, seq: r.sequence(), portWait: m.portWait, pending: m.pending, next: n, kind: cts}
	switch {
	case m.from == r.id:
	case e.Shared != nil && e.Node(r.id) != e.Node(m.from):
		e.startTransfer(transfer{packet: a, flight: flight, to: m.from, ends: completed}, at, 0, false)
		return
	case e.UsesLinks():
		d := e.sendOverLinks(at, r.id, m.from, 0)
		a.portWait += d.Arrive - at - d.Latency
		flight += max(0, d.Latency)
		a.at = d.Arrive
	default:
		flight += max(0, e.FlightAfterSend(0))
		a.at += e.FlightAfterSend(0)
	}
	e.deliver(m.from, a, flight)
}

// sendData sends the data of a rendezvous message.
func (r *rank) sendData(a *packet, flight unit.Picos) {
	e := r.e
	e.rendezvousPending--
	p := e.pendingOps.Items[a.pending]
	m := packet{from: r.id, tag: p.tag, group: p.group, bytes: p.bytes, portWait: a.portWait, pending: a.next, kind: data}
	before := e.ReceiveOverheadFrom(a.from, r.id, 0) + e.SendOverheadTo(r.id, a.from, p.bytes)
	r.transmit(a.from, m, flight+before, a.at+before, p.bytes, a.pending)
}

// arriveAck takes up the next ack.
func (r *rank) arriveAck() {
	e := r.e
	i := e.pop(&r.releases)
	r.urgent--
	e.setCausePacket(i)
	m := e.packets.Items[i]
	flight := r.flightTime(i, &m)
	e.packets.Drop(i)
	r.complete(m.pending, m.at, m.portWait, flight)
}
