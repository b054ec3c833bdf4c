package engine

import (
	"fmt"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/traces/unit"
)

// rank is the state of one rank: its program, processor, ports, posted operations and arriving packets. Only the rank
// itself changes it, except that senders add packets to arrivals. Fields that are used together share cache lines,
// because not all ranks fit into the fastest cache.
type rank struct {
	// Fields that senders to this rank read.
	id          int32
	source      int32      // the sender it waits for; None: any sender; noSource: it does not wait for one
	next        unit.Picos // when it next affects other ranks
	arrivals    arrivalHeap
	window      int64 // in which it acts next, with windowDriver
	tasks       *taskQueue
	probes      bool       // it waits for a message in a Probe, without receiving it
	failed      bool       // has failed
	urgent      int32      // urgent packets in arrivals, and acks
	arrivalRoom [4]arrival // first storage of arrivals

	// Fields that the rank itself uses: its processor, ports and program.
	inline     inlineTables
	e          *engine
	seq        uint32 // of packets sent
	scanBudget int32  // see earliestEffect
	requests   table.Requests
	at         int // index in ops of the operation after main's
	inbox      inbox
	virtualIn  unit.Picos // when the receive port would be free if bytes held it
	account    outcome.Rank
	ops        []program.Packed
	cpu        unit.Picos // until when the processor's time is accounted for
	outFree    unit.Picos // when the ports are free
	inFree     unit.Picos
	mainOp     program.Op // main's operation, unless it is wide
	main       task       // the task of the program, if it is no graph

	// Fields that most ranks do not use.
	releases    arrivalHeap // acks need no processor
	probers     []int32     // tasks in a Probe
	anyRequests []int32     // requests of a WaitAny
	graph       *graph
	program     program.Program
	wide        []program.Op // of ops
	polls       pollCount
	computed    unit.Picos // cpu, while the processor computes; only with Model.Interrupts
	_           [16]byte
}

// hot is the offset at which the frequently used part of a rank ends. That part includes the first fields of main.
const hot = unsafe.Offsetof(rank{}.main) + unsafe.Offsetof(task{}.completes)

// inlineTables is room for the requests and the inbox of most ranks.
type inlineTables struct {
	requests [table.Least]table.Request
	slots    [leastSlots]slot
}

// open points the tables of r to its inline room.
func (r *rank) open() {
	r.arrivals = r.arrivalRoom[:0]
	r.requests.Slots = r.inline.requests[:]
	r.inbox.slots, r.inbox.shift = r.inline.slots[:], shiftOf(leastSlots)
}

// start reads the first operations.
func (r *rank) start(p program.Program) {
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
	if r.at < len(r.ops) || r.fetchOps(s, t) {
		r.beginNext(s)
	}
}

// beginNext begins the next of the operations that r has.
func (r *rank) beginNext(s *task) {
	s.op = r.op(r.at)
	r.at++
	r.beginOp(s)
	if s.op.Kind == program.Suspended && s.phase == starting && s.row > 0 { // not at the start, when not all ranks exist yet
		// At once, even before earlier events of other ranks: a rank that suspends at t must be known when the
		// co-simulator acts at t.
		r.step(s, s.t)
	}
}

// fetchOps gets the next operations from the program. It reports false at the end of the program, and if a worker must
// run the program first.
func (r *rank) fetchOps(s *task, t unit.Picos) bool {
	if r.e.direct != nil {
		r.e.direct.Resumed(r.id, t)
	}
	ops, err, known := r.knownOps()
	switch {
	case known:
	case r.e.segments != nil && r.tasks == nil:
		s.phase = fetching
		r.e.segments.fetching = append(r.e.segments.fetching, r)
		return false
	default:
		ops, err = r.program.Next()
	}
	return r.takeOps(s, t, ops, err)
}

// takeOps makes operations of the program the next ones. It reports false at the end of the program.
func (r *rank) takeOps(s *task, t unit.Picos, ops program.Ops, err error) bool {
	// A rank that acts alone or takes no time acts until its program ends, so it checks the context itself.
	switch interrupted := r.e.ctx.Err(); {
	case interrupted != nil:
		r.e.fail(interrupted)
		return false
	case err != nil:
		r.e.fail(fmt.Errorf("rank %d: %w", r.id, err))
		return false
	case ops.Len() == 0:
		s.phase = ended
		r.occupy(t, 0, observe.Overhead, 0, 0)
		return false
	}
	r.ops, r.wide, r.at = ops.All, ops.Wide, 0
	return true
}

// op returns the i-th operation, which becomes main's.
func (r *rank) op(i int) *program.Op {
	p := &r.ops[i]
	if p.Kind == program.IsWide {
		return &r.wide[p.Request]
	}
	p.Into(&r.mainOp)
	return &r.mainOp
}

// beginOp begins an operation.
func (r *rank) beginOp(s *task) {
	op := s.op
	if s.phase = starting; op.Work > 0 {
		s.phase = working
	} else if r.e.LogGOPSim && (op.Kind == program.Recv || op.Kind == program.Irecv) {
		s.t = max(s.t, r.cpu) // posted when the processor has finished what it took up before
	}
	if !isValid(op) {
		r.e.fail(fmt.Errorf("rank %d: operation %d is invalid: %d ps of work, %d ps of overhead, %d bytes", r.id, s.row, op.Work, op.Extra, op.Bytes))
	}
}

// isValid reports whether the durations and bytes of an operation are in range.
func isValid(op *program.Op) bool {
	return uint64(op.Work) <= uint64(cost.MaxDuration) && uint64(op.Extra) <= uint64(cost.MaxDuration) && op.Bytes >= 0
}

// occupy uses the processor for a time, from a given time on or when it is free. If the processor was idle before, it
// waited for a message. portWait and flight say how long that message waited for ports and how long it was in flight.
func (r *rank) occupy(at, long unit.Picos, part observe.Part, portWait, flight unit.Picos) unit.Picos {
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

// accountIdle accounts for a time in which the processor waited.
func (r *rank) accountIdle(idle, portWait, flight unit.Picos) {
	r.e.causes.now.Flight = flight
	portWait = min(portWait, idle)
	flight = min(flight, idle-portWait)
	if r.e.obs == nil {
		r.account.Parts[observe.Waiting] += idle - portWait - flight
		r.account.Parts[observe.Contention] += portWait
		r.account.Parts[observe.Latency] += flight
		r.cpu += idle
		return
	}
	for _, part := range [...]struct {
		what observe.Part
		long unit.Picos
	}{{observe.Waiting, idle - portWait - flight}, {observe.Contention, portWait}, {observe.Latency, flight}} {
		if part.long > 0 {
			r.account.Parts[part.what] += part.long
			r.e.obs.Span(r.id, part.what, r.cpu, r.cpu+part.long)
			r.cpu += part.long
		}
	}
	r.e.obs.Waited(r.id, r.e.causes.now)
}

// finish ends the operation of a task.
func (r *rank) finish(s *task, t unit.Picos) {
	if r.e.obs != nil && s.completes == 0 && r.observedRow(s) != noRow {
		r.e.obs.Ended(r.id, r.observedRow(s), t)
	}
	if s == &r.main {
		r.advance(s, t)
		return
	}
	r.endTask(s, t)
}
