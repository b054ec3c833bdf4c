package paraver

import (
	"math"
	"slices"

	"spoor/traces/trace"
)

// maxHeld is the number of calls of all ranks that may be incomplete.
const maxHeld = 1 << 17

// known reports whether a call is complete.
func (r *prvRank) known(call *prvCall) bool {
	switch {
	case call.how.class == prvIrecv:
		return len(call.ops) > 0
	case call.global != nil:
		return call.global.root != trace.None || call.global.left >= r.p.members(call.global.id.comm)
	}
	return true
}

// emitEnded writes the calls that ended before now. If too many calls are incomplete, the
// oldest are written as they are.
func (r *prvRank) emitEnded(now int64) error {
	n := 0
	for ; n < len(r.queue); n++ {
		call := r.queue[n]
		if call.end >= now || !r.known(call) && now != prvOpen && r.p.held <= maxHeld {
			break
		}
		if call.how.class == prvIrecv && len(call.ops) == 0 {
			r.p.ungiven++
			r.irecvs = slices.DeleteFunc(r.irecvs, func(c *prvCall) bool { return c == call })
		}
		r.p.held--
		if err := r.emitCall(call); err != nil {
			return err
		}
		if call.how.class != prvIrecv { // others are only in the queue
			r.p.emitted = append(r.p.emitted, call)
		}
	}
	if n > 0 {
		r.queue = append(r.queue[:0], r.queue[n:]...)
	}
	return nil
}

// emit writes the events of a call, and the computation before it.
func (r *prvRank) emitCall(call *prvCall) error {
	if err := r.computeUntil(call.begin, call.line); err != nil {
		return err
	}
	begin := max(call.begin, r.cursor)
	switch call.how.class {
	case prvWait, prvWaitall:
		r.waitForSends(call)
	case prvGlobal:
		if err := r.collective(call); err != nil {
			return err
		}
	case prvProbe:
		call.ops = append(call.ops, newPrvOp(trace.Probe, call.line))
	case prvIprobe:
		call.ops = append(call.ops, newPrvOp(trace.Iprobe, call.line))
	case prvSendrecv:
		r.waitForOwn(call)
	}
	if len(call.ops) == 0 && call.how.class != prvIrecv {
		r.p.countNoEvent(call)
	}
	for i := range call.ops {
		if err := r.emitOp(&call.ops[i], begin); err != nil {
			return err
		}
	}
	r.cursor = max(r.cursor, call.end)
	return nil
}

func (r *prvRank) emitOp(op *prvOp, t int64) error {
	e := trace.NewEvent(op.kind)
	e.Peer, e.Tag, e.Group, e.Request, e.Bytes, e.Time = op.peer, op.tag, op.group, op.request, op.bytes, t
	e.Count = op.count
	if (op.kind == trace.Recv || op.kind == trace.Irecv) && !r.p.ours {
		e.Bytes = r.p.arrived(prvChannel{op.peer, int32(r.s.Batch.Proc), op.tag}, op.bytes)
	}
	if _, err := r.s.Emit(&e, trace.Pos{File: r.p.file, At: op.line}); err != nil {
		return err
	}
	return r.flushSome()
}

// flushSome limits the memory for collected events when there are many ranks.
func (r *prvRank) flushSome() error {
	if len(r.s.Batch.Rows) < r.p.rows {
		return nil
	}
	return r.s.Flush()
}

// computeUntil writes the computation up to t: while the rank was running, or all of
// the time if the trace has no states.
func (r *prvRank) computeUntil(t, line int64) error {
	place := trace.Pos{File: r.p.file, At: line}
	if !r.states && t > r.cursor && t != prvOpen {
		if err := r.s.Compute(t-r.cursor, r.cursor, place); err != nil {
			return err
		}
	}
	for len(r.run) > 0 {
		s := &r.run[0]
		if begin, end := max(s.begin, r.cursor), min(s.end, t); begin < end {
			if err := r.s.Compute(end-begin, begin, place); err != nil {
				return err
			}
		}
		if s.end > t {
			break
		}
		r.run = r.run[1:]
	}
	if t != prvOpen {
		r.cursor = max(r.cursor, t)
	}
	return r.flushSome()
}

// waitForSends completes the Isends whose messages arrived before the call ended: all
// of them in a Waitall; one in a call that completes nothing else.
func (r *prvRank) waitForSends(call *prvCall) {
	if call.how.class == prvWait && len(call.ops) > 0 {
		return
	}
	one := call.how.class == prvWait
	rest := r.sends[:0]
	for _, s := range r.sends {
		if s.received > call.end || s.serial > call.serial || one && len(call.ops) > 0 {
			rest = append(rest, s)
			continue
		}
		call.ops = append(call.ops, call.completion(s.request, call.line))
	}
	r.sends = rest
}

// waitForOwn completes the send of a Sendrecv, after its receive.
func (r *prvRank) waitForOwn(call *prvCall) {
	slices.SortStableFunc(call.ops, func(a, b prvOp) int { return int(b.kind) - int(a.kind) }) // the Isend first
	for _, op := range call.ops {
		if op.kind == trace.Isend {
			r.sends = slices.DeleteFunc(r.sends, func(s prvOpenSend) bool { return s.request == op.request })
			call.ops = append(call.ops, call.completion(op.request, call.line))
		}
	}
}

// finish writes the rest at the end of the trace.
func (p *prvParser) finish() error {
	for i := range p.ranks {
		r := &p.ranks[i]
		if r.open != nil {
			p.unclosed++
			r.close(r.last)
		}
	}
	for i := range p.ranks {
		r := &p.ranks[i]
		if err := r.drain(prvOpen); err != nil {
			return err
		}
		if err := r.end(); err != nil {
			return err
		}
	}
	return nil
}

// end completes a rank.
func (r *prvRank) end() error {
	if !r.states && r.drained > math.MinInt64 {
		r.p.silent++
	}
	if err := r.computeUntil(prvOpen, int64(r.p.Line)); err != nil {
		return err
	}
	for _, s := range r.sends {
		r.p.lateWaits++
		op := newPrvOp(trace.Wait, int64(r.p.Line))
		op.request = s.request
		if err := r.emitOp(&op, r.cursor); err != nil {
			return err
		}
	}
	return r.s.Flush()
}

// prvChannel identifies messages that arrive in the order in which they were sent.
type prvChannel struct{ from, to, tag int32 }

// prvSizes holds the sizes of the messages of a channel that are not received yet.
type prvSizes struct{ bytes []int64 }

func (s *prvSizes) push(n int64) { s.bytes = append(s.bytes, n) }

func (p *prvParser) sizesOf(m *prvMessage) *prvSizes {
	c := prvChannel{m.from, m.to, m.tag}
	s := p.sizes[c]
	if s == nil {
		s = new(prvSizes)
		p.sizes[c] = s
	}
	return s
}

// arrived returns the size of the next message of a channel. Messages of several
// communicators can overtake each other, because records have no communicator.
func (p *prvParser) arrived(c prvChannel, own int64) int64 {
	s := p.sizes[c]
	if s == nil {
		return own
	}
	n := s.bytes[0]
	if s.bytes = s.bytes[1:]; len(s.bytes) == 0 {
		delete(p.sizes, c)
	}
	return n
}
