package paraver

import (
	"math"
	"slices"
	"sort"

	"spoor/traces/heap"
	"spoor/traces/trace"
)

// deliver passes a message to its sender, and to its receiver if possible.
func (p *prvParser) deliver(m *prvMessage) error {
	if p.ours { // the calls have all information
		return nil
	}
	p.sizesOf(m).push(m.bytes)
	from, to := &p.ranks[m.from], &p.ranks[m.to]
	send := prvItem{time: max(m.sent, from.drained), stage: prvSending, m: *m}
	from.schedule(send)
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
		to.schedule(receive)
	}
	if err := from.drain(m.sent); err != nil || from == to {
		return err
	}
	return to.drain(m.sent)
}

func (r *prvRank) schedule(item prvItem) {
	r.p.waiting++
	r.ahead.Push(heap.Item[int64, int64, uint8, prvItem]{Key: item.time, Tie: r.p.waiting, Value: item})
}

// drain handles the items before now, which are complete.
func (r *prvRank) drain(now int64) error {
	r.last = max(r.last, now)
	now = max(now, r.drained)
	for len(r.ahead) > 0 && r.ahead[0].Key < now {
		first := r.ahead.Pop()
		r.take(&first.Value)
	}
	r.drained = now
	return r.emitEnded(now)
}

// take finds the call of an item whose time has come.
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
			r.schedule(prvItem{time: later, stage: prvReceiving, m: *m})
			return
		}
		if m.sent > item.time {
			r.schedule(prvItem{time: m.sent, stage: prvReceiving, m: *m})
			return
		}
		r.receive(m, item.time)
	case prvReceiving:
		r.receive(m, item.time)
	case prvCompleting:
		r.complete(m.request, item.time, item.after)
	}
}

// lookBack is the number of calls to search for one that covers a time.
const lookBack = 64

// at returns the first call that covers time t and satisfies suits.
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

// send adds the sender's side of m, at t if it is in no call.
func (r *prvRank) send(m *prvMessage, t int64) {
	op := newPrvOp(trace.Send, m.line)
	op.peer, op.tag, op.bytes = m.to, m.tag, m.bytes
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
	if call.how.class != prvSend {
		op.kind, op.request = trace.Isend, r.request()
		r.sends = append(r.sends, prvOpenSend{op.request, call.serial, m.received})
	}
	call.ops = append(call.ops, op)
}

// request returns the number of a new request.
func (r *prvRank) request() int32 {
	n := r.next
	r.next = (n + 1) & math.MaxInt32
	return n
}

// bare queues a message outside calls.
func (r *prvRank) bare(t int64, op prvOp, after bool) {
	r.p.bare++
	call := r.p.newCall()
	*call = prvCall{begin: t, end: t, line: op.line, how: prvCallKind{class: prvBare}, ops: append(call.ops[:0], op)}
	r.push(call)
	if n := len(r.queue); r.open != nil && !after && r.queue[n-2] == r.open {
		r.queue[n-1], r.queue[n-2] = r.queue[n-2], r.queue[n-1]
	}
}

// recvOp returns the receiver's side of m.
func (m *prvMessage) recvOp(kind trace.Kind, request int32) prvOp {
	op := newPrvOp(kind, m.line)
	op.peer, op.tag, op.bytes, op.request = m.from, m.tag, m.bytes, request
	return op
}

// post looks for the call that posted the receive of m at its logical time.
func (r *prvRank) post(m *prvMessage) bool {
	if i := r.irecvAt(m.posted); i >= 0 {
		call := r.irecvs[i]
		r.irecvs = slices.Delete(r.irecvs, i, i+1)
		r.exact = true
		r.bindIrecv(call, m)
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
		r.bindIrecv(call, m)
	default:
		call.ops = append(call.ops, m.recvOp(trace.Recv, trace.None))
	}
	return true
}

// irecvAt returns the index of the Irecv that covers time t, or -1. If one ends and
// another begins at t, it is the latter.
func (r *prvRank) irecvAt(t int64) int {
	i := sort.Search(len(r.irecvs), func(i int) bool { return r.irecvs[i].end >= t })
	if i+1 < len(r.irecvs) && r.irecvs[i].begin < t && r.irecvs[i+1].begin == t {
		return i + 1
	}
	if i < len(r.irecvs) && r.irecvs[i].begin <= t {
		return i
	}
	return -1
}

// bindIrecv makes a call the Irecv of m, which another call completes.
func (r *prvRank) bindIrecv(call *prvCall, m *prvMessage) {
	done := prvItem{time: max(m.received, r.drained), stage: prvCompleting, after: call.serial, m: *m}
	done.m.request = r.request()
	call.ops = append(call.ops, m.recvOp(trace.Irecv, done.m.request))
	r.schedule(done)
}

func completes(c *prvCall) bool {
	switch c.how.class {
	case prvWait, prvWaitall, prvTest:
		return true
	}
	return false
}

// receive handles a message without a call at its logical time. The call at t receives
// it. If that call only waits, the oldest Irecv does.
func (r *prvRank) receive(m *prvMessage, t int64) {
	oldest := 0
	if len(r.irecvs) > 0 && !r.exact {
		oldest = r.irecvs[0].serial
	}
	call := r.at(t, func(c *prvCall) bool {
		return completes(c) && c.serial > oldest || c.how.class == prvRecv && len(c.ops) == 0
	})
	switch {
	case call == nil:
		r.bare(t, m.recvOp(trace.Recv, trace.None), true)
	case call.how.class == prvRecv:
		call.ops = append(call.ops, m.recvOp(trace.Recv, trace.None))
	case oldest > 0:
		irecv := r.irecvs[0]
		r.irecvs = r.irecvs[1:]
		op := m.recvOp(trace.Irecv, r.request())
		irecv.ops = append(irecv.ops, op)
		call.ops = append(call.ops, call.completion(op.request, m.line))
	default:
		r.p.lateReceives++
		op := m.recvOp(trace.Irecv, r.request())
		call.ops = append(call.ops, op, call.completion(op.request, m.line))
	}
}

// completion returns the end of a request in a call that waits or tests.
func (c *prvCall) completion(request int32, line int64) prvOp {
	op := newPrvOp(trace.Wait, line)
	op.request = request
	if c.how.class == prvTest {
		op.kind, op.count = trace.Test, 1
	}
	return op
}

// complete ends a request at t that was made in the call before.
func (r *prvRank) complete(request int32, t int64, before int) {
	if call := r.at(t, func(c *prvCall) bool { return completes(c) && c.serial > before }); call != nil {
		call.ops = append(call.ops, call.completion(request, call.line))
		return
	}
	r.p.lateWaits++
	call := prvCall{line: int64(r.p.Line)}
	r.bare(t, call.completion(request, call.line), true)
	r.p.bare--
}
