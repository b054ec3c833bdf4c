package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// send sends a message from time now on. It returns the time at which the processor goes on, and the pending
// operation or completed. waits means that it will wait for that operation.
func (r *rank) send(now unit.Picos, to, tag, group int32, bytes int64, extra unit.Picos, waits bool) (unit.Picos, int32) {
	e := r.e
	if e.LogGOPSim {
		e.chainPort(e.causes.out, r.id, now == r.outFree)
	}
	if e.IsTooLong(r.id, to, bytes) {
		e.fail(cost.ErrTooLong(r.id, to, bytes))
		return now, completed
	}
	if e.SMPI != nil {
		return r.sendSMPI(now, to, tag, group, bytes, extra, waits)
	}
	long := e.IsRendezvousTo(r.id, to, bytes)
	onWire := bytes
	if long && !e.LogGOPSim {
		onWire = 0
	}
	t := r.occupy(now, e.SendOverheadTo(r.id, to, onWire)+extra, observe.Overhead, 0, 0)
	if e.setCause(r.id, t); e.Sizes != nil && e.Near(r.id, to) == nil {
		e.setCause(r.id, min(t, t+e.FlightAfterSend(onWire)))
	}
	m := packet{from: r.id, tag: tag, group: group, bytes: bytes, kind: eager}
	n := completed
	if long {
		n = e.pendingOps.Add()
		e.pendingOps.Items[n] = pendingOp{done: unfinished, bytes: bytes, from: to, tag: tag, group: group, kind: program.Isend}
		m.pending = n
		e.rendezvousPending++
	}
	switch {
	case e.LogGOPSim:
		r.outFree = min(now+e.Gap+e.BytesTime(bytes), cost.Horizon)
		e.setPortCause(e.causes.out, r.id, now)
		m.at, m.seq = t+e.Latency, r.sequence()
		e.deliver(to, m, e.Latency)
	default:
		if long {
			m.kind = rts
		}
		r.transmit(to, m, 0, t, onWire, completed)
	}
	return t, n
}

func (r *rank) sequence() uint32 {
	r.seq++
	return r.seq
}

// transmit sends bytes of a packet when the port is free. The packet has been in flight for `flight` before. The
// pending operation `ends` ends when the last byte has left, unless it is completed.
func (r *rank) transmit(to int32, m packet, flight, at unit.Picos, bytes int64, ends int32) {
	e := r.e
	left := at
	m.seq = r.sequence()
	switch {
	case to == r.id:
		m.at = at
		e.deliver(to, m, flight)
	case e.Shared != nil && e.Node(r.id) != e.Node(to):
		e.startTransfer(transfer{packet: m, flight: flight, to: to, ends: ends}, at, bytes, true)
		return
	case e.UsesLinks():
		d := e.sendOverLinks(at, r.id, to, bytes)
		m.portWait += d.Arrive - at - d.Latency
		flight += max(0, d.Latency)
		left = d.Free
		r.deliverInOrder(to, m, d.Arrive, flight)
		e.setCauseDeparture(e.Node(r.id), e.Node(to))
	default:
		sending, carry := e.SendOverhead(bytes), e.BytesTime(bytes)
		begun := at - sending
		e.chainPort(e.causes.out, r.id, r.outFree > begun)
		begins := max(begun, r.outFree)
		r.outFree = min(begins+e.PortTime(bytes, carry), cost.Horizon)
		m.portWait += begins - begun
		flight += max(0, e.FirstByteDelay()-sending+carry)
		m.at, left = begins+e.FirstByteDelay(), begins+sending+carry
		e.deliver(to, m, flight)
	}
	if ends != completed {
		r.complete(ends, left, m.portWait, flight)
	}
}

// arrive takes up the next packet.
func (r *rank) arrive(now unit.Picos) {
	e := r.e
	if len(r.releases) > 0 && r.releases[0].at == now {
		r.arriveAck()
		return
	}
	i := e.pop(&r.arrivals)
	e.setCausePacket(i)
	m := e.packets.Items[i]
	flight := r.flightTime(i, &m)
	if e.urgent(&m) {
		r.urgent--
	}
	switch {
	case e.LogGOPSim:
		r.occupyReceiver(&m, now, flight)
		r.countMessage(&m)
	case m.kind == cts:
		e.packets.Drop(i)
		r.sendData(&m, flight)
		return
	case m.kind == rts:
		r.passPort(&m, 0)
	default:
		r.passPort(&m, m.bytes)
		r.countMessage(&m)
		r.interrupt(&m, now)
		if m.kind == data {
			e.packets.Drop(i)
			e.pendingOps.Items[m.pending].bytes, e.pendingOps.Items[m.pending].from = m.bytes, m.from
			r.complete(m.pending, m.at, m.portWait, flight)
			return
		}
	}
	if e.direct != nil {
		r.reportArrival(&m)
	}
	if n := r.match(&m); n != 0 {
		e.packets.Drop(i)
		r.acceptMatch(n, &m, flight, now)
		return
	}
	e.packets.Items[i] = m
	e.saveCause(&e.causes.packets, i)
	r.storeUnmatched(i)
	r.wakeProbers(&m, flight)
}

// occupyReceiver occupies the receiver's processor for a packet (LogGOPSim). The message is there when that is over.
func (r *rank) occupyReceiver(m *packet, now, flight unit.Picos) {
	e := r.e
	e.chainPort(e.causes.in, r.id, now > m.at && now == r.inFree)
	m.portWait += now - m.at
	m.at = r.occupy(now, e.Receive+e.BytesTime(m.bytes), observe.Overhead, m.portWait, flight)
	r.inFree = min(now+e.Gap+e.BytesTime(m.bytes), cost.Horizon)
	e.setPortCause(e.causes.in, r.id, now)
}

