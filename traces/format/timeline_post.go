package format

import "spoor/traces/trace"

// mail is a message in transit.
type mail struct {
	delivery
	arrives int64
}

// slot is a receive.
type slot struct {
	posted   int64
	received int64 // -1 before that
	mail     *mail // nil before that
	task     *task // the waiting task, or nil
}

// post matches messages and receives, and passes on those whose two sides are known.
type post struct {
	open trace.MatchQueue[*mail, *slot]
	sink timelineSink
}

// send finds the receive of m, which e sends. It returns nil if it was not posted yet.
func (p *post) send(e *trace.Event, m *mail) *slot {
	s, found := p.open.Send(m.from, e, m)
	if found {
		s.mail = m
	}
	return s
}

// receive posts the receive s of event e, and finds its message if it was sent already.
func (p *post) receive(to trace.Proc, e *trace.Event, s *slot) {
	s.mail, _ = p.open.Receive(to, e, s)
}

// deliver passes on the message of s, after both sides are known.
func (p *post) deliver(s *slot) error {
	if s.mail == nil || s.received < 0 {
		return nil
	}
	m := s.mail.delivery
	m.posted, m.received = s.posted, s.received
	return p.sink.delivered(&m)
}

// unmatchedNotes reports messages and receives without a partner.
func (p *post) unmatchedNotes() (notes []string) {
	sends, receives := p.open.Unmatched()
	if sends > 0 {
		notes = append(notes, plural(sends, "message")+" without a receive, shown without an arrow")
	}
	if receives > 0 {
		notes = append(notes, plural(receives, "receive")+" without a message, shown without an arrow")
	}
	return notes
}
