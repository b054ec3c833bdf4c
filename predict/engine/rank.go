package engine

import (
	"fmt"
	"unsafe"

	"spoor/traces/unit"
)

// rank is one rank: its program, its processor and ports, what has been posted and what comes.
// Nobody else changes it, but for mails that are put into arrivals. What is used together is together, in lines of memory, as
// there are more ranks than the fastest memory holds.
type rank struct {
	// What others look at who send to it.
	id          int32
	source      int32      // who sends what it waits for, None: any, or nobody
	next        unit.Picos // when it acts on others next
	arrivals    arrivalHeap
	window      int64 // in which it acts next, if there are windows
	tasks       *taskQueue
	probes      bool       // it waits for a message, and not to have it
	failed      bool       // has failed
	urgent      int32      // mails of arrivals that others wait for, and releases
	arrivalRoom [4]arrival // where arrivals begin

	// What it acts on: its processor, its ports, its program.
	inline     inlineTables
	e          *engine
	seq        uint32 // of mails sent
	scanBudget int32  // see earliest
	requests   requestTable
	at         int // of ops, the one after main's
	inbox      inbox
	virtualIn  unit.Picos // when the port would be, if bytes held it
	account    Rank
	ops        []packedOp
	cpu        unit.Picos // until when its processor's time is accounted for
	outFree    unit.Picos // when its ports are free
	inFree     unit.Picos
	mainOp     Op   // main's, unless it is wide
	main       task // the program, if it is no graph

	// What most ranks have no use for.
	releases    arrivalHeap // they need no processor
	probers     []int32     // strands
	anyRequests []int32     // requests of a WaitAny
	graph       *graph
	program     Program
	wide        []Op // of ops
	polls       pollCount
	_           [16]byte
}

// hot is where the part ends of a rank that is used again and again: with the first part of main.
const hot = unsafe.Offsetof(rank{}.main) + unsafe.Offsetof(task{}.completes)

// own is room for what most ranks need of requests and inbox.
type inlineTables struct {
	requests [leastRequests]request
	slots    [leastSlots]slot
}

// open has r begin in its own room.
func (r *rank) open() {
	r.arrivals = r.arrivalRoom[:0]
	r.requests.slots = r.inline.requests[:]
	r.inbox.slots, r.inbox.shift = r.inline.slots[:], shiftOf(leastSlots)
}

// begin readies the first operations.
func (r *rank) start(p Program) {
	r.open()
	if r.program, r.e.active = p, r.id; r.e.LogGOPSim {
		r.main.stamp = &enqueueStamp{enqueued: beforeAll}
	}
	if p.Graph != nil {
		if err := r.load(); err != nil {
			r.e.fail(fmt.Errorf("rank %d: %w", r.id, err))
		}
		return
	}
	r.main.row = -1
	r.advance(&r.main, 0)
}

// advance goes to the next operation of the program.
func (r *rank) advance(s *task, t unit.Picos) {
	s.t = t
	s.row++
	if r.at == len(r.ops) && !r.fetchOps(s, t) {
		return
	}
	s.op = r.op(r.at)
	r.at++
	r.beginOp(s)
	if s.op.Kind == Suspended && s.phase == starting && s.row > 0 { // not at the start, when not all ranks are there
		r.step(s, t) // now, even if others act before: who leaves at a time is there when what is beside the engine acts at that time
	}
}

// proceed has the program give its next operations, unless it is at its end.
func (r *rank) fetchOps(s *task, t unit.Picos) bool {
	if r.e.direct != nil {
		r.e.direct.Resumed(r.id, t)
	}
	ops, err := r.nextOps()
	switch interrupted := r.e.ctx.Err(); { // who acts alone, or takes no time, does so for as long as its program lasts
	case interrupted != nil:
		r.e.fail(interrupted)
		return false
	case err != nil:
		r.e.fail(fmt.Errorf("rank %d: %w", r.id, err))
		return false
	case ops.Len() == 0:
		s.phase = ended
		r.occupy(t, 0, Overhead, 0, 0)
		return false
	}
	r.ops, r.wide, r.at = ops.all, ops.wide, 0
	return true
}

// op is the i-th operation, which is main's from now on.
func (r *rank) op(i int) *Op {
	p := &r.ops[i]
	if p.kind == isWide {
		return &r.wide[p.request]
	}
	p.into(&r.mainOp)
	return &r.mainOp
}

// ready begins an operation.
func (r *rank) beginOp(s *task) {
	op := s.op
	if s.phase = starting; op.Work > 0 {
		s.phase = working
	} else if r.e.LogGOPSim && (op.Kind == Recv || op.Kind == Irecv) {
		s.t = max(s.t, r.cpu) // posted when the processor has done with what it took up before
	}
	if !op.valid() {
		r.e.fail(fmt.Errorf("rank %d: operation %d has %d ps of work, %d ps of overhead and %d bytes", r.id, s.row, op.Work, op.Extra, op.Bytes))
	}
}

// sound is whether an operation has durations and bytes that there are.
func (op *Op) valid() bool {
	return uint64(op.Work) <= uint64(maxDuration) && uint64(op.Extra) <= uint64(maxDuration) && op.Bytes >= 0
}

// use has the processor spend a time on something, from a time on or when it is free. Where it
// was idle before, it waited for a message that was late, and on its way.
func (r *rank) occupy(at, long unit.Picos, part Part, portWait, flight unit.Picos) unit.Picos {
	if idle := at - r.cpu; idle > 0 {
		r.accountIdle(idle, portWait, flight)
	}
	r.account.Parts[part] += long
	if r.e.obs != nil && long > 0 {
		r.e.obs.Span(r.id, part, r.cpu, r.cpu+long)
	}
	r.cpu += long
	return r.cpu
}

// idle accounts for a time in which the processor waited.
func (r *rank) accountIdle(idle, portWait, flight unit.Picos) {
	r.e.causes.now.Flight = flight
	portWait = min(portWait, idle)
	flight = min(flight, idle-portWait)
	if r.e.obs == nil {
		r.account.Parts[Waiting] += idle - portWait - flight
		r.account.Parts[Contention] += portWait
		r.account.Parts[Latency] += flight
		r.cpu += idle
		return
	}
	for _, part := range [...]struct {
		what Part
		long unit.Picos
	}{{Waiting, idle - portWait - flight}, {Contention, portWait}, {Latency, flight}} {
		if part.long > 0 {
			r.account.Parts[part.what] += part.long
			r.e.obs.Span(r.id, part.what, r.cpu, r.cpu+part.long)
			r.cpu += part.long
		}
	}
	r.e.obs.Waited(r.id, r.e.causes.now)
}

// finish ends the operation of a strand.
func (r *rank) finish(s *task, t unit.Picos) {
	if r.e.obs != nil && s.completes == 0 && s.op.Kind != AddToWaitAny {
		r.e.obs.Ended(r.id, s.row, t)
	}
	if s == &r.main {
		r.advance(s, t)
		return
	}
	r.endTask(s, t)
}
