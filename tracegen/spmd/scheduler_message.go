package spmd

// In virtual time a message is matched when it arrives. Ranks that run ahead send before ranks with lower clocks.
// Matching such a message at once is wrong, but only if a receive from any source is involved. Otherwise a message
// can only match receives for its sender, and both arrive in order. Therefore, while a rank has posted receives
// from any source in a communicator, its messages there are held back. They are matched in the order of their
// clocks, up to the rank's own clock (matchHeldBack).
//
// The times of posting and matching a receive do not affect which message it gets. Messages are in the order of
// clocks and receives in the order of posting, and both sides prefer the earlier one. Then there is exactly one
// stable matching.

// heldBack reports whether messages to b wait for the receiver's turn.
func (b *commInbox) heldBack() bool { return b.anySource.First != nil }

func (s *scheduler) send(p *rankTask, op *Op) {
	m := op.Message
	m.at = p.clock()
	if op.Request != nil {
		op.Request.at = m.at
	}
	to := s.ranks[m.To]
	if !to.inbox.ofComm(m.Group).heldBack() {
		if q := to.inbox.match(m); q != nil {
			s.deliver(to, q, m)
			return
		}
	}
	m = m.Keep()
	to.inbox.add(m)
	s.wakeReceiver(to, m)
}

// deliver completes a receive, and wakes its rank if it waits for that.
func (s *scheduler) deliver(p *rankTask, q *Request, m *Message) {
	q.Deliver(m)
	q.done, q.at = true, max(q.at, m.at)
	if q.awaited {
		s.readyEarlier(p, q.at, p.class)
	}
}

// wakeReceiver gives a waiting rank its turn if m may end the wait.
func (s *scheduler) wakeReceiver(p *rankTask, m *Message) {
	if p.probing != nil && p.probing.Takes(m) {
		s.readyEarlier(p, m.at, p.class)
	}
	for _, q := range p.awaits {
		if q.Group == m.Group && p.heldBack(q) {
			s.readyEarlier(p, m.at, p.class)
			return
		}
	}
}

// receive posts q, unless its message has arrived and no other rank's message can match.
func (s *scheduler) receive(p *rankTask, q *Request) {
	q.at = p.clock()
	if q.Source != Any && !p.inbox.ofComm(q.Group).heldBack() {
		if m := p.inbox.find(q, forever); m != nil {
			p.inbox.remove(m)
			s.deliver(p, q, m)
			return
		}
	}
	p.inbox.post(q)
}

// heldBack reports whether the message for q may have been held back.
func (p *rankTask) heldBack(q *Request) bool {
	return !q.done && p.inbox.ofComm(q.Group).heldBack()
}

// matchHeldBack matches held-back messages that were sent until now, in the communicators of qs. Once no receive
// from any source is left, no message needs to be held back.
func (s *scheduler) matchHeldBack(p *rankTask, qs ...*Request) {
	for _, q := range qs {
		b, until := p.inbox.ofComm(q.Group), p.clock()
		if !b.heldBack() {
			continue
		}
		for n := b.unexpected.First; n != nil && n.Elem.at <= until; {
			m := n.Elem
			n = n.Next
			if q := p.inbox.match(m); q != nil {
				p.inbox.remove(m)
				s.deliver(p, q, m)
			}
			if !b.heldBack() {
				until = forever
			}
		}
	}
}

// await waits until one of qs has completed, and returns the index of the first to complete.
func (s *scheduler) await(p *rankTask, qs []*Request) int {
	for {
		p.class = acting
		if len(qs) > 1 || p.heldBack(qs[0]) {
			p.class = observing
			s.takeTurn(p, observing)
			s.matchHeldBack(p, qs...)
		}
		if i := earliest(qs); i >= 0 && (len(qs) == 1 || qs[i].at <= p.clock()) {
			p.waitUntil(qs[i].at)
			return i
		}
		if at := p.nextClock(qs...); p.class == observing && at != forever {
			s.readyEarlier(p, at, observing)
		}
		s.block(p, qs)
	}
}

// block pauses until one of qs may have completed.
func (s *scheduler) block(p *rankTask, qs []*Request) {
	p.awaits = qs
	for _, q := range qs {
		q.awaited = true
	}
	p.Pause()
	p.awaits = nil
	for _, q := range qs {
		q.awaited = false
	}
}

// earliest returns the index of the request that completed first, or -1.
func earliest(qs []*Request) int {
	first := -1
	for i, q := range qs {
		if q.done && (first < 0 || q.at < qs[first].at) {
			first = i
		}
	}
	return first
}

// nextClock returns the next known clock at which one of qs may complete.
func (p *rankTask) nextClock(qs ...*Request) uint64 {
	next, now := uint64(forever), p.clock()
	for _, q := range qs {
		switch {
		case q.done:
			next = min(next, q.at)
		case p.heldBack(q):
			n := p.inbox.ofComm(q.Group).unexpected.First
			for n != nil && n.Elem.at <= now {
				n = n.Next
			}
			if n != nil {
				next = min(next, n.Elem.at)
			}
		}
	}
	return next
}

// probe waits until there is a message for q.
func (s *scheduler) probe(p *rankTask, q *Request) *Message {
	for {
		p.class = acting
		until := uint64(forever)
		if q.Source == Any || p.inbox.ofComm(q.Group).heldBack() {
			p.class = observing
			s.takeTurn(p, observing)
			s.matchHeldBack(p, q)
			until = p.clock()
		}
		if m := p.inbox.find(q, until); m != nil {
			p.waitUntil(m.at)
			return m
		}
		if m := p.inbox.find(q, forever); m != nil {
			s.readyEarlier(p, m.at, observing)
		}
		p.probing = q
		p.Pause()
		p.probing = nil
	}
}

func (s *scheduler) test(p *rankTask, q *Request) bool {
	s.takeTurn(p, observing)
	s.matchHeldBack(p, q)
	if q.done && q.at <= p.clock() {
		return true
	}
	s.backOff(p)
	return false
}

// iprobe returns the message for q if it has arrived.
func (s *scheduler) iprobe(p *rankTask, q *Request) *Message {
	s.takeTurn(p, observing)
	s.matchHeldBack(p, q)
	m := p.inbox.find(q, p.clock())
	if m == nil {
		s.backOff(p)
	}
	return m
}

const (
	pollWindow  = 64      // a rank that executes fewer instructions than this between polls only polls
	maxPollWait = 1 << 12 // maximum wait of a failed poll, in instructions
)

// poll is the latest failed poll of a rank.
type poll struct {
	at     uint64 // instructions executed
	waited uint64 // instructions
}

// backOff advances the clock after a poll that found nothing.
func (s *scheduler) backOff(p *rankTask) {
	executed, wait := p.Rank.Executed(), uint64(1)
	if p.poll.waited > 0 && executed-p.poll.at < pollWindow {
		wait = min(2*p.poll.waited, maxPollWait)
	}
	p.poll = poll{executed, wait}
	p.waited += wait
}
