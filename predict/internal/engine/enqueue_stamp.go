package engine

import (
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// enqueueStamp is when LogGOPSim enqueued the operation of a task. A free processor does what was enqueued first. An
// operation enqueues its successors when it begins. Computation and sends begin when they get the processor. A
// receive begins when its message gets the processor or when it is posted, whichever is later. Nonblocking operations
// are enqueued together, up to the next wait. The wait enqueues its successors when the last of them has begun. Other
// semantics have no stamp.
type enqueueStamp struct {
	enqueued   unit.Picos // when the present operation was enqueued
	lastBegun  unit.Picos // when the last of the operations enqueued with it began
	firstReady unit.Picos // when the first of them could begin
}

// beforeAll is before every enqueue time.
const beforeAll unit.Picos = -1

// began notes that an operation began at a time.
func (a *enqueueStamp) began(at unit.Picos) {
	if a != nil {
		a.lastBegun = max(a.lastBegun, at)
	}
}

// postedReceive notes that a receive was posted.
func (a *enqueueStamp) postedReceive() {
	if a != nil {
		a.lastBegun = max(a.lastBegun, a.firstReady)
	}
}

// enqueueNext enqueues the successors of the operations that began. They can begin at a time.
func (a *enqueueStamp) enqueueNext(begin unit.Picos) {
	if a != nil {
		a.enqueued, a.firstReady = a.lastBegun, begin
	}
}

// tookUpAt returns when the processor took up the message of an ended pending operation.
func (r *rank) tookUpAt(p *pendingOp) unit.Picos {
	if p.kind != program.Irecv {
		return p.done
	}
	return p.done - r.e.Receive - r.e.BytesTime(p.bytes)
}

// arrivalIsFirst reports whether a rank takes up a packet before it goes on when it could do either at a time
// (LogGOPSim).
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
