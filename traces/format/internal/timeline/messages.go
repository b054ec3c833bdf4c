package timeline

import (
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// sentMessage is a message in transit.
type sentMessage struct {
	Delivery
	arrives int64
}

// postedRecv is a receive.
type postedRecv struct {
	posted      int64
	received    int64        // -1 before that
	sentMessage *sentMessage // nil before that
	task        *task        // the waiting task, or nil
}

// messageMatcher matches messages and receives, and passes on those whose two sides are known.
type messageMatcher struct {
	open trace.MatchQueue[*sentMessage, *postedRecv]
	sink timelineSink
}

// send finds the receive of m, which e sends. It returns nil if it was not posted yet.
func (p *messageMatcher) send(e *trace.Event, m *sentMessage) *postedRecv {
	s, found := p.open.Send(m.From, e, m)
	if found {
		s.sentMessage = m
	}
	return s
}

// receive posts the receive s of event e, and finds its message if it was sent already.
func (p *messageMatcher) receive(to trace.Proc, e *trace.Event, s *postedRecv) {
	s.sentMessage, _ = p.open.Receive(to, e, s)
}

// deliver passes on the message of s, after both sides are known.
func (p *messageMatcher) deliver(s *postedRecv) error {
	if s.sentMessage == nil || s.received < 0 {
		return nil
	}
	m := s.sentMessage.Delivery
	m.Posted, m.Received = s.posted, s.received
	return p.sink.Delivered(&m)
}

// unmatchedNotes reports messages and receives without a partner.
func (p *messageMatcher) unmatchedNotes() (notes []string) {
	sends, receives := p.open.Unmatched()
	if sends > 0 {
		notes = append(notes, input.Plural(sends, "message")+" without a receive, shown without an arrow")
	}
	if receives > 0 {
		notes = append(notes, input.Plural(receives, "receive")+" without a message, shown without an arrow")
	}
	return notes
}
