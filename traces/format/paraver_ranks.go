package format

import (
	"container/heap"
	"math"
	"slices"
	"sort"

	"spoor/traces/trace"
)

// prvMessage is a record of a message, times in ps.
type prvMessage struct {
	from, to               int32 // ranks
	tag                    int32
	request                int32 // of the receive, when it is known
	line                   int64
	bytes                  int64
	sent, posted, received int64
}

// prvCall is a call of MPI, or a message that lies in none. It waits in its rank's
// queue until everything that happened in it is known.
type prvCall struct {
	begin, end     int64
	line           int64
	id             prvCallID
	how            prvCallKind
	request, group int32 // as recorded, or -1
	comm           *prvComm
	root           bool
	sent, received int64 // bytes of a collective
	global         *prvGlobalState
	ops            []prvOp
}

// prvOp is an event that a call becomes.
type prvOp struct {
	kind             trace.Kind
	peer, tag, group int32
	request          int32
	bytes            int64
	line             int64
}

const prvOpen = math.MaxInt64 // end of a call that has not ended

// prvRank puts the calls and messages of one rank into the order of its program.
// Records come in the order of time, but a message names the times of its receiver,
// too, which lie ahead or behind: what lies ahead waits in a heap, and an Irecv waits in
// the queue for the message that it receives.
type prvRank struct {
	p       *prvParser
	s       *speaker
	ahead   prvHeap
	queue   []*prvCall
	open    *prvCall // in the queue
	irecvs  []*prvCall
	exact   bool // messages say which Irecv was theirs
	calls   int
	sends   []prvOpenSend
	next    int32 // request
	run     []prvSpan
	states  bool  // the trace has states of this rank
	drained int64 // everything before has been seen
	cursor  int64 // end of what has been said
	last    int64 // time of the latest record
	app     int64
	details prvCall          // told before the call was entered
	told    int64            // at this time, or -1
	round   map[*prvComm]int // collectives with a root so far
}

// prvOpenSend is an Isend that nobody has waited for yet.
type prvOpenSend struct {
	request  int32
	received int64
}

// prvSpan is a time in which a rank runs.
type prvSpan struct{ begin, end int64 }

// state takes a state of the first thread.
func (r *prvRank) state(begin, end int64, running bool) error {
	r.states = true
	r.last = max(r.last, begin)
	if running && end > begin {
		if n := len(r.run); n > 0 && r.run[n-1].end >= begin {
			r.run[n-1].end = max(r.run[n-1].end, end)
		} else {
			r.run = append(r.run, prvSpan{begin, end})
		}
	}
	return r.drain(begin)
}

// enter begins a call.
func (r *prvRank) enter(t int64, id prvCallID) {
	if r.open != nil {
		r.p.unclosed++
		r.close(t)
	}
	call := &prvCall{begin: t, end: prvOpen, line: int64(r.p.line), id: id, how: r.p.calls.kind(id), request: trace.None, group: trace.None}
	if d := &r.details; r.told == t {
		call.request, call.group, call.comm, call.root, call.sent, call.received = d.request, d.group, d.comm, d.root, d.sent, d.received
	}
	r.told = -1
	r.open = call
	r.calls++
	r.push(call)
	if call.how.class == prvIrecv {
		r.irecvs = append(r.irecvs, call)
	}
}

func (r *prvRank) push(call *prvCall) {
	r.queue = append(r.queue, call)
	r.p.held++
}

// detail takes an event that says more about a call; it may come before or after
// that which enters the call, at the same time.
func (r *prvRank) detail(line []byte, t, typ, value int64) error {
	call := r.open
	if call == nil {
		if call = &r.details; r.told != t {
			*call = prvCall{request: trace.None, group: trace.None}
			r.told = t
		}
	}
	if value < 0 || value > math.MaxInt32 && typ != prvSent && typ != prvReceived {
		return r.p.fail(line, "a value out of range in the event of an MPI call", "")
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
	case prvRequest:
		call.request = int32(value)
		r.p.ours = true
	case prvGroup:
		call.group = r.p.commOf(prvCommID{r.app, value}).group
		r.p.ours = true
	}
	return nil
}

// commOf is the communicator called id. The first one is the world, unless the trace
// says otherwise.
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

