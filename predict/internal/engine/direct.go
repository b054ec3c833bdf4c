package engine

import (
	"fmt"

	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// startQuery begins an operation whose result depends on time.
func (r *rank) startQuery(s *task, now unit.Picos) {
	if r.e.direct == nil || r.tasks != nil {
		r.e.fail(fmt.Errorf("rank %d: operation %d asks for a result that depends on time; only a directly executed program can do so, one operation at a time", r.id, s.row))
		return
	}
	switch s.op.Kind {
	case program.Clock:
		r.answer(s, program.Answer{})
		r.finish(s, now)
	case program.Test:
		r.startTest(s, now)
	case program.Iprobe:
		p := pendingOp{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
		i := r.firstSelected(&p)
		if i != 0 && r.e.packets.Items[i].at <= now {
			r.startProbe(s, now)
			return
		}
		if i == 0 {
			r.countPoll(s)
		}
		r.answer(s, program.Answer{From: program.None, Tag: program.None})
		r.finish(s, now)
	case program.AddToWaitAny:
		r.anyRequests = append(r.anyRequests, s.op.Request)
		r.finish(s, now)
	case program.WaitAny:
		r.anyRequests = append(r.anyRequests, s.op.Request)
		r.waitAny(s, now)
	}
}

// answer gives the answer to a query.
func (r *rank) answer(s *task, a program.Answer) {
	a.Mark, a.At = s.op.Bytes, r.e.now
	r.e.direct.Answered(r.id, &a)
}

// reportArrival reports a message that comes.
func (r *rank) reportArrival(m *packet) {
	at := m.at
	if m.kind == rts {
		at = never
	}
	r.e.direct.Arrived(r.id, m.group, m.from, m.tag, at)
}

// reportMatch reports a match.
func (r *rank) reportMatch(n int32, m *packet) {
	if mark := r.e.pendingOps.Items[n].bytes; mark != 0 {
		r.e.direct.Matched(r.id, mark, m.from, m.tag)
	}
}

// reportProbe answers a successful probe.
func (r *rank) reportProbe(s *task, m *packet) {
	if r.e.direct != nil {
		r.answer(s, program.Answer{From: m.from, Tag: m.tag, Done: true})
	}
}

// requestEnd returns when a request ended, or unfinished.
func (r *rank) requestEnd(id int32) (n int32, done unit.Picos) {
	switch n = r.requests.Find(id); n {
	case 0:
		r.e.fail(fmt.Errorf("rank %d: queries request %d, which is not open", r.id, id))
		return n, unfinished
	case completed:
		return n, 0
	}
	return n, r.e.pendingOps.Items[n].done
}

func (r *rank) startTest(s *task, now unit.Picos) {
	_, done := r.requestEnd(s.op.Request)
	if done == unfinished || done > now {
		if done == unfinished {
			r.countPoll(s)
		}
		r.answer(s, program.Answer{})
		r.finish(s, now)
		return
	}
	r.answer(s, program.Answer{Done: true})
	r.startWait(s, now)
}

// waitAny takes the request that ended first, ties by their order in the WaitAny. If none has ended, it waits.
func (r *rank) waitAny(s *task, now unit.Picos) {
	first, when := -1, never
	for i, id := range r.anyRequests {
		if n, done := r.requestEnd(id); done == unfinished && n > 0 {
			r.e.pendingOps.Items[n].waiter = r.number(s)
		} else if done != unfinished && done < when {
			first, when = i, done
		}
	}
	s.t, s.phase = now, blocked
	switch {
	case when <= now:
		r.finishWaitAny(s, first, now)
	case first >= 0:
		s.t, s.phase = when, selecting
	}
}

// finishWaitAny ends a WaitAny: it becomes the Wait for one of its requests.
func (r *rank) finishWaitAny(s *task, i int, now unit.Picos) {
	for _, id := range r.anyRequests {
		if n := r.requests.Find(id); n > 0 {
			r.e.pendingOps.Items[n].waiter = 0
		}
	}
	s.op.Request = r.anyRequests[i]
	r.anyRequests = r.anyRequests[:0]
	r.answer(s, program.Answer{Index: i})
	r.startWait(s, now)
}

// recheckWaitAny lets a WaitAny check its requests again when one has ended.
func (r *rank) recheckWaitAny(s *task, done unit.Picos) {
	if s.phase == selecting {
		s.t = min(s.t, done)
		return
	}
	s.t, s.phase = max(s.t, done), selecting
}
