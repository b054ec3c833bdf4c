package format

import "spoor/traces/trace"

// envelope is what sends and receives match by.
type envelope struct {
	from, tag int32
}

// mail is a message on its way.
type mail struct {
	delivery
	arrives int64
	seq     int64
}

// slot is a receive.
type slot struct {
	from, tag, group int32
	to               trace.Proc
	posted           int64
	received         int64 // -1 before
	mail             *mail // nil before
	seq              int64
	task             *task // that waits for it, or nil
}

// inboxKey is where messages to a processor in a group wait.
type inboxKey struct {
	to    trace.Proc
	group int32
}

// mailbox holds the messages and the receives of an inbox that have no partner yet.
type mailbox struct {
	mails map[envelope][]*mail
	slots map[envelope][]*slot
}

// post is all mailboxes. Messages and receives match as in trace.Matcher: those of one
// sender, receiver, tag and group in their order; a wildcard takes the message that
// was sent first.
type post struct {
	boxes map[inboxKey]*mailbox
	seq   int64
	sink  timelineSink
}

func (p *post) box(to trace.Proc, group int32) *mailbox {
	key := inboxKey{to, group}
	b := p.boxes[key]
	if b == nil {
		b = &mailbox{map[envelope][]*mail{}, map[envelope][]*slot{}}
		p.boxes[key] = b
	}
	return b
}

// send finds the receive of m, or keeps m. The receive is nil if none has come.
func (p *post) send(m *mail) *slot {
	p.seq++
	m.seq = p.seq
	b := p.box(m.to, m.group)
	var first envelope
	var found *slot
	from := int32(m.from)
	for _, e := range [...]envelope{{from, m.tag}, {from, trace.None}, {trace.None, m.tag}, {trace.None, trace.None}} {
		if q := b.slots[e]; len(q) > 0 && (found == nil || q[0].seq < found.seq) {
			first, found = e, q[0]
		}
	}
	if found == nil {
		b.mails[envelope{from, m.tag}] = append(b.mails[envelope{from, m.tag}], m)
		return nil
	}
	shift(b.slots, first)
	found.mail = m
	return found
}

// receive finds the message of s, or keeps s.
func (p *post) receive(s *slot) {
	p.seq++
	s.seq = p.seq
	b := p.box(s.to, s.group)
	want := envelope{s.from, s.tag}
	if s.from == trace.None || s.tag == trace.None {
		var first *mail
		for e, q := range b.mails {
			if (s.from == trace.None || s.from == e.from) && (s.tag == trace.None || s.tag == e.tag) && (first == nil || q[0].seq < first.seq) {
				want, first = e, q[0]
			}
		}
	}
	if q := b.mails[want]; len(q) > 0 {
		s.mail = q[0]
		shift(b.mails, want)
		return
	}
	want = envelope{s.from, s.tag}
	b.slots[want] = append(b.slots[want], s)
}

// shift removes the first of a queue.
func shift[T any](queues map[envelope][]T, e envelope) {
	if q := queues[e]; len(q) > 1 {
		queues[e] = q[1:]
	} else {
		delete(queues, e)
	}
}

// deliver passes on the message of s, once both sides are known.
func (p *post) deliver(s *slot) error {
	if s.mail == nil || s.received < 0 {
		return nil
	}
	m := s.mail.delivery
	m.posted, m.received = s.posted, s.received
	return p.sink.delivered(&m)
}

// unmatched counts what has no partner.
func (p *post) unmatched() (sends, receives int) {
	for _, b := range p.boxes {
		for _, q := range b.mails {
			sends += len(q)
		}
		for _, q := range b.slots {
			receives += len(q)
		}
	}
	return sends, receives
}

// unmatchedNotes say so.
func (p *post) unmatchedNotes() (notes []string) {
	sends, receives := p.unmatched()
	if sends > 0 {
		notes = append(notes, plural(sends, "message")+" without a receive, shown without an arrow")
	}
	if receives > 0 {
		notes = append(notes, plural(receives, "receive")+" without a message, shown without an arrow")
	}
	return notes
}
