package trace

// MatchQueue hands messages to receives while a program is gone through in the order of time, be it recorded
// or that of a model. M is what its user keeps of a message, R of a receive. The zero value is empty.
//
// Messages and receives match as in MPI, and as [Matcher] has it: those of one sender, receiver, tag
// and group in their order. What a wildcard gets, which Matcher leaves open, is what was sent first.
type MatchQueue[M, R any] struct {
	boxes map[address]*mailbox[M, R]
	calls uint64
}

// address is where messages to a processor in a group go.
type address struct {
	to    Proc
	group int32
}

// envelope is what messages and receives of one address match by. In that of a receive None takes
// any.
type envelope struct{ from, tag int32 }

// takes reports whether a receive takes a message.
func (e envelope) takes(m envelope) bool {
	return (e.from == None || e.from == m.from) && (e.tag == None || e.tag == m.tag)
}

// mailbox is the messages and the receives of an address that have no partner yet.
type mailbox[M, R any] struct {
	messages map[envelope][]unclaimed[M]
	receives map[envelope][]unclaimed[R]
}

// unclaimed is a message or a receive and the number of its call.
type unclaimed[T any] struct {
	what T
	call uint64
}

func (p *MatchQueue[M, R]) box(to Proc, group int32) *mailbox[M, R] {
	at := address{to, group}
	b := p.boxes[at]
	if b == nil {
		if p.boxes == nil {
			p.boxes = map[address]*mailbox[M, R]{}
		}
		b = &mailbox[M, R]{map[envelope][]unclaimed[M]{}, map[envelope][]unclaimed[R]{}}
		p.boxes[at] = b
	}
	return b
}

// Send takes the receive that the message of e, a Send or an Isend of from, has waited for; if there
// is none, m waits.
func (p *MatchQueue[M, R]) Send(from Proc, e *Event, m M) (receive R, found bool) {
	p.calls++
	b := p.box(Proc(e.Peer), e.Group)
	sent := envelope{int32(from), max(e.Tag, None)}
	var want envelope
	least := ^uint64(0)
	for _, w := range [...]envelope{sent, {sent.from, None}, {None, sent.tag}, {None, None}} {
		if q := b.receives[w]; len(q) > 0 && q[0].call < least {
			want, least, found = w, q[0].call, true
		}
	}
	if found {
		return shift(b.receives, want), true
	}
	b.messages[sent] = append(b.messages[sent], unclaimed[M]{m, p.calls})
	return receive, false
}

// Receive takes the message that e, a Recv or an Irecv of to, gets; if there is none, r waits.
func (p *MatchQueue[M, R]) Receive(to Proc, e *Event, r R) (message M, found bool) {
	p.calls++
	b := p.box(to, e.Group)
	want := envelope{max(e.Peer, None), max(e.Tag, None)}
	take := want
	if want.from == None || want.tag == None {
		least := ^uint64(0)
		for m, q := range b.messages { // the least number, whatever the order of the map
			if want.takes(m) && q[0].call < least {
				take, least = m, q[0].call
			}
		}
	}
	if len(b.messages[take]) > 0 {
		return shift(b.messages, take), true
	}
	b.receives[want] = append(b.receives[want], unclaimed[R]{r, p.calls})
	return message, false
}

// shift removes the first of a queue, and the queue with its last.
func shift[T any](queues map[envelope][]unclaimed[T], e envelope) T {
	q := queues[e]
	if len(q) > 1 {
		queues[e] = q[1:]
	} else {
		delete(queues, e)
	}
	return q[0].what
}

// Unmatched counts the messages and the receives that have no partner.
func (p *MatchQueue[M, R]) Unmatched() (messages, receives int) {
	for _, b := range p.boxes {
		for _, q := range b.messages {
			messages += len(q)
		}
		for _, q := range b.receives {
			receives += len(q)
		}
	}
	return messages, receives
}
