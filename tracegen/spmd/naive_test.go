package spmd

import (
	"cmp"
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// naive is the machine that Rule describes, without anything clever: the rank whose
// turn is the earliest of all makes one step, and then all turns are looked at again.
type naive struct {
	program  [][]step
	ranks    []naiveRank
	arrived  []int
	holder   map[int]int   // of locks
	asking   map[int][]int // who waits for a lock
	freeAt   map[int]uint64
	signals  map[int][]uint64
	messages []*naiveMessage
}

type naiveRank struct {
	clock    uint64
	next     int    // step
	worked   bool   // the work before it is done
	waiting  bool   // at a barrier or for a lock
	tried    bool   // a late step was tried and must wait
	executed uint64 // for polls
	poll     poll
	receives []*naiveReceive // by request, in the order of posting
	log      []string
}

type naiveMessage struct {
	from, to, tag, id int
	at                uint64
	seen              bool // by a try of the receiver
	taken             bool
}

type naiveReceive struct {
	from, tag int
	at        uint64 // posted, then complete
	got       *naiveMessage
	send      bool
	retired   bool
}

func (q *naiveReceive) takes(m *naiveMessage) bool {
	return (q.from == Any || q.from == m.from) && (q.tag == Any || q.tag == m.tag)
}

func newNaive(program [][]step) *naive {
	return &naive{program: program, ranks: make([]naiveRank, len(program)), holder: map[int]int{}, asking: map[int][]int{},
		freeAt: map[int]uint64{}, signals: map[int][]uint64{}}
}

// run is the log of every rank, up to where it is stuck.
func (n *naive) run() (logs [][]string) {
	for {
		best, first := -1, turn{}
		for id := range n.ranks {
			if t, ok := n.turn(id); ok && (best < 0 || t.Before(&first)) {
				best, first = id, t
			}
		}
		if best < 0 {
			break
		}
		n.step(best, first.Key)
	}
	for id := range n.ranks {
		logs = append(logs, n.ranks[id].log)
	}
	return logs
}

// inOrder are the messages to a rank that no receive has, in their order.
func (n *naive) inOrder(to int) (ms []*naiveMessage) {
	for _, m := range n.messages {
		if m.to == to && !m.taken {
			ms = append(ms, m)
		}
	}
	slices.SortFunc(ms, func(a, b *naiveMessage) int {
		return cmp.Or(cmp.Compare(a.at, b.at), a.from-b.from, a.id-b.id)
	})
	return ms
}

// heldBack: a receive from any source is posted and has no message.
func (r *naiveRank) heldBack() bool {
	return slices.ContainsFunc(r.receives, func(q *naiveReceive) bool { return q.from == Any && q.got == nil && !q.send })
}

// match gives messages sent until now to receives, as both are in order. Without a
// receive from any source, time does not matter.
func (n *naive) match(id int) {
	r := &n.ranks[id]
	for _, m := range n.inOrder(id) {
		if r.heldBack() && m.at > r.clock {
			return
		}
		for _, q := range r.receives {
			if !q.send && q.got == nil && q.takes(m) {
				q.got, m.taken, q.at = m, true, max(q.at, m.at)
				break
			}
		}
	}
}

// class says whether a step is one of those that come after others at the same clock.
func (n *naive) class(r *naiveRank, s *step) class {
	switch {
	case n.late(r, s):
		return observing
	case s.kind == trace.Lock:
		return locking
	}
	return acting
}

// late reports whether a step depends on time.
func (n *naive) late(r *naiveRank, s *step) bool {
	left := r.left(s)
	switch s.kind {
	case trace.Iprobe, trace.WaitFlag, trace.Clock:
		return true
	case trace.Test:
		return len(left) > 0
	case trace.Recv, trace.Probe:
		return s.peer == Any || r.heldBack()
	case trace.Wait:
		return len(left) > 1 || len(left) == 1 && !left[0].send && left[0].got == nil && r.heldBack()
	}
	return false
}

// left are the requests of a Wait or Test that were not waited for before.
func (r *naiveRank) left(s *step) (qs []*naiveReceive) {
	for _, i := range s.requests {
		if q := r.receives[i]; !q.retired {
			qs = append(qs, q)
		}
	}
	return qs
}

// turn is when the next step of a rank can be made or tried.
func (n *naive) turn(id int) (turn, bool) {
	r := &n.ranks[id]
	if r.next == len(n.program[id]) || r.waiting {
		return turn{}, false
	}
	s := &n.program[id][r.next]
	if !r.worked {
		return turn{Key: r.clock, Turn: uint32(id)}, true
	}
	t := turn{Key: r.clock, Turn: uint32(id), Tie: n.class(r, s)}
	if !r.heldBack() {
		n.match(id)
	}
	if t.Tie == observing && !r.tried {
		return t, true
	}
	at, ok := n.soonest(id, s)
	t.Key = max(t.Key, at)
	return t, ok
}

// soonest is the earliest time at which something has happened that may let the rank
// make step s.
func (n *naive) soonest(id int, s *step) (uint64, bool) {
	r := &n.ranks[id]
	var times []uint64
	switch s.kind {
	case trace.Recv, trace.Probe, trace.Wait:
		qs := r.left(s)
		if s.kind != trace.Wait {
			qs = append(qs, n.receive(r, s))
		} else if len(qs) == 0 {
			return r.clock, true
		}
		for _, q := range qs {
			if q.got != nil || q.send {
				times = append(times, q.at)
			}
			for _, m := range n.inOrder(id) {
				if s.kind == trace.Probe && q.takes(m) && (!m.seen || !r.tried) ||
					s.kind != trace.Probe && q.got == nil && !q.send && r.heldBack() && !m.seen {
					times = append(times, m.at)
				}
			}
		}
	case trace.WaitFlag:
		if at := n.signals[s.peer]; s.tag == 0 {
			times = append(times, 0)
		} else if s.tag <= len(at) {
			times = append(times, at[s.tag-1])
		}
	default:
		return r.clock, true
	}
	if len(times) == 0 {
		return 0, false
	}
	return slices.Min(times), true
}

// receive is the receive of a Recv, posted when it is looked at for the first time, or
// what a Probe looks for.
func (n *naive) receive(r *naiveRank, s *step) *naiveReceive {
	if s.kind != trace.Recv {
		return &naiveReceive{from: s.peer, tag: s.tag}
	}
	return r.receives[len(r.receives)-1]
}

func (r *naiveRank) done(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%d at %d: ", r.next, r.clock)+fmt.Sprintf(format, args...))
	r.next, r.worked, r.tried = r.next+1, false, false
}

// step makes or tries the step of a rank whose turn it is.
func (n *naive) step(id int, now uint64) {
	r := &n.ranks[id]
	s := &n.program[id][r.next]
	if !r.worked {
		r.clock += uint64(s.work)
		r.executed += uint64(s.work)
		r.worked = true
		if s.kind == trace.Recv {
			r.receives = append(r.receives, &naiveReceive{from: s.peer, tag: s.tag, at: r.clock})
		}
		return
	}
	late := n.late(r, s)
	r.clock = max(r.clock, now)
	if late {
		n.match(id)
		for _, m := range n.inOrder(id) {
			m.seen = m.seen || m.at <= r.clock
		}
	}
	n.perform(id, s, late)
}

func (n *naive) perform(id int, s *step, late bool) {
	r := &n.ranks[id]
	switch s.kind {
	case trace.Send, trace.Isend:
		n.messages = append(n.messages, &naiveMessage{id, s.peer, s.tag, len(n.messages), r.clock, false, false})
		if s.kind == trace.Isend {
			r.receives = append(r.receives, &naiveReceive{at: r.clock, send: true})
		}
		r.done("sent")
	case trace.Irecv:
		r.receives = append(r.receives, &naiveReceive{from: s.peer, tag: s.tag, at: r.clock})
		r.done("posted")
	case trace.Recv:
		n.conclude(r, []*naiveReceive{n.receive(r, s)}, late)
	case trace.Wait:
		n.conclude(r, r.left(s), late)
	case trace.Test:
		if q := r.receives[s.requests[0]]; q.retired {
			r.done("retired")
		} else if (q.got != nil || q.send) && q.at <= r.clock {
			q.retired = true
			r.done("true: %s", q)
		} else {
			r.fail()
		}
	case trace.Probe, trace.Iprobe:
		n.look(id, s, late)
	default:
		n.performObject(id, s)
	}
}

// performObject makes a step of anything but messages.
func (n *naive) performObject(id int, s *step) {
	r := &n.ranks[id]
	switch s.kind {
	case trace.Clock:
		r.clock++
		r.done("%d", r.clock)
	case trace.Barrier:
		n.barrier(id)
	case trace.Lock:
		if n.holder[s.peer] != 0 {
			n.asking[s.peer] = append(n.asking[s.peer], id)
			r.waiting = true
			return
		}
		n.take(id, s.peer)
	case trace.Unlock:
		n.freeAt[s.peer] = r.clock
		n.holder[s.peer] = 0
		if q := n.asking[s.peer]; len(q) > 0 {
			n.asking[s.peer] = q[1:]
			n.take(q[0], s.peer)
		}
		r.done("unlocked")
	case trace.Signal:
		n.signals[s.peer] = append(n.signals[s.peer], r.clock)
		slices.Sort(n.signals[s.peer])
		r.done("signalled")
	case trace.WaitFlag:
		if at := n.signals[s.peer]; s.tag > 0 && (len(at) < s.tag || at[s.tag-1] > r.clock) {
			r.tried = true
			return
		}
		r.done("flag")
	}
}

func (n *naive) take(id, lock int) {
	r := &n.ranks[id]
	n.holder[lock] = id + 1
	r.clock = max(r.clock, n.freeAt[lock])
	r.waiting = false
	r.done("locked")
}

func (n *naive) barrier(id int) {
	n.ranks[id].waiting = true
	if n.arrived = append(n.arrived, id); len(n.arrived) < len(n.ranks) {
		return
	}
	last := uint64(0)
	for i := range n.ranks {
		last = max(last, n.ranks[i].clock)
	}
	for i := range n.ranks {
		n.ranks[i].clock, n.ranks[i].waiting = last, false
		n.ranks[i].done("barrier")
	}
	n.arrived = nil
}

// conclude ends a wait for one of qs with the one that completed first.
func (n *naive) conclude(r *naiveRank, qs []*naiveReceive, late bool) {
	if len(qs) == 0 {
		r.done("retired")
		return
	}
	first := -1
	for i, q := range qs {
		if (q.got != nil || q.send) && (len(qs) == 1 || q.at <= r.clock) && (first < 0 || q.at < qs[first].at) {
			first = i
		}
	}
	if first < 0 {
		if !late {
			panic("a turn without a message")
		}
		r.tried = true
		return
	}
	r.clock = max(r.clock, qs[first].at)
	qs[first].retired = true
	r.done("%d: %s", slices.Index(r.receives, qs[first]), qs[first])
}

func (n *naive) look(id int, s *step, late bool) {
	r := &n.ranks[id]
	q := n.receive(r, s)
	for _, m := range n.inOrder(id) {
		if q.takes(m) && (m.at <= r.clock || !late) {
			r.clock = max(r.clock, m.at)
			q.got = m
			r.done("found %s", q)
			return
		}
	}
	if s.kind == trace.Iprobe {
		r.fail()
		return
	}
	r.tried = true
}

func (r *naiveRank) fail() {
	wait := uint64(1)
	if r.poll.waited > 0 && r.executed-r.poll.at < pollWindow {
		wait = min(2*r.poll.waited, maxPollWait)
	}
	r.poll = poll{r.executed, wait}
	r.clock += wait
	r.done("false")
}

// String is what the message holds: the number of the send.
func (q *naiveReceive) String() string {
	if q.send {
		return "send"
	}
	return fmt.Sprintf("from %d tag %d", q.got.from, q.got.tag)
}
