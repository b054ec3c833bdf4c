package engine

import (
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// run simulates the rank up to the limit. An arrival at a time is handled before the program acts at that time.
func (r *rank) run() {
	e := r.e
	e.markDirty(r.id)
	if e.fast && r.tasks == nil && r.runFast() {
		return
	}
	for r.main.phase != fetching {
		nextArrival, nextAction := r.arrivalTime(), r.programTime()
		arrivalFirst := nextArrival <= nextAction
		if nextArrival == nextAction && e.LogGOPSim {
			arrivalFirst = r.arrivalIsFirst(nextAction)
		}
		switch {
		case r.failed:
			r.updateNext(nextArrival, nextAction)
			return
		case arrivalFirst && nextArrival < e.limit:
			e.now = nextArrival
			r.arrive(nextArrival)
		case !arrivalFirst && nextAction < e.limit:
			if e.now = nextAction; r.tasks == nil {
				r.runProgram(nextAction, nextArrival)
			} else {
				r.runTask(nextAction)
			}
		default:
			r.updateNext(nextArrival, nextAction)
			return
		}
	}
}

// hasWork reports whether r would still act.
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

// updateNext computes when r next affects other ranks if no further packet comes. Work, and messages that r does not
// wait for, affect no other rank and are done then.
func (r *rank) updateNext(nextArrival, nextAction unit.Picos) {
	s := &r.main
	r.probes = s.op != nil && s.op.Kind == program.Probe
	switch {
	case r.failed:
		r.source, r.next = noSource, never
	case s.phase == suspended && r.urgent == 0:
		r.source, r.next = noSource, never
	case r.tasks != nil || r.urgent > 0:
		r.source, r.next = program.None, min(nextArrival, nextAction)
	case s.phase == working:
		r.source, r.next = noSource, nextAction+s.op.Work
	case s.phase == selecting:
		r.source = program.None
		r.next = min(nextAction, r.earliestEffect(nextArrival))
	case s.phase != blocked:
		r.source, r.next = noSource, nextAction
	default:
		if r.source = s.op.Peer; s.op.Kind == program.WaitAny {
			r.source = program.None
		} else if s.op.Kind != program.Probe {
			r.source = r.e.pendingOps.Items[r.lastAwaited()].from
		}
		r.next = r.earliestEffect(nextArrival)
	}
}

// noSource is the source of a rank that waits for no message.
const noSource int32 = -2

// Up to maxScan arrivals are searched for those that the rank waits for. Above that, each arrival that was taken up
// pays for scanPerArrival more; the budget is at most maxScanBudget.
const (
	maxScan        = 32
	scanPerArrival = 4
	maxScanBudget  = 1 << 20
)

// earliestEffect returns a lower bound on the time at which r affects others, after the first packet from its source.
func (r *rank) earliestEffect(nextArrival unit.Picos) unit.Picos {
	if n := len(r.arrivals) - maxScan; n > 0 {
		if n > int(r.scanBudget) {
			return nextArrival
		}
		r.scanBudget -= int32(n)
	}
	at := never
	for i := range r.arrivals {
		if a := &r.arrivals[i]; a.from == r.source || r.source == program.None {
			at = min(at, max(nextArrival, a.at)+r.effectDelay(&r.e.packets.Items[a.packet]))
		}
	}
	return at
}

// effectDelay returns a lower bound on the time from the first byte of a message until r, which waits for it, affects
// others.
func (r *rank) effectDelay(m *packet) (long unit.Picos) {
	e := r.e
	if r.tasks != nil {
		return 0
	}
	if !e.UsesLinks() && m.from != r.id {
		long = e.BytesTime(m.bytes)
	}
	if !r.probes || e.LogGOPSim {
		long += e.ReceiveOverheadFrom(m.from, r.id, m.bytes)
	}
	return long
}

// runProgram runs the program as long as no packet arrives.
func (r *rank) runProgram(now, nextArrival unit.Picos) {
	s := &r.main
	for {
		r.step(s, now)
		if r.tasks != nil { // a nonblocking collective began: the program is now one of several tasks
			r.tasks.requeue(r, s)
			return
		}
		if s.phase >= blocked || s.t >= nextArrival || s.t >= r.e.limit {
			return
		}
		if r.e.LogGOPSim || len(r.arrivals) > 0 && r.arrivals[0].at <= s.t {
			return
		}
		now = s.t
		r.e.now = now
	}
}

// arrivalTime returns when r takes up the next packet.
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

// programTime returns when the program of r goes on.
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

// availableAt returns when a task that could go on at t has the resource that it needs.
func (r *rank) availableAt(t unit.Picos, n resource) unit.Picos {
	switch n {
	case port:
		return max(t, r.cpu, r.outFree)
	case processor:
		return max(t, r.cpu)
	}
	return t
}
