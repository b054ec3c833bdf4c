package trace

// MatchQueue matches messages and receives while its user replays a program in the order of time. The time may be
// recorded or come from a model. The user stores an M for each message and an R for each receive. The zero
// value is empty.
//
// Messages and receives match as in MPI and in [Matcher]: those of one sender, receiver, tag and group match
// in order. A wildcard gets the message that was sent first; Matcher leaves that open.
type MatchQueue[M, R any] struct {
	boxes map[address]*mailbox[M, R]
	calls uint64
}

// address is the destination of messages: a processor in a group.
type address struct {
	to    Proc
	group int32
}

// envelope is the source and tag by which messages and receives of one address match. None in the
// envelope of a receive matches any.
type envelope struct{ from, tag int32 }

// matches reports whether a receive with envelope e matches a message with envelope m.
func (e envelope) matches(m envelope) bool {
	return (e.from == None || e.from == m.from) && (e.tag == None || e.tag == m.tag)
}

// mailbox holds the unmatched messages and receives of an address.
type mailbox[M, R any] struct {
	messages map[envelope][]queued[M]
	receives map[envelope][]queued[R]
}

// queued is an unmatched message or receive, and the number of the call that added it.
type queued[T any] struct {
	value T
	call  uint64
}

func (p *MatchQueue[M, R]) box(to Proc, group int32) *mailbox[M, R] {
	at := address{to, group}
	b := p.boxes[at]
	if b == nil {
		if p.boxes == nil {
			p.boxes = map[address]*mailbox[M, R]{}
		}
		b = &mailbox[M, R]{map[envelope][]queued[M]{}, map[envelope][]queued[R]{}}
		p.boxes[at] = b
	}
	return b
}

// Send adds the message of e, a Send or an Isend of processor from. If a receive is waiting for it, Send removes that
// receive and returns it. Otherwise m waits.
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
	b.messages[sent] = append(b.messages[sent], queued[M]{m, p.calls})
	return receive, false
}

// Receive adds the receive of e, a Recv or an Irecv of processor to. If a matching message has been sent, Receive
// removes that message and returns it. Otherwise r waits.
func (p *MatchQueue[M, R]) Receive(to Proc, e *Event, r R) (message M, found bool) {
	p.calls++
	b := p.box(to, e.Group)
	want := envelope{max(e.Peer, None), max(e.Tag, None)}
	take := want
	if want.from == None || want.tag == None {
		least := ^uint64(0)
		for m, q := range b.messages { // the earliest, whatever the order of the map
			if want.matches(m) && q[0].call < least {
				take, least = m, q[0].call
			}
		}
	}
	if len(b.messages[take]) > 0 {
		return shift(b.messages, take), true
	}
	b.receives[want] = append(b.receives[want], queued[R]{r, p.calls})
	return message, false
}

// shift removes the first element of a queue and returns it. It deletes a queue that becomes empty.
func shift[T any](queues map[envelope][]queued[T], e envelope) T {
	q := queues[e]
	if len(q) > 1 {
		queues[e] = q[1:]
	} else {
		delete(queues, e)
	}
	return q[0].value
}

// Unmatched returns the numbers of messages and receives that have no partner yet.
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
