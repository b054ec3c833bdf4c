package spmd

// In virtual time a message is matched when it arrives. Ranks that run ahead send
// before ranks with lower clocks do, so that matching at once would be wrong, but
// only where a receive from any source is involved: otherwise a message meets
// receives from its sender alone, and both of these come in order. While a rank has
// receives from any source posted in a communicator, its messages there are
// therefore held back, and are matched in the order of the clock as far as the
// rank's turn has come (settle). When a receive is posted and when it is matched
// makes no difference to which message it gets: with messages in the order of the
// clock and receives in that of posting, both sides prefer what is earlier, and
// then there is one stable matching.

// heldBack reports whether messages to b wait for the receiver's turn.
func (b *box) heldBack() bool { return b.anySource.first != nil }

func (s *scheduler) send(p *player, op *Op) {
	m := op.Message
	m.at = p.clock()
	if op.Request != nil {
		op.Request.at = m.at
	}
	to := s.ranks[m.To]
	if !to.inbox.box(m.Group).heldBack() {
		if q := to.inbox.match(m); q != nil {
			s.deliver(to, q, m)
			return
		}
	}
	m = m.Keep()
	to.inbox.add(m)
	s.noticed(to, m)
}

// deliver completes a receive, and lets its rank run if it waits for that.
func (s *scheduler) deliver(p *player, q *Request, m *Message) {
	q.Deliver(m)
	q.done, q.at = true, max(q.at, m.at)
	if q.awaited {
		s.sooner(p, q.at, p.class)
	}
}

// noticed gives a rank its turn that waits and may have to do with m.
func (s *scheduler) noticed(p *player, m *Message) {
	if p.probe != nil && p.probe.Takes(m) {
		s.sooner(p, m.at, p.class)
	}
	for _, q := range p.waits {
		if q.Group == m.Group && p.heldBack(q) {
			s.sooner(p, m.at, p.class)
			return
		}
	}
}

// receive posts q, unless its message is there and nobody else's can be it.
func (s *scheduler) receive(p *player, q *Request) {
	q.at = p.clock()
	if q.Source != Any && !p.inbox.box(q.Group).heldBack() {
		if m := p.inbox.find(q, forever); m != nil {
			p.inbox.remove(m)
			s.deliver(p, q, m)
			return
		}
	}
	p.inbox.post(q)
}

// heldBack reports whether the message for q may have been held back.
func (p *player) heldBack(q *Request) bool {
	return !q.done && p.inbox.box(q.Group).heldBack()
}

// settle matches the messages that were held back and sent until now, in the
// communicators of qs. When no receive from any source is left, nothing needs to
// be held back any more.
func (s *scheduler) settle(p *player, qs ...*Request) {
	for _, q := range qs {
		b, until := p.inbox.box(q.Group), p.clock()
		if !b.heldBack() {
			continue
		}
		for n := b.unexpected.first; n != nil && n.of.at <= until; {
			m := n.of
			n = n.next
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

// await waits until one of qs has completed, the first to do so, and returns its
// index.
func (s *scheduler) await(p *player, qs []*Request) int {
	for {
		p.class = acting
		if len(qs) > 1 || p.heldBack(qs[0]) {
			p.class = observing
			s.takeTurn(p, observing)
			s.settle(p, qs...)
		}
		if i := earliest(qs); i >= 0 && (len(qs) == 1 || qs[i].at <= p.clock()) {
			p.waitUntil(qs[i].at)
			return i
		}
		if at := p.due(qs...); p.class == observing && at != forever {
			s.sooner(p, at, observing)
		}
		s.block(p, qs)
	}
}

// block pauses until one of qs may have completed.
func (s *scheduler) block(p *player, qs []*Request) {
	p.waits = qs
	for _, q := range qs {
		q.awaited = true
	}
	p.Pause()
	p.waits = nil
	for _, q := range qs {
		q.awaited = false
	}
}

// earliest is the index of the request that completed first, or -1.
func earliest(qs []*Request) int {
	first := -1
	for i, q := range qs {
		if q.done && (first < 0 || q.at < qs[first].at) {
			first = i
		}
	}
	return first
}

// due is the next clock at which, as far as is known, one of qs may complete.
func (p *player) due(qs ...*Request) uint64 {
	next, now := uint64(forever), p.clock()
	for _, q := range qs {
		switch {
		case q.done:
			next = min(next, q.at)
		case p.heldBack(q):
			n := p.inbox.box(q.Group).unexpected.first
			for n != nil && n.of.at <= now {
				n = n.next
			}
			if n != nil {
				next = min(next, n.of.at)
			}
		}
	}
	return next
}

// lookFor waits until there is a message for q.
func (s *scheduler) lookFor(p *player, q *Request) *Message {
	for {
		p.class = acting
		until := uint64(forever)
		if q.Source == Any || p.inbox.box(q.Group).heldBack() {
			p.class = observing
			s.takeTurn(p, observing)
			s.settle(p, q)
			until = p.clock()
		}
		if m := p.inbox.find(q, until); m != nil {
			p.waitUntil(m.at)
			return m
		}
		if m := p.inbox.find(q, forever); m != nil {
			s.sooner(p, m.at, observing)
		}
		p.probe = q
		p.Pause()
		p.probe = nil
	}
}

func (s *scheduler) test(p *player, q *Request) bool {
	s.takeTurn(p, observing)
	s.settle(p, q)
	if q.done && q.at <= p.clock() {
		return true
	}
	s.failed(p)
	return false
}

// look returns the message for q that is there.
func (s *scheduler) look(p *player, q *Request) *Message {
	s.takeTurn(p, observing)
	s.settle(p, q)
	m := p.inbox.find(q, p.clock())
	if m == nil {
		s.failed(p)
	}
	return m
}

const (
	pollWindow = 64      // instructions between polls, below which a rank does nothing but poll
	pollMost   = 1 << 12 // instructions that a failed poll waits at most
)

// poll is the latest poll of a rank that failed.
type poll struct {
	at     uint64 // instructions executed
	waited uint64 // instructions
}

// failed lets time pass after a poll that found nothing.
func (s *scheduler) failed(p *player) {
	executed, wait := p.Rank.Executed(), uint64(1)
	if p.poll.waited > 0 && executed-p.poll.at < pollWindow {
		wait = min(2*p.poll.waited, pollMost)
	}
	p.poll = poll{executed, wait}
	p.waited += wait
}
