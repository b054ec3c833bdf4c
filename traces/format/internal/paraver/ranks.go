package paraver

import (
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/heap"
	"spoor/traces/trace"
)

// prvMessage is a record of a message, with times in ps.
type prvMessage struct {
	from, to               int32 // ranks
	tag                    int32
	request                int32 // of the receive, when known
	line                   int64
	bytes                  int64
	sent, posted, received int64
}

// prvCall is an MPI call, or a message outside calls. It waits in its rank's queue
// until all of its events are known.
type prvCall struct {
	begin, end     int64
	line           int64
	id             prvCallID
	how            prvCallKind
	comm           *prvComm
	root           bool
	sent, received int64 // bytes of a collective
	global         *prvGlobalState
	serial         int  // among the rank's calls
	ours           bool // Spoor's own events give all of it, in ops
	ops            []prvOp
}

// prvOp is an event that a call becomes.
type prvOp struct {
	kind             trace.Kind
	peer, tag, group int32
	request          int32
	bytes, count     int64
	line             int64
}

const prvOpen = math.MaxInt64 // end of a call that has not ended

// prvRank puts the calls and messages of one rank into program order. Records come in
// the order of time, but a message also has the times of its receiver, which can be
// earlier or later. Later items wait in a heap. An Irecv waits in the queue for the
// message that it receives.
type prvRank struct {
	p           *prvParser
	s           *emit.RankWriter
	ahead       heap.Heap[int64, int64, uint8, prvItem] // by time, in the order of scheduling
	queue       []*prvCall
	open        *prvCall // in the queue
	irecvs      []*prvCall
	exact       bool // messages identify their Irecv
	calls       int
	sends       []prvOpenSend
	next        int32 // next request
	run         []prvSpan
	states      bool  // the trace has states of this rank
	drained     int64 // everything before this time has been handled
	cursor      int64 // end of the emitted events
	last        int64 // time of the latest record
	app         int64
	details     prvCall          // properties read before the call was entered
	detailsAt   int64            // time of details, or -1
	rootedCount map[*prvComm]int // collectives with a root so far
}

// prvOpenSend is an Isend without a wait so far.
type prvOpenSend struct {
	request  int32
	serial   int // of the call
	received int64
}

// prvSpan is a time in which a rank runs.
type prvSpan struct{ begin, end int64 }

// state handles a state of the first thread.
func (r *prvRank) state(begin, end int64, running bool) error {
	r.states = true
	r.last = max(r.last, begin)
	if running && end > begin {
		r.run = append(r.run, prvSpan{begin, end})
	}
	return r.drain(begin)
}

// enter begins a call.
func (r *prvRank) enter(t int64, id prvCallID) {
	if r.open != nil {
		r.p.unclosed++
		r.close(t)
	}
	call := r.p.newCall()
	*call = prvCall{begin: t, end: prvOpen, line: int64(r.p.Line), id: id, how: r.p.calls.kind(id), ops: call.ops[:0]}
	if d := &r.details; r.detailsAt == t {
		call.comm, call.root, call.sent, call.received = d.comm, d.root, d.sent, d.received
	}
	r.detailsAt = -1
	r.open = call
	r.calls++
	call.serial = r.calls
	r.push(call)
	if call.how.class == prvIrecv {
		r.irecvs = append(r.irecvs, call)
	}
}

// newCall returns a call whose memory may have been that of another one.
func (p *prvParser) newCall() *prvCall {
	n := len(p.emitted) - 1
	if n < 0 {
		return new(prvCall)
	}
	call := p.emitted[n]
	p.emitted = p.emitted[:n]
	return call
}

func (r *prvRank) push(call *prvCall) {
	r.queue = append(r.queue, call)
	r.p.held++
}

// detail handles an event that gives a property of a call. It has the time of the event
// that enters the call, and may precede or follow it.
func (r *prvRank) detail(line []byte, t, typ, value int64) error {
	call := r.open
	if call == nil {
		if call = &r.details; r.detailsAt != t {
			*call = prvCall{}
			r.detailsAt = t
		}
	}
	if value < 0 || value > math.MaxInt32 && typ != prvSent && typ != prvReceived {
		return r.p.Fail(line, "a value out of range in the event of an MPI call", "")
	}
	switch typ {
	case prvSent:
		call.sent = value
	case prvReceived:
		call.received = value
	case prvRoot:
		call.root = value == 1
	case prvOfComm:
		call.comm = r.p.commOf(prvCommID{r.app, value})
	}
	return nil
}

// commOf returns the communicator called id. The first one is the world, unless the
// trace declares another.
func (p *prvParser) commOf(id prvCommID) *prvComm {
	if c := p.comms[id]; c != nil {
		return c
	}
	c := p.world
	switch tasks := p.header.apps[id.app-1]; {
	case id.id > 1:
		p.undeclared++
		c = p.numbered(&prvComm{})
	case len(tasks) < len(p.ranks):
		first := p.header.first[id.app-1]
		c = p.numbered(&prvComm{members: p.world.members[first : int(first)+len(tasks)]})
	}
	p.comms[id] = c
	return c
}

// leave ends the open call.
func (r *prvRank) leave(t, typ int64) {
	if r.open == nil || r.open.id.typ != typ {
		r.p.unopened++
		return
	}
	r.close(t)
}

func (r *prvRank) close(t int64) {
	call := r.open
	call.end, r.open = max(t, call.begin), nil
	switch call.how.class {
	case prvGlobal:
		r.join(call)
	}
}
