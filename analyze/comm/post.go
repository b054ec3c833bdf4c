package comm

import "spoor/traces/trace"

// moment is when something ends that others may wait for.
type moment struct {
	known bool
	at    path
	task  *task // that waits, and which row it was then
	row   int64
}

// envelope is what sends and receives match by, but for the inbox.
type envelope struct{ from, tag int32 }

// inbox is where messages to a processor in a group wait.
type inbox struct {
	to    trace.Proc
	group int32
}

// mail is a message that was sent.
type mail struct {
	at     path // that arrives with it
	number uint64
}

// slot is a receive.
type slot struct {
	moment
	number uint64
}

// box is the messages and the receives of an inbox that have no partner yet.
type box struct {
	mails map[envelope][]mail
	slots map[envelope][]*slot
}

// post is all inboxes. Messages and receives match as in trace.Matcher: those of one
// sender, receiver, tag and group in their order. A wildcard takes what was sent first,
// in the nominal order of the replay.
type post struct {
	boxes  map[inbox]*box
	number uint64
}

func (p *post) box(to trace.Proc, group int32) *box {
	b := p.boxes[inbox{to, group}]
	if b == nil {
		b = &box{map[envelope][]mail{}, map[envelope][]*slot{}}
		p.boxes[inbox{to, group}] = b
	}
	return b
}

// send finds the receive of a message that arrives at a time; nil if it waits.
func (p *post) send(from trace.Proc, e *trace.Event, at path) *slot {
	p.number++
	b, source := p.box(trace.Proc(e.Peer), e.Group), int32(from)
	var first envelope
	var found *slot
	for _, want := range [...]envelope{{source, e.Tag}, {source, trace.None}, {trace.None, e.Tag}, {trace.None, trace.None}} {
		if q := b.slots[want]; len(q) > 0 && (found == nil || q[0].number < found.number) {
			first, found = want, q[0]
		}
	}
	if found == nil {
		put := envelope{source, e.Tag}
		b.mails[put] = append(b.mails[put], mail{at, p.number})
		return nil
	}
	shift(b.slots, first)
	return found
}

// receive finds the message of a receive; false if that waits.
func (p *post) receive(to trace.Proc, e *trace.Event, s *slot) (path, bool) {
	p.number++
	s.number = p.number
	b, want := p.box(to, e.Group), envelope{e.Peer, e.Tag}
	take := want
	if e.Peer < 0 || e.Tag < 0 {
		first := ^uint64(0)
		for m, q := range b.mails { // the least number, whatever the order of the map
			if (e.Peer < 0 || e.Peer == m.from) && (e.Tag < 0 || e.Tag == m.tag) && q[0].number < first {
				take, first = m, q[0].number
			}
		}
	}
	if q := b.mails[take]; len(q) > 0 {
		at := q[0].at
		shift(b.mails, take)
		return at, true
	}
	b.slots[want] = append(b.slots[want], s)
	return path{}, false
}

// shift removes the first of a queue.
func shift[T any](queues map[envelope][]T, e envelope) {
	if q := queues[e]; len(q) > 1 {
		queues[e] = q[1:]
	} else {
		delete(queues, e)
	}
}

// left counts the messages that nobody received.
func (p *post) left() (n uint64) {
	for _, b := range p.boxes {
		for _, q := range b.mails {
			n += uint64(len(q))
		}
	}
	return n
}
