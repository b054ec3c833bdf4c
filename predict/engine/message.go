package engine

import (
	"spoor/predict/network"
	"spoor/traces/unit"
)

// send has the processor send a message, from now on. It is the time when the processor goes on,
// and the pending operation, or over.
func (r *rank) send(now unit.Picos, to, tag, group int32, bytes int64, extra unit.Picos) (unit.Picos, int32) {
	e := r.e
	t := r.use(now, e.Send+extra, Overhead, 0, 0)
	m := mail{from: r.id, tag: tag, group: group, bytes: bytes, kind: eager}
	n := over
	if e.long(bytes) {
		n = e.pendings.add()
		e.pendings.items[n] = pending{done: undone, bytes: bytes, from: to, tag: tag, group: group, what: Isend}
		m.node = n
	}
	switch {
	case e.LogGOPSim:
		r.out = min(now+e.Gap+e.carry(bytes), Horizon)
		m.at, m.fly = t+e.Latency, e.Latency
		m.seq = r.sequence()
		e.deliver(to, m)
	case n == over:
		r.transmit(to, m, t, bytes)
	default:
		m.kind = ask
		r.transmit(to, m, t, 0)
	}
	return t, n
}

func (r *rank) sequence() uint32 {
	r.seq++
	return r.seq
}

// transmit has the interface send so many bytes when its port is free. It is when the last of
// them has left, and the mail with what that adds to it.
func (r *rank) transmit(to int32, m mail, at unit.Picos, bytes int64) (unit.Picos, mail) {
	e := r.e
	m.seq = r.sequence()
	left := at
	switch {
	case to == r.id:
		m.at = at
	case e.Net != nil:
		d := e.Net.Send(at, network.Message{From: e.Node(r.id), To: e.Node(to), Bytes: unit.Bytes(bytes)})
		m.late += d.Arrive - at - d.Latency
		m.fly += d.Latency
		m.at, left = r.behind(to, d.Arrive), d.Free
	default:
		depart := max(at, r.out)
		carry := e.carry(bytes)
		r.out = min(depart+e.Gap+carry, Horizon)
		m.late += depart - at
		m.fly += e.Latency + carry
		m.at, left = depart+e.Latency, depart+carry
	}
	e.deliver(to, m)
	return left, m
}

// behind is when a message comes that does not overtake those that its sender sent before to the
// same receiver.
func (r *rank) behind(to int32, at unit.Picos) unit.Picos {
	pair := uint64(uint32(r.id))<<32 | uint64(uint32(to))
	at = max(at, r.e.pairs[pair])
	r.e.pairs[pair] = at
	return at
}

// arrive takes up the next mail.
func (r *rank) arrive(now unit.Picos) {
	e := r.e
	if len(r.releases) > 0 && r.releases[0].at == now {
		i := e.pop(&r.releases)
		m := e.mails.items[i]
		e.mails.drop(i)
		r.complete(m.node, m.at, m.late, m.fly)
		return
	}
	i := e.pop(&r.arrivals)
	m := e.mails.items[i]
	switch {
	case e.LogGOPSim:
		if m.node != 0 {
			r.urgent--
		}
		m.late += now - m.at
		m.at = r.use(now, e.Receive+e.carry(m.bytes), Overhead, m.late, m.fly)
		r.in = min(now+e.Gap+e.carry(m.bytes), Horizon)
		r.came(&m)
	case m.kind == answer:
		r.urgent--
		e.mails.drop(i)
		r.answered(&m)
		return
	case m.kind == ask:
		r.urgent--
		r.takeIn(&m, 0)
	default:
		r.takeIn(&m, m.bytes)
		r.came(&m)
		if m.kind == data {
			e.mails.drop(i)
			r.complete(m.node, m.at, m.late, m.fly)
			return
		}
	}
	if n := r.match(&m); n != 0 {
		e.mails.drop(i)
		r.meet(n, &m, now)
		return
	}
	e.mails.items[i] = m
	r.keep(i)
	r.show(&m)
}

