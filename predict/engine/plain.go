package engine

import "spoor/traces/unit"

// The ways of this file are those of most messages: whole ones in LogGP, of programs that nobody watches and that take their
// operations one after the other. They do what spin, start, send and arrive do, in fewer steps, and leave to these what is special.

// isPlain is whether the ways of this file can be taken.
func (e *engine) isPlain() bool {
	return e.obs == nil && e.live == nil && !e.LogGOPSim && !e.linked() && e.Sizes == nil
}

// runPlain is run. It is false when the rank has become one that these ways are not for. Its processor is never busy beyond the time when its program
// goes on.
func (r *rank) runPlain() bool {
	e, s := r.e, &r.main
	if e.early() {
		e.ahead = farthest
	}
	for {
		if r.strides() {
			r.stride()
		}
		mail, own := never, never
		if len(r.arrivals) > 0 {
			mail = r.arrivals[0].at
		}
		if s.phase < blocked {
			own = s.t
		}
		switch {
		case r.dead:
			r.rest(mail, own)
			return true
		case own < mail && own < e.limit || own < never && r.freely():
			if e.now = own; !r.glide(own, mail) {
				return false
			}
		case mail >= e.limit:
			r.rest(mail, own)
			return true
		default:
			r.take(mail)
		}
	}
}

// take takes up the next mail, and those after it that come before the limit, until the program goes on.
func (r *rank) take(at unit.Picos) {
	e := r.e
	for {
		e.now = at
		i := r.arrivals[0].mail
		m := &e.mails.items[i]
		if m.kind != eager || m.from == r.id {
			r.arrive(at)
			return
		}
		e.pop(&r.arrivals)
		r.arrivePlain(i, m)
		if r.main.phase < blocked || len(r.arrivals) == 0 {
			return
		}
		if at = r.arrivals[0].at; at >= e.limit {
			return
		}
	}
}

// glide is spin.
func (r *rank) glide(now, mail unit.Picos) bool {
	e, s := r.e, &r.main
	for {
		t := noTime
		switch e.now = now; {
		case s.phase == starting && r.ops[r.at-1].plain():
			e.ops++
			t = r.startPlain(&r.ops[r.at-1], now)
		case s.phase == collecting && s.op.Kind != Collective:
			t = r.collectPlain(s.on, s.op.Extra, now)
			s.on = 0
		case s.phase == working:
			s.t, s.phase = r.use(now, s.op.Work, Computing, 0, 0), starting
		default:
			r.step(s, now)
			if r.more != nil {
				r.more.after(r, s)
				return false
			}
		}
		if t != noTime {
			if r.at == len(r.ops) {
				r.advance(s, t)
			} else {
				s.t, s.op, s.phase = t, r.op(r.at), starting
				s.row++
				if r.at++; s.op.Work != 0 || s.op != &r.is {
					r.ready(s)
				}
			}
		}
		if now = s.t; s.phase >= blocked || (now >= mail || now >= e.limit || len(r.arrivals) > 0 && r.arrivals[0].at <= now) && !r.freely() || r.strides() {
			return true
		}
	}
}

// noTime is that the next operation is not begun.
const noTime = unit.Picos(-1)

// startPlain is start. It is when the operation has ended, or noTime.
func (r *rank) startPlain(op *packed, now unit.Picos) unit.Picos {
	on := special
	if op.kind > Isend || !r.e.long(int64(op.bytes)) {
		now, on = r.embark(op, now)
	}
	switch on {
	case 0:
		return now
	case special:
		r.start(&r.main, now)
	default:
		r.await(&r.main, on, now)
	}
	return noTime
}

// sendPlain is send, of a message that is not long, to another rank.
func (r *rank) sendPlain(op *packed, now unit.Picos) unit.Picos {
	e, bytes, tag, group := r.e, int64(op.bytes), op.tag, int32(op.group)
	carry, ok := e.plainCarry(bytes)
	if !ok {
		if carry = e.otherCarry(bytes); carry >= maxDuration {
			e.fail(tooLong(r.id, op.peer, bytes))
			return now
		}
	}
	if now > r.cpu {
		r.idle(now-r.cpu, 0, 0)
	}
	begun := r.cpu
	t := begun + e.Send
	r.account.Parts[Overhead] += e.Send
	r.cpu = t
	begins := max(begun, r.out)
	r.out = min(begins+e.Gap+carry, Horizon)
	at := max(begins+e.reach(), now+1)
	seq := r.sequence()
	if at >= Horizon {
		e.fail(tooLate(r.id, op.peer))
		return t
	}
	if op.peer < e.first || op.peer >= e.end {
		e.send(op.peer, &mail{at: at, late: begins - begun, bytes: bytes, from: r.id, seq: seq, tag: tag, group: group, kind: eager})
		return t
	}
	i := e.mails.add()
	m := &e.mails.items[i]
	m.at, m.late, m.bytes, m.from, m.seq, m.tag, m.group, m.node, m.next, m.kind = at, begins-begun, bytes, r.id, seq, tag, group, 0, 0, eager
	d := &e.ranks[op.peer]
	e.push(&d.arrivals, entry{at, r.id, i})
	if d.wants == r.id || d.wants == None {
		if d.more == nil {
			at += carry
			if !d.probes {
				at += e.Receive
			}
		}
		if at < d.next {
			d.next = at
			e.touch(d.id)
			e.driver.sooner(e, d)
		}
	}
	return t
}

// collectPlain is collect, but for collectives.
func (r *rank) collectPlain(on int32, extra, now unit.Picos) unit.Picos {
	p := &r.e.pendings.items[on]
	t, long := max(now, p.done), unit.Picos(0)
	if p.what == Irecv {
		long = r.e.Receive + extra
	}
	if t > r.cpu {
		r.idle(t-r.cpu, p.late, p.fly)
	}
	r.account.Parts[Overhead] += long
	r.cpu += long
	r.e.pendings.drop(on)
	return r.cpu
}

// arrivePlain is arrive, of a mail that is a whole message of another rank.
func (r *rank) arrivePlain(i int32, m *mail) {
	e := r.e
	carry, ok := e.plainCarry(m.bytes)
	if !ok {
		carry = e.otherCarry(m.bytes)
	}
	start := max(m.at, r.in)
	if r.in = start + e.Gap; e.Receiver {
		r.in = min(r.in+carry, Horizon)
	} else {
		queued := max(m.at, r.virt)
		r.virt = min(queued+e.Gap+carry, Horizon)
		r.account.Overlap += queued - start
	}
	m.late += start - m.at
	m.at = start + carry
	r.account.Messages++
	r.account.Bytes += m.bytes
	r.looks = min(r.looks+looksEach, mostLooks)
	n := r.match(m)
	if n == 0 {
		r.keep(i)
		if len(r.probers) > 0 {
			r.show(m, e.Latency+carry)
		}
		return
	}
	p := &e.pendings.items[n]
	if p.bytes < m.bytes && p.bytes > 0 {
		r.tooShort(p, m)
	}
	p.done, p.late, p.fly, p.bytes = m.at, m.late, e.Latency+carry, m.bytes
	e.mails.drop(i)
	switch {
	case p.left:
		e.pendings.drop(n)
	case p.waiter != 0:
		p.waiter = 0
		r.main.t, r.main.phase = max(r.main.t, p.done), collecting
	}
}
