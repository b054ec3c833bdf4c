package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// Live is a program that runs along, and is told what depends on time. What concerns one rank
// comes in the order of its time; of several ranks it comes at once, if there are several workers.
type DirectProgram interface {
	// Matched is that a receive with a mark other than 0 gets the next message from a rank
	// with a tag, in the group of the receive.
	Matched(rank int32, mark int64, from, tag int32)
	// Came is that a message came, before it is Matched. All of it is there at a time, or if it
	// waits for its receiver, never.
	Arrived(rank, group, from, tag int32, at unit.Picos)
	// Found is the answer to an operation that asks for something.
	Answered(rank int32, a *Answer)
	// Resumes is that a rank has done what it was to do, at a time, and is asked for more.
	Resumed(rank int32, now unit.Picos)
}

// Answer is what an operation found out.
type Answer struct {
	Mark      int64      // of the operation
	At        unit.Picos // when it was found; of a Clock, what time it is
	From, Tag int32      // Probe, Iprobe: of the message
	Index     int        // WaitAny: which request, of those in the order of the Amongs
	Done      bool       // Test: the request has ended; Iprobe: there is a message
}

// startLive begins an operation that asks for something.
func (r *rank) startQuery(s *task, now unit.Picos) {
	if r.e.direct == nil || r.tasks != nil {
		r.e.fail(fmt.Errorf("rank %d: operation %d asks what time tells, which only a program that runs along can, one operation after the other", r.id, s.row))
		return
	}
	switch s.op.Kind {
	case Clock:
		r.answer(s, Answer{})
		r.finish(s, now)
	case Test:
		r.startTest(s, now)
	case Iprobe:
		p := pendingOp{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
		i := r.firstSelected(&p)
		if i != 0 && r.e.packets.items[i].at <= now {
			r.startProbe(s, now)
			return
		}
		if i == 0 {
			r.countPoll(s)
		}
		r.answer(s, Answer{From: None, Tag: None})
		r.finish(s, now)
	case AddToWaitAny:
		r.anyRequests = append(r.anyRequests, s.op.Request)
		r.finish(s, now)
	case WaitAny:
		r.anyRequests = append(r.anyRequests, s.op.Request)
		r.waitAny(s, now)
	}
}

// tell answers.
func (r *rank) answer(s *task, a Answer) {
	a.Mark, a.At = s.op.Bytes, r.e.now
	r.e.direct.Answered(r.id, &a)
}

// tellOf tells of a message that comes.
func (r *rank) reportArrival(m *packet) {
	at := m.at
	if m.kind == rts {
		at = never
	}
	r.e.direct.Arrived(r.id, m.group, m.from, m.tag, at)
}

// matched tells of a match.
func (r *rank) reportMatch(n int32, m *packet) {
	if mark := r.e.pendingOps.items[n].bytes; mark != 0 {
		r.e.direct.Matched(r.id, mark, m.from, m.tag)
	}
}

// found tells of a message that was looked for.
func (r *rank) reportProbe(s *task, m *packet) {
	if r.e.direct != nil {
		r.answer(s, Answer{From: m.from, Tag: m.tag, Done: true})
	}
}

// ended is when a request has ended, or undone.
func (r *rank) requestEnd(id int32) (n int32, done unit.Picos) {
	switch n = r.requests.find(id); n {
	case 0:
		r.e.fail(fmt.Errorf("rank %d: asks for request %d, which is not open", r.id, id))
		return n, unfinished
	case completed:
		return n, 0
	}
	return n, r.e.pendingOps.items[n].done
}

func (r *rank) startTest(s *task, now unit.Picos) {
	_, done := r.requestEnd(s.op.Request)
	if done == unfinished || done > now {
		if done == unfinished {
			r.countPoll(s)
		}
		r.answer(s, Answer{})
		r.finish(s, now)
		return
	}
	r.answer(s, Answer{Done: true})
	r.startWait(s, now)
}

// choose takes the first of several requests that has ended, of those that ended at a time the
// first that is named; or waits for it.
func (r *rank) waitAny(s *task, now unit.Picos) {
	first, when := -1, never
	for i, id := range r.anyRequests {
		if n, done := r.requestEnd(id); done == unfinished && n > 0 {
			r.e.pendingOps.items[n].waiter = r.number(s)
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

// chosen ends a WaitAny: it becomes the Wait for one of its requests.
func (r *rank) finishWaitAny(s *task, i int, now unit.Picos) {
	for _, id := range r.anyRequests {
		if n := r.requests.find(id); n > 0 {
			r.e.pendingOps.items[n].waiter = 0
		}
	}
	s.op.Request = r.anyRequests[i]
	r.anyRequests = r.anyRequests[:0]
	r.answer(s, Answer{Index: i})
	r.startWait(s, now)
}

// sooner has a WaitAny look again when a request has ended.
func (r *rank) recheckWaitAny(s *task, done unit.Picos) {
	if s.phase == selecting {
		s.t = min(s.t, done)
		return
	}
	s.t, s.phase = max(s.t, done), selecting
}
