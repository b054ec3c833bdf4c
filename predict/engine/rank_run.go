package engine

import "spoor/traces/unit"

// run acts up to the limit: what comes at a time is before what the program does then.
func (r *rank) run() {
	e := r.e
	e.markDirty(r.id)
	if e.fast && r.tasks == nil && r.runFast() {
		return
	}
	for {
		mail, own := r.arrivalTime(), r.programTime()
		mailFirst := mail <= own
		if mail == own && e.LogGOPSim {
			mailFirst = r.arrivalIsFirst(own)
		}
		switch {
		case r.failed:
			r.updateNext(mail, own)
			return
		case mailFirst && mail < e.limit:
			e.now = mail
			r.arrive(mail)
		case !mailFirst && own < e.limit:
			if e.now = own; r.tasks == nil {
				r.runProgram(own, mail)
			} else {
				r.runTask(own)
			}
		default:
			r.updateNext(mail, own)
			return
		}
	}
}

// goesOnAtAll is whether r would act after the end of time.
func (r *rank) hasWork() bool {
	if r.tasks == nil {
		return r.main.phase < blocked
	}
	for _, w := range r.tasks.ready {
		if len(w) > 0 {
			return true
		}
	}
	return false
}

// rest finds when r acts on others next if nothing more comes. What it does before, it does then:
// messages that it does not wait for, and work.
func (r *rank) updateNext(mail, own unit.Picos) {
	s := &r.main
	r.probes = s.op != nil && s.op.Kind == Probe
	switch {
	case r.failed:
		r.source, r.next = noSource, never
	case s.phase == suspended && r.urgent == 0:
		r.source, r.next = noSource, never
	case r.tasks != nil || r.urgent > 0:
		r.source, r.next = None, min(mail, own)
	case s.phase == working:
		r.source, r.next = noSource, own+s.op.Work
	case s.phase == selecting:
		r.source = None
		r.next = min(own, r.earliestEffect(mail))
	case s.phase != blocked:
		r.source, r.next = noSource, own
	default:
		if r.source = s.op.Peer; s.op.Kind == WaitAny {
			r.source = None
		} else if s.op.Kind != Probe {
			r.source = r.e.pendingOps.items[r.lastAwaited()].from
		}
		r.next = r.earliestEffect(mail)
	}
}

// nobody is who is waited for by a rank that does not wait.
const noSource int32 = -2

// few is how many mails are looked through for those that are waited for; of more, each that was taken up pays for looksEach, and so many may be saved.
const (
	maxScan        = 32
	scanPerArrival = 4
	maxScanBudget  = 1 << 20
)

// earliest is when r can act on others after the first mail from whom it wants, or earlier.
func (r *rank) earliestEffect(mail unit.Picos) unit.Picos {
	if n := len(r.arrivals) - maxScan; n > 0 {
		if n > int(r.scanBudget) {
			return mail
		}
		r.scanBudget -= int32(n)
	}
	at := never
	for i := range r.arrivals {
		if a := &r.arrivals[i]; a.from == r.source || r.source == None {
			at = min(at, max(mail, a.at)+r.effectDelay(&r.e.packets.items[a.packet]))
		}
	}
	return at
}

// delay is how long it takes at least from the first byte of a message until r, which waits for it,
// acts on others.
func (r *rank) effectDelay(m *packet) (long unit.Picos) {
	e := r.e
	if r.tasks != nil {
		return 0
	}
	if !e.usesLinks() && m.from != r.id {
		long = e.bytesTime(m.bytes)
	}
	if !r.probes || e.LogGOPSim {
		long += e.receiveOverhead(m.bytes)
	}
	return long
}

// spin has the program go on as long as nothing else comes.
func (r *rank) runProgram(now, mail unit.Picos) {
	s := &r.main
	for {
		r.step(s, now)
		if r.tasks != nil { // it has begun a nonblocking collective, and is one of several
			r.tasks.requeue(r, s)
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
func (r *rank) arrivalTime() unit.Picos {
	at := never
	if len(r.arrivals) > 0 {
		if at = r.arrivals[0].at; r.e.LogGOPSim {
			at = max(at, r.cpu, r.inFree)
		}
	}
	if len(r.releases) > 0 {
		at = min(at, r.releases[0].at)
	}
	return at
}

// ownTime is when the program of r goes on.
func (r *rank) programTime() unit.Picos {
	if r.tasks != nil {
		return r.tasks.nextTime(r)
	}
	s := &r.main
	if s.phase >= blocked {
		return never
	}
	return r.availableAt(s.t, r.resourceFor(s))
}

// goesOn is when who could go on at a time has what it needs.
func (r *rank) availableAt(t unit.Picos, n resource) unit.Picos {
	switch n {
	case port:
		return max(t, r.cpu, r.outFree)
	case processor:
		return max(t, r.cpu)
	}
	return t
}
