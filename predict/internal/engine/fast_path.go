package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// This file is the fast path for most messages: eager messages in LogGP, of programs without an observer that do one
// operation after the other. The functions do the same as runProgram, startOp, send and arrive in fewer steps. They
// call these for special cases.

// canRunFast reports whether the fast path applies.
func (e *engine) canRunFast() bool {
	return e.obs == nil && e.direct == nil && !e.LogGOPSim && !e.UsesLinks() && e.Sizes == nil && e.Arrivals == (cost.Arrivals{})
}

// runFast does the same as run. It reports false when the fast path no longer applies to the rank. The processor of
// the rank is never busy beyond the time at which its program goes on.
func (r *rank) runFast() bool {
	e, s := r.e, &r.main
	if e.runsAhead() {
		e.aheadLeft = maxAhead
	}
	for {
		if r.canBatch() {
			r.runBatch()
		}
		nextArrival, nextAction := never, never
		if len(r.arrivals) > 0 {
			nextArrival = r.arrivals[0].at
		}
		if s.phase < blocked {
			nextAction = s.t
		}
		switch {
		case r.failed:
			r.updateNext(nextArrival, nextAction)
			return true
		case nextAction < nextArrival && nextAction < e.limit || nextAction < never && r.mayRunAhead():
			if e.now = nextAction; !r.runProgramFast(nextAction, nextArrival) {
				return false
			}
		case nextArrival >= e.limit:
			r.updateNext(nextArrival, nextAction)
			return true
		default:
			r.takeArrivals(nextArrival)
		}
	}
}

// takeArrivals takes up the next packet, and those after it that come before the limit, until the program goes on.
func (r *rank) takeArrivals(at unit.Picos) {
	e := r.e
	for {
		e.now = at
		i := r.arrivals[0].packet
		m := &e.packets.Items[i]
		if m.kind != eager || m.from == r.id {
			r.arrive(at)
			return
		}
		e.pop(&r.arrivals)
		r.arriveFast(i, m)
		if r.main.phase < blocked || len(r.arrivals) == 0 {
			return
		}
		if at = r.arrivals[0].at; at >= e.limit {
			return
		}
	}
}

// runProgramFast does the same as runProgram.
func (r *rank) runProgramFast(now, nextArrival unit.Picos) bool {
	e, s := r.e, &r.main
	for {
		t := noTime
		switch e.now = now; {
		case s.phase == starting && r.ops[r.at-1].IsCommon():
			e.ops++
			t = r.startFast(&r.ops[r.at-1], now)
		case s.phase == collecting && s.op.Kind != program.Collective:
			t = r.collectFast(s.pending, s.op.Extra, now)
			s.pending = 0
		case s.phase == working:
			s.t, s.phase = r.occupy(now, s.op.Work, observe.Computing, 0, 0), starting
		default:
			r.step(s, now)
			if r.tasks != nil {
				r.tasks.requeue(r, s)
				return false
			}
		}
		if t != noTime {
			if r.at == len(r.ops) {
				r.advance(s, t)
			} else {
				s.t, s.op, s.phase = t, r.op(r.at), starting
				s.row++
				if r.at++; s.op.Work != 0 || s.op != &r.mainOp {
					r.beginOp(s)
				}
			}
		}
		if now = s.t; s.phase >= blocked || (now >= nextArrival || now >= e.limit || len(r.arrivals) > 0 && r.arrivals[0].at <= now) && !r.mayRunAhead() || r.canBatch() {
			return true
		}
	}
}

// noTime means that the next operation has not begun.
const noTime = unit.Picos(-1)

// startFast does the same as startOp. It returns when the operation has ended, or noTime.
func (r *rank) startFast(op *program.Packed, now unit.Picos) unit.Picos {
	on := notStarted
	if op.Kind > program.Isend || !r.e.IsRendezvous(int64(op.Bytes)) {
		now, on = r.issueFast(op, now)
	}
	switch on {
	case 0:
		return now
	case notStarted:
		r.startOp(&r.main, now)
	default:
		r.blockOn(&r.main, on, now)
	}
	return noTime
}

