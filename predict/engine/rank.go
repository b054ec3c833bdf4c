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
	id       int32
	wants    int32      // who sends what it waits for, None: any, or nobody
	next     unit.Picos // when it acts on others next
	arrivals heap
	window   int64 // in which it acts next, if there are windows
	more     *strands
	probes   bool     // it waits for a message, and not to have it
	dead     bool     // has failed
	urgent   int32    // mails of arrivals that others wait for, and releases
	near     [4]entry // where arrivals begin

	// What it acts on: its processor, its ports, its program.
	own      own
	e        *engine
	seq      uint32 // of mails sent
	looks    int32  // see earliest
	requests requests
	at       int // of ops, the one after main's
	inbox    inbox
	virt     unit.Picos // when the port would be, if bytes held it
	account  Rank
	ops      []packed
	cpu      unit.Picos // until when its processor's time is accounted for
	out      unit.Picos // when its ports are free
	in       unit.Picos
	is       Op     // main's, unless it is wide
	main     strand // the program, if it is no graph

	// What most ranks have no use for.
	releases heap    // they need no processor
	probers  []int32 // strands
	among    []int32 // requests of a WaitAny
	graph    *graph
	program  Program
	wide     []Op // of ops
	looking  looking
	_        [16]byte
}

// hot is where the part ends of a rank that is used again and again: with the first part of main.
const hot = unsafe.Offsetof(rank{}.main) + unsafe.Offsetof(strand{}.own)

// own is room for what most ranks need of requests and inbox.
type own struct {
	requests [leastRequests]request
	slots    [leastSlots]slot
}

// open has r begin in its own room.
func (r *rank) open() {
	r.arrivals = r.near[:0]
	r.requests.slots = r.own.requests[:]
	r.inbox.slots, r.inbox.shift = r.own.slots[:], shiftOf(leastSlots)
}

// begin readies the first operations.
func (r *rank) begin(p Program) {
	r.open()
	if r.program, r.e.acting = p, r.id; r.e.LogGOPSim {
		r.main.agenda = &agenda{since: atFirst}
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
func (r *rank) advance(s *strand, t unit.Picos) {
	s.t = t
	s.row++
	if r.at == len(r.ops) && !r.proceed(s, t) {
		return
	}
	s.op = r.op(r.at)
	r.at++
	r.ready(s)
	if s.op.Kind == Away && s.phase == starting && s.row > 0 { // not at the start, when not all ranks are there
		r.step(s, t) // now, even if others act before: who leaves at a time is there when what is beside the engine acts at that time
	}
}

// proceed has the program give its next operations, unless it is at its end.
func (r *rank) proceed(s *strand, t unit.Picos) bool {
	if r.e.live != nil {
		r.e.live.Resumes(r.id, t)
	}
	ops, err := r.fetch()
	switch interrupted := r.e.ctx.Err(); { // who acts alone, or takes no time, does so for as long as its program lasts
	case interrupted != nil:
		r.e.fail(interrupted)
		return false
	case err != nil:
		r.e.fail(fmt.Errorf("rank %d: %w", r.id, err))
		return false
	case ops.Len() == 0:
		s.phase = ended
		r.use(t, 0, Overhead, 0, 0)
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
	p.into(&r.is)
	return &r.is
}

// ready begins an operation.
func (r *rank) ready(s *strand) {
	op := s.op
	if s.phase = starting; op.Work > 0 {
		s.phase = working
	} else if r.e.LogGOPSim && (op.Kind == Recv || op.Kind == Irecv) {
		s.t = max(s.t, r.cpu) // posted when the processor has done with what it took up before
	}
	if !op.sound() {
		r.e.fail(fmt.Errorf("rank %d: operation %d has %d ps of work, %d ps of overhead and %d bytes", r.id, s.row, op.Work, op.Extra, op.Bytes))
	}
}

// sound is whether an operation has durations and bytes that there are.
func (op *Op) sound() bool {
	return uint64(op.Work) <= uint64(maxDuration) && uint64(op.Extra) <= uint64(maxDuration) && op.Bytes >= 0
}

// use has the processor spend a time on something, from a time on or when it is free. Where it
// was idle before, it waited for a message that was late, and on its way.
func (r *rank) use(at, long unit.Picos, part Part, late, fly unit.Picos) unit.Picos {
	if idle := at - r.cpu; idle > 0 {
		r.idle(idle, late, fly)
	}
	r.account.Parts[part] += long
	if r.e.obs != nil && long > 0 {
		r.e.obs.Span(r.id, part, r.cpu, r.cpu+long)
	}
	r.cpu += long
	return r.cpu
}

// idle accounts for a time in which the processor waited.
func (r *rank) idle(idle, late, fly unit.Picos) {
	r.e.causes.now.Fly = fly
	late = min(late, idle)
	fly = min(fly, idle-late)
	if r.e.obs == nil {
		r.account.Parts[Waiting] += idle - late - fly
		r.account.Parts[Contention] += late
		r.account.Parts[Latency] += fly
		r.cpu += idle
		return
	}
	for _, part := range [...]struct {
		what Part
		long unit.Picos
	}{{Waiting, idle - late - fly}, {Contention, late}, {Latency, fly}} {
		if part.long > 0 {
			r.account.Parts[part.what] += part.long
			r.e.obs.Span(r.id, part.what, r.cpu, r.cpu+part.long)
			r.cpu += part.long
		}
	}
	r.e.obs.Waited(r.id, r.e.causes.now)
}

// finish ends the operation of a strand.
func (r *rank) finish(s *strand, t unit.Picos) {
	if r.e.obs != nil && s.own == 0 && s.op.Kind != Among {
		r.e.obs.Ended(r.id, s.row, t)
	}
	if s == &r.main {
		r.advance(s, t)
		return
	}
	r.end(s, t)
}
