package engine

import "spoor/traces/unit"

// agenda is when LogGOPSim scheduled what a strand does: of two things that need the processor when it is free, that which was scheduled first
// is first. An operation schedules what follows when it begins: computation and sends when they have the processor, a receive when its message has, or when
// it is posted if that was before. What is nonblocking is scheduled together, up to the next wait, and that schedules what follows when the
// last of it has begun. In other semantics there is none.
type enqueueStamp struct {
	enqueued   unit.Picos // when the present operation was scheduled
	lastBegun  unit.Picos // when the last operation began of those that were scheduled with it
	firstReady unit.Picos // when the first of them could begin
}

// atFirst is before all that is scheduled at any time.
const beforeAll unit.Picos = -1

// did is that an operation began at a time.
func (a *enqueueStamp) began(at unit.Picos) {
	if a != nil {
		a.lastBegun = max(a.lastBegun, at)
	}
}

// posted is that a receive was.
func (a *enqueueStamp) postedReceive() {
	if a != nil {
		a.lastBegun = max(a.lastBegun, a.firstReady)
	}
}

// follow is that what follows those that began is scheduled, and can begin at a time.
func (a *enqueueStamp) enqueueNext(begin unit.Picos) {
	if a != nil {
		a.enqueued, a.firstReady = a.lastBegun, begin
	}
}

// taken is when a pending operation that has ended began: when the processor took up the message.
func (r *rank) tookUpAt(p *pendingOp) unit.Picos {
	if p.kind != Irecv {
		return p.done
	}
	return p.done - r.e.Receive - r.e.bytesTime(p.bytes)
}

// mailIsFirst is whether a rank of LogGOPSim takes up a mail before it goes on, when it could do either at a time.
func (r *rank) arrivalIsFirst(now unit.Picos) bool {
	e := r.e
	if now == never || len(r.releases) > 0 && r.releases[0].at == now {
		return true
	}
	since := beforeAll
	if r.tasks != nil {
		since = r.tasks.nextEnqueued(r, now)
	} else if s := &r.main; r.resourceFor(s) != nothing {
		since = s.stamp.enqueued
	}
	sent := r.arrivals[0].at - e.Latency - e.Send
	return sent < since || sent == since && r.arrivals[0].from < r.id
}