// sendFast does the same as send, for an eager message to another rank.
func (r *rank) sendFast(op *program.Packed, now unit.Picos) unit.Picos {
	e, bytes, tag, group := r.e, int64(op.Bytes), op.Tag, int32(op.Group)
	carry, ok := e.BytesTimeFast(bytes)
	if !ok {
		if carry = e.BytesTimeSlow(bytes); carry >= cost.MaxDuration {
			e.fail(cost.ErrTooLong(r.id, op.Peer, bytes))
			return now
		}
	}
	if now > r.cpu {
		r.accountIdle(now-r.cpu, 0, 0)
	}
	begun := r.cpu
	t := begun + e.Send
	r.account.Parts[observe.Overhead] += e.Send
	r.cpu = t
	begins := max(begun, r.outFree)
	r.outFree = min(begins+e.Gap+carry, cost.Horizon)
	at := max(begins+e.FirstByteDelay(), now+1)
	seq := r.sequence()
	if at >= cost.Horizon {
		e.fail(cost.ErrTooLate(r.id, op.Peer))
		return t
	}
	if op.Peer < e.first || op.Peer >= e.end {
		e.sendRemote(op.Peer, &packet{at: at, portWait: begins - begun, bytes: bytes, from: r.id, seq: seq, tag: tag, group: group, kind: eager})
		return t
	}
	i := e.packets.Add()
	m := &e.packets.Items[i]
	m.at, m.portWait, m.bytes, m.from, m.seq, m.tag, m.group, m.pending, m.next, m.kind = at, begins-begun, bytes, r.id, seq, tag, group, 0, 0, eager
	d := &e.ranks[op.Peer]
	e.push(&d.arrivals, arrival{at, r.id, i})
	if d.source == r.id || d.source == program.None {
		if d.tasks == nil {
			at += carry
			if !d.probes {
				at += e.Receive
			}
		}
		if at < d.next {
			d.next = at
			e.markDirty(d.id)
			e.driver.sooner(e, d)
		}
	}
	return t
}

// collectFast does the same as collect, except for collectives.
func (r *rank) collectFast(on int32, extra, now unit.Picos) unit.Picos {
	p := &r.e.pendingOps.Items[on]
	t, long := max(now, p.done), unit.Picos(0)
	if p.kind == program.Irecv {
		long = r.e.Receive + extra
	}
	if t > r.cpu {
		r.accountIdle(t-r.cpu, p.portWait, p.flight)
	}
	r.account.Parts[observe.Overhead] += long
	r.cpu += long
	r.e.pendingOps.Drop(on)
	return r.cpu
}

// arriveFast does the same as arrive, for a whole message of another rank.
func (r *rank) arriveFast(i int32, m *packet) {
	e := r.e
	carry, ok := e.BytesTimeFast(m.bytes)
	if !ok {
		carry = e.BytesTimeSlow(m.bytes)
	}
	start := max(m.at, r.inFree)
	if r.inFree = start + e.Gap; e.ReceiverPort {
		r.inFree = min(r.inFree+carry, cost.Horizon)
	} else {
		queued := max(m.at, r.virtualIn)
		r.virtualIn = min(queued+e.Gap+carry, cost.Horizon)
		r.account.Overlap += queued - start
	}
	m.portWait += start - m.at
	m.at = start + carry
	r.account.Messages++
	r.account.Bytes += m.bytes
	r.scanBudget = min(r.scanBudget+scanPerArrival, maxScanBudget)
	n := r.match(m)
	if n == 0 {
		r.storeUnmatched(i)
		if len(r.probers) > 0 {
			r.wakeProbers(m, e.Latency+carry)
		}
		return
	}
	p := &e.pendingOps.Items[n]
	if p.bytes < m.bytes && p.bytes > 0 {
		r.noteTruncation(p, m)
	}
	p.done, p.portWait, p.flight, p.bytes = m.at, m.portWait, e.Latency+carry, m.bytes
	e.packets.Drop(i)
	switch {
	case p.abandoned:
		e.pendingOps.Drop(n)
	case p.waiter != 0:
		p.waiter = 0
		r.main.t, r.main.phase = max(r.main.t, p.done), collecting
	}
}