// takeIn brings so many bytes of a mail through the port: m.at becomes when the last is there.
func (r *rank) takeIn(m *mail, bytes int64) {
	e := r.e
	if m.from == r.id || e.Net != nil {
		return
	}
	start, carry := max(m.at, r.in), e.carry(bytes)
	r.in = start + e.Gap
	if e.Receiver {
		r.in = min(r.in+carry, Horizon)
	} else {
		queued := max(m.at, r.virt)
		r.virt = min(queued+e.Gap+carry, Horizon)
		r.account.Overlap += queued - start
	}
	m.late += start - m.at
	m.at = start + carry
}

// came counts a message.
func (r *rank) came(m *mail) {
	r.account.Messages++
	r.account.Bytes += m.bytes
	if r.e.obs != nil {
		r.e.delivered = Delivered{Tag: m.tag, Group: m.group, Bytes: m.bytes, Arrived: m.at}
		r.e.obs.Message(m.from, r.id, &r.e.delivered)
	}
}

// show lets those who probe see a mail.
func (r *rank) show(m *mail) {
	for i := 0; i < len(r.probers); i++ {
		s := r.strand(r.probers[i])
		p := pending{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
		if p.selects(m) {
			r.probers = append(r.probers[:i], r.probers[i+1:]...)
			i--
			s.phase, s.late, s.fly = probed, m.late, m.fly
			r.wake(s, m.at)
		}
	}
}

// offer posts a receive.
func (r *rank) offer(from, tag, group int32, now unit.Picos) int32 {
	e := r.e
	n := e.pendings.add()
	e.pendings.items[n] = pending{done: undone, from: from, tag: tag, group: group, what: Irecv}
	if i := r.post(n); i != 0 {
		m := e.mails.items[i]
		e.mails.drop(i)
		r.meet(n, &m, now)
	}
	return n
}

// meet gives a mail to its receive.
func (r *rank) meet(n int32, m *mail, now unit.Picos) {
	e := r.e
	switch {
	case m.kind == ask:
		at := max(m.at+e.Receive, now)
		r.answer(n, m, at)
	default:
		r.complete(n, m.at, m.late, m.fly)
		if e.LogGOPSim && m.node != 0 {
			e.deliver(m.from, mail{at: max(m.at, now), from: r.id, seq: r.sequence(), late: m.late, fly: m.fly, node: m.node, kind: release})
		}
	}
}

// answer answers a request at a time, beside the processor.
func (r *rank) answer(n int32, m *mail, at unit.Picos) {
	e := r.e
	a := mail{at: at + e.Send, from: r.id, seq: r.sequence(), late: m.late, fly: m.fly + e.Receive + e.Send, node: m.node, back: n, kind: answer}
	switch {
	case m.from == r.id:
	case e.Net != nil:
		d := e.Net.Send(a.at, network.Message{From: e.Node(r.id), To: e.Node(m.from)})
		a.late += d.Arrive - a.at - d.Latency
		a.fly += d.Latency
		a.at = d.Arrive
	default:
		a.at += e.Latency
		a.fly += e.Latency
	}
	e.deliver(m.from, a)
}

// answered sends a long message.
func (r *rank) answered(a *mail) {
	e := r.e
	p := e.pendings.items[a.node]
	m := mail{from: r.id, tag: p.tag, group: p.group, bytes: p.bytes, late: a.late, fly: a.fly + e.Receive + e.Send, node: a.back, kind: data}
	left, m := r.transmit(a.from, m, a.at+e.Receive+e.Send, p.bytes)
	r.complete(a.node, left, m.late, m.fly)
}

// complete ends a pending operation.
func (r *rank) complete(n int32, done, late, fly unit.Picos) {
	p := &r.e.pendings.items[n]
	p.done, p.late, p.fly = done, late, fly
	switch {
	case p.left:
		r.e.pendings.drop(n)
	case p.waiter != 0:
		s := r.strand(p.waiter)
		p.waiter = 0
		s.phase = collecting
		r.wake(s, done)
	}
}

// wake lets a strand go on, not before a time.
func (r *rank) wake(s *strand, at unit.Picos) {
	s.t = max(s.t, at)
	if r.more != nil {
		r.more.put(r, s)
	}
}
