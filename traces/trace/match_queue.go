package trace

import (
	"cmp"
	"slices"
)

// MatchQueue matches messages and receives while its user replays a program in the order of time. The time may be
// recorded or come from a model. The user stores an M for each message and an R for each receive. The zero
// value is empty.
//
// Messages and receives match as in MPI and in [Matcher]: those of one sender, receiver, tag and group match
// in order. A wildcard gets the message that was sent first; Matcher leaves that open.
//
// Matcher reads processors one after the other, not in the order of time. It keeps sizes and positions
// as runs, so that it needs little memory for long traces.
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

// mailbox holds the unmatched messages and receives of an address.
type mailbox[M, R any] struct {
	messages map[envelope][]queued[M]
	receives map[envelope][]queued[R]
	waiting  int // messages
	views    [3]messageView
}

// messageView holds the waiting messages of a mailbox by one form of wildcards: any source and tag, any source, any tag. It
// is empty until a receive of that form comes. It may hold messages that have been taken since then.
type messageView struct {
	used   bool
	queues map[envelope][]waitingMessage
	size   int
}

// waitingMessage is a message, by its envelope and the number of the call that added it. It waits as long as the queue of
// the envelope does not begin with a later one, because messages of an envelope are taken in order.
type waitingMessage struct {
	sent envelope
	call uint64
}

// forms returns the envelopes of the wildcards that match a message with envelope e, by the number of their view.
func (e envelope) forms() [3]envelope {
	return [3]envelope{{None, None}, {None, e.tag}, {e.from, None}}
}

// view returns the number of the view of a wildcard with envelope e.
func (e envelope) view() int {
	switch {
	case e.tag != None:
		return 1
	case e.from != None:
		return 2
	}
	return 0
}

// add adds a message.
func (v *messageView) add(form envelope, m waitingMessage) {
	v.queues[form] = append(v.queues[form], m)
	v.size++
}

// fill makes view number of b hold the waiting messages.
func (b *mailbox[M, R]) fill(number int) {
	var all []waitingMessage
	for sent, q := range b.messages {
		for _, m := range q {
			all = append(all, waitingMessage{sent, m.call})
		}
	}
	slices.SortFunc(all, func(x, y waitingMessage) int { return cmp.Compare(x.call, y.call) })
	v := &b.views[number]
	*v = messageView{used: true, queues: map[envelope][]waitingMessage{}}
	for _, m := range all {
		v.add(m.sent.forms()[number], m)
	}
}

// keep adds a message to the views in use.
func (b *mailbox[M, R]) keep(m waitingMessage) {
	const few = 64
	for number, form := range m.sent.forms() {
		switch v := &b.views[number]; {
		case !v.used:
		case v.size > 2*b.waiting+few: // most have been taken
			b.fill(number) // also with m
		default:
			v.add(form, m)
		}
	}
}

// first returns the envelope of the first waiting message that a wildcard matches.
func (b *mailbox[M, R]) first(want envelope) (sent envelope, found bool) {
	v := &b.views[want.view()]
	if !v.used {
		b.fill(want.view())
	}
	queue := v.queues[want]
	for ; len(queue) > 0; queue = queue[1:] {
		if q := b.messages[queue[0].sent]; len(q) > 0 && q[0].call <= queue[0].call {
			v.queues[want] = queue
			return queue[0].sent, true
		}
		v.size--
	}
	delete(v.queues, want)
	return sent, false
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
		b = &mailbox[M, R]{messages: map[envelope][]queued[M]{}, receives: map[envelope][]queued[R]{}}
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
	b.waiting++
	b.keep(waitingMessage{sent, p.calls})
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
		if sent, found := b.first(want); found {
			take = sent
		}
	}
	if len(b.messages[take]) > 0 {
		b.waiting--
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