// leave ends the call that is open.
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
	case prvWait, prvWaitall, prvTest:
		if call.request != trace.None {
			kind := trace.Wait
			if call.how.class == prvTest {
				kind = trace.Test
			}
			call.ops = append(call.ops[:0], prvOp{kind: kind, peer: trace.None, tag: trace.None, group: trace.None, request: call.request, line: call.line})
		}
	}
}

// deliver gives a message to its sender, and to its receiver where it can be.
func (p *prvParser) deliver(m *prvMessage) error {
	if !p.ours {
		p.sizesOf(m).push(m.bytes)
	}
	from, to := &p.ranks[m.from], &p.ranks[m.to]
	send := prvItem{time: max(m.sent, from.drained), stage: prvSending, m: *m}
	from.await(send)
	receive := prvItem{time: m.posted, stage: prvPosting, m: *m}
	if m.posted < p.now {
		if to.post(m) {
			receive.stage = prvDone
		} else {
			receive.time, receive.stage = max(m.received, to.drained), prvReceiving
			if to.calls == 0 {
				receive.time = max(m.posted, m.sent, to.drained)
			}
		}
	}
	if receive.stage != prvDone {
		to.await(receive)
	}
	if err := from.drain(m.sent); err != nil || from == to {
		return err
	}
	return to.drain(m.sent)
}

func (r *prvRank) await(item prvItem) {
	r.p.waiting++
	item.seq = r.p.waiting
	heap.Push(&r.ahead, item)
}

// drain takes what happened before now, of which everything is known.
func (r *prvRank) drain(now int64) error {
	r.last = max(r.last, now)
	now = max(now, r.drained)
	for len(r.ahead) > 0 && r.ahead[0].time < now {
		item := heap.Pop(&r.ahead).(prvItem)
		r.take(&item)
	}
	r.drained = now
	return r.emit(now)
}

// take finds the call for what has come to its time.
func (r *prvRank) take(item *prvItem) {
	m := &item.m
	switch item.stage {
	case prvSending:
		r.send(m, item.time)
	case prvPosting:
		if r.post(m) {
			return
		}
		if later := m.received; later > item.time && r.calls > 0 {
			r.await(prvItem{time: later, stage: prvReceiving, m: *m})
			return
		}
		if m.sent > item.time {
			r.await(prvItem{time: m.sent, stage: prvReceiving, m: *m})
			return
		}
		r.receive(m, item.time)
	case prvReceiving:
		r.receive(m, item.time)
	case prvCompleting:
		r.complete(m.request, item.time)
	}
}

// lookBack is how many calls are searched for one that covers a time.
const lookBack = 64

// at is the call that covers time t and that suits; among several the first.
func (r *prvRank) at(t int64, suits func(*prvCall) bool) (found *prvCall) {
	for i := len(r.queue) - 1; i >= max(0, len(r.queue)-lookBack); i-- {
		call := r.queue[i]
		if call.begin <= t && t <= call.end && suits(call) {
			found = call
		}
		if call.end < t && call.how.class != prvBare {
			break
		}
	}
	return found
}

// send is the sender's side of m, at t if it lies in no call.
func (r *prvRank) send(m *prvMessage, t int64) {
	op := prvOp{kind: trace.Send, peer: m.to, tag: m.tag, group: trace.None, request: trace.None, bytes: m.bytes, line: m.line}
	call := r.at(m.sent, func(c *prvCall) bool {
		switch c.how.class {
		case prvSend, prvIsend, prvSendrecv:
			return !slices.ContainsFunc(c.ops, func(op prvOp) bool { return op.kind != trace.Recv })
		}
		return c.how.class == prvStart
	})
	if call == nil {
		r.bare(t, op, false)
		return
	}
	if call.group != trace.None {
		op.group = call.group
	}
	if call.how.class != prvSend {
		op.kind, op.request = trace.Isend, r.request(call)
		if call.request == trace.None {
			r.sends = append(r.sends, prvOpenSend{op.request, m.received})
		}
	}
	call.ops = append(call.ops, op)
}

// request is the number of a new request.
func (r *prvRank) request(call *prvCall) int32 {
	if call.request != trace.None {
		return call.request
	}
	n := r.next
	r.next = (n + 1) & math.MaxInt32
	return n
}

