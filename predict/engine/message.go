package engine

import "spoor/traces/unit"

// send has the processor send a message, from now on. It is the time when the processor goes on,
// and the pending operation, or over.
func (r *rank) send(now unit.Picos, to, tag, group int32, bytes int64, extra unit.Picos) (unit.Picos, int32) {
	e := r.e
	if e.LogGOPSim {
		e.bound(e.causes.out, r.id, now == r.out)
	}
	if r.endless(to, bytes) {
		e.fail(tooLong(r.id, to, bytes))
		return now, over
	}
	long := e.long(bytes)
	onWire := bytes
	if long && !e.LogGOPSim {
		onWire = 0
	}
	t := r.use(now, e.sending(onWire)+extra, Overhead, 0, 0)
	if e.because(r.id, t); e.Sizes != nil {
		e.because(r.id, min(t, t+e.flying(onWire)))
	}
	m := mail{from: r.id, tag: tag, group: group, bytes: bytes, kind: eager}
	n := over
	if long {
		n = e.pendings.add()
		e.pendings.items[n] = pending{done: undone, bytes: bytes, from: to, tag: tag, group: group, what: Isend}
		m.node = n
		e.asking++
	}
	switch {
	case e.LogGOPSim:
		r.out = min(now+e.Gap+e.carry(bytes), Horizon)
		e.holds(e.causes.out, r.id, now)
		m.at, m.seq = t+e.Latency, r.sequence()
		e.deliver(to, m, e.Latency)
	default:
		if long {
			m.kind = ask
		}
		r.transmit(to, m, 0, t, onWire, over)
	}
	return t, n
}

// endless is whether a message takes longer than any duration that is simulated. Over Net, that is known when it is sent.
func (r *rank) endless(to int32, bytes int64) bool {
	e, b := r.e, unit.Bytes(bytes)
	switch {
	case bytes <= 1 || to == r.id:
		return false
	case e.Shared != nil:
		return e.Node(r.id) != e.Node(to) && e.Shared.Least(b) >= maxDuration
	case e.Sizes != nil:
		return max(e.Sizes.Gap.At(b), e.Sizes.Send.At(b), e.Sizes.Receive.At(b)) >= maxDuration
	}
	return e.Net == nil && e.carry(bytes) >= maxDuration
}

func (r *rank) sequence() uint32 {
	r.seq++
	return r.seq
}

// transmit has the interface send so many bytes of a mail that has been on its way for fly, when its
// port is free. When the last of them has left, a pending operation ends, unless it is over.
func (r *rank) transmit(to int32, m mail, fly, at unit.Picos, bytes int64, ends int32) {
	e := r.e
	left := at
	m.seq = r.sequence()
	switch {
	case to == r.id:
		m.at = at
		e.deliver(to, m, fly)
	case e.Shared != nil && e.Node(r.id) != e.Node(to):
		e.ship(shipment{mail: m, fly: fly, to: to, ends: ends}, at, bytes, true)
		return
	case e.Shared != nil:
		r.arriveBehind(to, m, at, fly)
	case e.Net != nil:
		d := e.overLinks(at, r.id, to, bytes)
		m.late += d.Arrive - at - d.Latency
		fly += d.Latency
		left = d.Free
		r.arriveBehind(to, m, d.Arrive, fly)
		e.becauseLeft(e.Node(r.id), e.Node(to))
	default:
		sending, carry := e.sending(bytes), e.carry(bytes)
		begun := at - sending
		e.bound(e.causes.out, r.id, r.out > begun)
		begins := max(begun, r.out)
		r.out = min(begins+e.spacing(bytes, carry), Horizon)
		m.late += begins - begun
		fly += max(0, e.reach()-sending+carry)
		m.at, left = begins+e.reach(), begins+sending+carry
		e.deliver(to, m, fly)
	}
	if ends != over {
		r.complete(ends, left, m.late, fly)
	}
}

// arrive takes up the next mail.
func (r *rank) arrive(now unit.Picos) {
	e := r.e
	if len(r.releases) > 0 && r.releases[0].at == now {
		r.released()
		return
	}
	i := e.pop(&r.arrivals)
	e.becauseOf(i)
	m := e.mails.items[i]
	fly := r.flight(i, &m)
	if e.urgent(&m) {
		r.urgent--
	}
	switch {
	case e.LogGOPSim:
		r.takeUp(&m, now, fly)
		r.came(&m)
	case m.kind == answer:
		e.mails.drop(i)
		r.answered(&m, fly)
		return
	case m.kind == ask:
		r.takeIn(&m, 0)
	default:
		r.takeIn(&m, m.bytes)
		r.came(&m)
		if m.kind == data {
			e.mails.drop(i)
			e.pendings.items[m.node].bytes = m.bytes
			r.complete(m.node, m.at, m.late, fly)
			return
		}
	}
	if e.live != nil {
		r.tellOf(&m)
	}
	if n := r.match(&m); n != 0 {
		e.mails.drop(i)
		r.meet(n, &m, fly, now)
		return
	}
	e.mails.items[i] = m
	e.keepCause(&e.causes.mails, i)
	r.keep(i)
	r.show(&m, fly)
}