// passPort brings bytes of a packet through the receiver's port. It sets m.at to the arrival of the last byte.
func (r *rank) passPort(m *packet, bytes int64) {
	e := r.e
	if m.from == r.id || e.UsesLinks() {
		return
	}
	e.chainPort(e.causes.in, r.id, r.inFree > m.at)
	start, carry := max(m.at, r.inFree), e.BytesTime(bytes)
	held := e.PortTime(bytes, carry)
	if r.inFree = start + e.Gap; e.ReceiverPort || e.Sizes != nil {
		r.inFree = min(start+held, cost.Horizon)
	} else {
		queued := max(m.at, r.virtualIn)
		r.virtualIn = min(queued+held, cost.Horizon)
		r.account.Overlap += queued - start
	}
	m.portWait += start - m.at
	m.at = start + carry
}

// countMessage counts a message.
func (r *rank) countMessage(m *packet) {
	r.account.Messages++
	r.account.Bytes += m.bytes
	if r.e.obs != nil {
		r.e.received = observe.ReceivedMessage{Tag: m.tag, Group: m.group, Bytes: m.bytes, Arrived: m.at}
		r.e.obs.Message(m.from, r.id, &r.e.received)
	}
}

// wakeProbers wakes the tasks whose Probe selects a packet.
func (r *rank) wakeProbers(m *packet, flight unit.Picos) {
	for i := 0; i < len(r.probers); i++ {
		s := r.taskNumbered(r.probers[i])
		p := pendingOp{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
		if p.selects(m) {
			r.probers = append(r.probers[:i], r.probers[i+1:]...)
			i--
			s.phase, s.portWait, s.flight, s.cause = probed, m.portWait, flight, r.e.causes.now
			r.reportProbe(s, m)
			r.resumeTask(s, m.at)
		}
	}
}

// postReceive posts a receive.
func (r *rank) postReceive(from, tag, group int32, mark int64, now unit.Picos) int32 {
	e := r.e
	n := e.pendingOps.Add()
	p := &e.pendingOps.Items[n] // a match fills in the message's fields, a channel the others
	p.done, p.bytes, p.from, p.tag, p.group, p.waiter, p.kind, p.abandoned, p.copied = unfinished, mark, from, tag, group, 0, program.Irecv, false, false
	e.noteReceiveRow(n)
	if i := r.matchReceive(n); i != 0 {
		m := e.packets.Items[i]
		e.setCausePacket(i)
		e.packets.Drop(i)
		e.pendingOps.Items[n].copied = e.CopyPerByte > 0 && m.kind == eager
		r.acceptMatch(n, &m, r.flightTime(i, &m), now)
	}
	return n
}

// acceptMatch gives a packet to its receive.
func (r *rank) acceptMatch(n int32, m *packet, flight, now unit.Picos) {
	e := r.e
	e.reportMatched(r.id, n, m)
	if e.direct != nil {
		r.reportMatch(n, m)
	}
	if p := &e.pendingOps.Items[n]; p.bytes < m.bytes && p.bytes > 0 {
		r.noteTruncation(p, m)
	}
	if m.kind == rts && e.SMPI != nil {
		r.startMatched(n, m, now)
		return
	}
	if m.kind == rts {
		reads, sends := e.ReceiveOverheadFrom(m.from, r.id, 0), e.SendOverheadTo(r.id, m.from, 0)
		read := m.at + reads
		if now > read {
			e.setCause(r.id, now)
		}
		r.sendCTS(n, m, flight+reads+sends, max(read, now)+sends)
		return
	}
	e.pendingOps.Items[n].bytes, e.pendingOps.Items[n].from = m.bytes, m.from
	r.complete(n, m.at, m.portWait, flight)
	if e.LogGOPSim && m.pending != 0 {
		at := max(m.at-e.Receive-e.BytesTime(m.bytes), now) // when it was taken up and the receive was posted
		e.setCausePosted(r.id, at)
		e.deliver(m.from, packet{at: at, from: r.id, seq: r.sequence(), portWait: m.portWait, pending: m.pending, kind: ack}, flight)
	}
}

// complete ends a pending operation.
func (r *rank) complete(n int32, done, portWait, flight unit.Picos) {
	p := &r.e.pendingOps.Items[n]
	p.done, p.portWait, p.flight = done, portWait, flight
	r.e.saveCause(&r.e.causes.pendingOps, n)
	switch {
	case p.abandoned:
		r.e.pendingOps.Drop(n)
	case p.waiter != 0:
		s := r.taskNumbered(p.waiter)
		p.waiter = 0
		if s.op.Kind == program.WaitAny {
			r.recheckWaitAny(s, done)
			return
		}
		s.phase = collecting
		r.resumeTask(s, done)
	}
}

// resumeTask lets a task go on, not before a time.
func (r *rank) resumeTask(s *task, at unit.Picos) {
	s.t = max(s.t, at)
	if r.tasks != nil {
		r.tasks.put(r, s)
	}
}

// minSendOverhead returns the least time for which a send occupies the processor.
func (e *engine) minSendOverhead(bytes int64) unit.Picos {
	if e.Sizes == nil {
		return e.Send
	}
	if e.IsRendezvous(bytes) && !e.LogGOPSim {
		bytes = 0
	}
	return e.SendOverhead(bytes)
}