// bare queues a message that lies in no call.
func (r *prvRank) bare(t int64, op prvOp, after bool) {
	r.p.bare++
	call := &prvCall{begin: t, end: t, line: op.line, how: prvCallKind{class: prvBare}, ops: []prvOp{op}}
	r.push(call)
	if n := len(r.queue); r.open != nil && !after && r.queue[n-2] == r.open {
		r.queue[n-1], r.queue[n-2] = r.queue[n-2], r.queue[n-1]
	}
}

// recvOp is the receiver's side of m in a call.
func (m *prvMessage) recvOp(kind trace.Kind, call *prvCall, request int32) prvOp {
	group := trace.None
	if call != nil {
		group = call.group
	}
	return prvOp{kind: kind, peer: m.from, tag: m.tag, group: group, request: request, bytes: m.bytes, line: m.line}
}

// post looks for the call that asked for m at its logical time.
func (r *prvRank) post(m *prvMessage) bool {
	if i := sort.Search(len(r.irecvs), func(i int) bool { return r.irecvs[i].end >= m.posted }); i < len(r.irecvs) && r.irecvs[i].begin <= m.posted {
		call := r.irecvs[i]
		r.irecvs = slices.Delete(r.irecvs, i, i+1)
		r.exact = true
		r.asked(call, m)
		return true
	}
	call := r.at(m.posted, func(c *prvCall) bool {
		switch c.how.class {
		case prvRecv, prvSendrecv:
			return !slices.ContainsFunc(c.ops, func(op prvOp) bool { return op.kind == trace.Recv })
		}
		return c.how.class == prvStart
	})
	switch {
	case call == nil:
		return false
	case call.how.class == prvStart:
		r.asked(call, m)
	default:
		call.ops = append(call.ops, m.recvOp(trace.Recv, call, trace.None))
	}
	return true
}

// asked makes a call the Irecv of m, which some other call completes.
func (r *prvRank) asked(call *prvCall, m *prvMessage) {
	request := r.request(call)
	call.ops = append(call.ops, m.recvOp(trace.Irecv, call, request))
	if call.request == trace.None {
		done := prvItem{time: max(m.received, r.drained), stage: prvCompleting, m: *m}
		done.m.request = request
		r.await(done)
	}
}

func completes(c *prvCall) bool {
	switch c.how.class {
	case prvWait, prvWaitall, prvTest:
		return true
	}
	return false
}

// receive is for messages whose call was not found at their logical time: they are
// received in the call at t, by the oldest Irecv if that only waits.
func (r *prvRank) receive(m *prvMessage, t int64) {
	call := r.at(t, func(c *prvCall) bool { return completes(c) || c.how.class == prvRecv && len(c.ops) == 0 })
	switch {
	case call == nil:
		r.bare(t, m.recvOp(trace.Recv, nil, trace.None), true)
	case call.how.class == prvRecv:
		call.ops = append(call.ops, m.recvOp(trace.Recv, call, trace.None))
	case len(r.irecvs) > 0 && !r.exact:
		irecv := r.irecvs[0]
		r.irecvs = r.irecvs[1:]
		op := m.recvOp(trace.Irecv, irecv, r.request(irecv))
		irecv.ops = append(irecv.ops, op)
		call.ops = append(call.ops, call.completion(op.request, m.line))
	default:
		r.p.lateReceives++
		op := m.recvOp(trace.Irecv, nil, r.request(&prvCall{request: trace.None}))
		call.ops = append(call.ops, op, call.completion(op.request, m.line))
	}
}

// completion is the end of a request in a call that waits or tests.
func (c *prvCall) completion(request int32, line int64) prvOp {
	kind := trace.Wait
	if c.how.class == prvTest {
		kind = trace.Test
	}
	return prvOp{kind: kind, peer: trace.None, tag: trace.None, group: trace.None, request: request, line: line}
}

// complete ends an Irecv at t.
func (r *prvRank) complete(request int32, t int64) {
	if call := r.at(t, completes); call != nil {
		call.ops = append(call.ops, call.completion(request, call.line))
		return
	}
	r.p.lateWaits++
	call := prvCall{line: int64(r.p.line)}
	r.bare(t, call.completion(request, call.line), true)
	r.p.bare--
}