// released takes up the next release.
func (r *rank) released() {
	e := r.e
	i := e.pop(&r.releases)
	r.urgent--
	e.becauseOf(i)
	m := e.mails.items[i]
	fly := r.flight(i, &m)
	e.mails.drop(i)
	r.complete(m.node, m.at, m.late, fly)
}

// takeUp has a processor of LogGOPSim take a mail up, which is there when that is over.
func (r *rank) takeUp(m *mail, now, fly unit.Picos) {
	e := r.e
	e.bound(e.causes.in, r.id, now > m.at && now == r.in)
	m.late += now - m.at
	m.at = r.use(now, e.Receive+e.carry(m.bytes), Overhead, m.late, fly)
	r.in = min(now+e.Gap+e.carry(m.bytes), Horizon)
	e.holds(e.causes.in, r.id, now)
}

// takeIn brings so many bytes of a mail through the port: m.at becomes when the last is there.
func (r *rank) takeIn(m *mail, bytes int64) {
	e := r.e
	if m.from == r.id || e.linked() {
		return
	}
	e.bound(e.causes.in, r.id, r.in > m.at)
	start, carry := max(m.at, r.in), e.carry(bytes)
	held := e.spacing(bytes, carry)
	if r.in = start + e.Gap; e.Receiver || e.Sizes != nil {
		r.in = min(start+held, Horizon)
	} else {
		queued := max(m.at, r.virt)
		r.virt = min(queued+held, Horizon)
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
func (r *rank) show(m *mail, fly unit.Picos) {
	for i := 0; i < len(r.probers); i++ {
		s := r.strand(r.probers[i])
		p := pending{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
		if p.selects(m) {
			r.probers = append(r.probers[:i], r.probers[i+1:]...)
			i--
			s.phase, s.late, s.fly, s.why = probed, m.late, fly, r.e.causes.now
			r.found(s, m)
			r.wake(s, m.at)
		}
	}
}

// offer posts a receive.
func (r *rank) offer(from, tag, group int32, mark int64, now unit.Picos) int32 {
	e := r.e
	n := e.pendings.add()
	p := &e.pendings.items[n] // what a message tells, and a channel, is filled in with it
	p.done, p.bytes, p.from, p.tag, p.group, p.waiter, p.what, p.left = undone, mark, from, tag, group, 0, Irecv, false
	e.posts(n)
	if i := r.post(n); i != 0 {
		m := e.mails.items[i]
		e.becauseOf(i)
		e.mails.drop(i)
		r.meet(n, &m, r.flight(i, &m), now)
	}
	return n
}

// meet gives a mail to its receive.
func (r *rank) meet(n int32, m *mail, fly, now unit.Picos) {
	e := r.e
	e.matches(r.id, n, m)
	if e.live != nil {
		r.matched(n, m)
	}
	if p := &e.pendings.items[n]; p.bytes < m.bytes && p.bytes > 0 {
		r.tooShort(p, m)
	}
	if m.kind == ask {
		read, sends := m.at+e.receiving(0), e.sending(0)
		if now > read {
			e.because(r.id, now)
		}
		r.answer(n, m, fly+e.receiving(0)+sends, max(read, now)+sends)
		return
	}
	e.pendings.items[n].bytes = m.bytes
	r.complete(n, m.at, m.late, fly)
	if e.LogGOPSim && m.node != 0 {
		at := max(m.at-e.Receive-e.carry(m.bytes), now) // when it was taken up and the receive posted
		e.becausePosted(r.id, at)
		e.deliver(m.from, mail{at: at, from: r.id, seq: r.sequence(), late: m.late, node: m.node, kind: release}, fly)
	}
}

// answer answers a request at a time, beside the processor and the port.
func (r *rank) answer(n int32, m *mail, fly, at unit.Picos) {
	e := r.e
	a := mail{at: at, from: r.id, seq: r.sequence(), late: m.late, node: m.node, next: n, kind: answer}
	switch {
	case m.from == r.id:
	case e.Shared != nil && e.Node(r.id) != e.Node(m.from):
		e.ship(shipment{mail: a, fly: fly, to: m.from, ends: over}, at, 0, false)
		return
	case e.Shared != nil:
	case e.Net != nil:
		d := e.overLinks(at, r.id, m.from, 0)
		a.late += d.Arrive - at - d.Latency
		fly += d.Latency
		a.at = d.Arrive
	default:
		fly += max(0, e.flying(0))
		a.at += e.flying(0)
	}
	e.deliver(m.from, a, fly)
}

// answered sends a long message.
func (r *rank) answered(a *mail, fly unit.Picos) {
	e := r.e
	e.asking--
	p := e.pendings.items[a.node]
	m := mail{from: r.id, tag: p.tag, group: p.group, bytes: p.bytes, late: a.late, node: a.next, kind: data}
	before := e.receiving(0) + e.sending(p.bytes)
	r.transmit(a.from, m, fly+before, a.at+before, p.bytes, a.node)
}

// complete ends a pending operation.
func (r *rank) complete(n int32, done, late, fly unit.Picos) {
	p := &r.e.pendings.items[n]
	p.done, p.late, p.fly = done, late, fly
	r.e.keepCause(&r.e.causes.pendings, n)
	switch {
	case p.left:
		r.e.pendings.drop(n)
	case p.waiter != 0:
		s := r.strand(p.waiter)
		p.waiter = 0
		if s.op.Kind == WaitAny {
			r.sooner(s, done)
			return
		}
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
