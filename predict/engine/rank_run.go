package engine

import "spoor/traces/unit"

// run acts up to the limit: what comes at a time is before what the program does then.
func (r *rank) run() {
	e := r.e
	e.touch(r.id)
	if e.plain && r.more == nil && r.runPlain() {
		return
	}
	for {
		mail, own := r.mailTime(), r.ownTime()
		mailFirst := mail <= own
		if mail == own && e.LogGOPSim {
			mailFirst = r.mailIsFirst(own)
		}
		switch {
		case r.dead:
			r.rest(mail, own)
			return
		case mailFirst && mail < e.limit:
			e.now = mail
			r.arrive(mail)
		case !mailFirst && own < e.limit:
			if e.now = own; r.more == nil {
				r.spin(own, mail)
			} else {
				r.turn(own)
			}
		default:
			r.rest(mail, own)
			return
		}
	}
}

// goesOnAtAll is whether r would act after the end of time.
func (r *rank) goesOnAtAll() bool {
	if r.more == nil {
		return r.main.phase < blocked
	}
	for _, w := range r.more.wait {
		if len(w) > 0 {
			return true
		}
	}
	return false
}

// rest finds when r acts on others next if nothing more comes. What it does before, it does then:
// messages that it does not wait for, and work.
func (r *rank) rest(mail, own unit.Picos) {
	s := &r.main
	r.probes = s.op != nil && s.op.Kind == Probe
	switch {
	case r.dead:
		r.wants, r.next = nobody, never
	case s.phase == away && r.urgent == 0:
		r.wants, r.next = nobody, never
	case r.more != nil || r.urgent > 0:
		r.wants, r.next = None, min(mail, own)
	case s.phase == working:
		r.wants, r.next = nobody, own+s.op.Work
	case s.phase == choosing:
		r.wants = None
		r.next = min(own, r.earliest(mail))
	case s.phase != blocked:
		r.wants, r.next = nobody, own
	default:
		if r.wants = s.op.Peer; s.op.Kind == WaitAny {
			r.wants = None
		} else if s.op.Kind != Probe {
			r.wants = r.e.pendings.items[r.awaited()].from
		}
		r.next = r.earliest(mail)
	}
}

// nobody is who is waited for by a rank that does not wait.
const nobody int32 = -2

// few is how many mails are looked through for those that are waited for; of more, each that was taken up pays for looksEach, and so many may be saved.
const (
	few       = 32
	looksEach = 4
	mostLooks = 1 << 20
)

// earliest is when r can act on others after the first mail from whom it wants, or earlier.
func (r *rank) earliest(mail unit.Picos) unit.Picos {
	if n := len(r.arrivals) - few; n > 0 {
		if n > int(r.looks) {
			return mail
		}
		r.looks -= int32(n)
	}
	at := never
	for i := range r.arrivals {
		if a := &r.arrivals[i]; a.from == r.wants || r.wants == None {
			at = min(at, max(mail, a.at)+r.delay(&r.e.mails.items[a.mail]))
		}
	}
	return at
}

// delay is how long it takes at least from the first byte of a message until r, which waits for it,
// acts on others.
func (r *rank) delay(m *mail) (long unit.Picos) {
	e := r.e
	if r.more != nil {
		return 0
	}
	if !e.linked() && m.from != r.id {
		long = e.carry(m.bytes)
	}
	if !r.probes || e.LogGOPSim {
		long += e.receiving(m.bytes)
	}
	return long
}

// spin has the program go on as long as nothing else comes.
func (r *rank) spin(now, mail unit.Picos) {
	s := &r.main
	for {
		r.step(s, now)
		if r.more != nil { // it has begun a nonblocking collective, and is one of several
			r.more.after(r, s)
			return
		}
		if s.phase >= blocked || s.t >= mail || s.t >= r.e.limit {
			return
		}
		if r.e.LogGOPSim || len(r.arrivals) > 0 && r.arrivals[0].at <= s.t {
			return
		}
		now = s.t
		r.e.now = now
	}
}

// mailTime is when r takes up the next mail.
func (r *rank) mailTime() unit.Picos {
	at := never
	if len(r.arrivals) > 0 {
		if at = r.arrivals[0].at; r.e.LogGOPSim {
			at = max(at, r.cpu, r.in)
		}
	}
	if len(r.releases) > 0 {
		at = min(at, r.releases[0].at)
	}
	return at
}

// ownTime is when the program of r goes on.
func (r *rank) ownTime() unit.Picos {
	if r.more != nil {
		return r.more.time(r)
	}
	s := &r.main
	if s.phase >= blocked {
		return never
	}
	return r.goesOn(s.t, r.need(s))
}

// goesOn is when who could go on at a time has what it needs.
func (r *rank) goesOn(t unit.Picos, n need) unit.Picos {
	switch n {
	case port:
		return max(t, r.cpu, r.out)
	case processor:
		return max(t, r.cpu)
	}
	return t
}
