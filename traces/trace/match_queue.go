package trace

import "spoor/traces/trace/internal/mailbox"

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
	world []*mailbox.Mailbox[M, R] // of messages without a group, by receiver; most programs have no others
	boxes map[inbox]*mailbox.Mailbox[M, R]
}

func (p *MatchQueue[M, R]) box(at inbox) *mailbox.Mailbox[M, R] {
	if at.group == None && at.to >= 0 && at.to < mostReceivers {
		if n := int(at.to) + 1; n > len(p.world) {
			p.world = append(p.world, make([]*mailbox.Mailbox[M, R], n-len(p.world))...)
		}
		if p.world[at.to] == nil {
			p.world[at.to] = new(mailbox.Mailbox[M, R])
		}
		return p.world[at.to]
	}
	b := p.boxes[at]
	if b == nil {
		if p.boxes == nil {
			p.boxes = map[inbox]*mailbox.Mailbox[M, R]{}
		}
		b = new(mailbox.Mailbox[M, R])
		p.boxes[at] = b
	}
	return b
}

// mostReceivers is the most processors of a trace.
const mostReceivers = 1 << 20

// Send adds the message of e, a Send or an Isend of processor from. If a receive is waiting for it, Send removes that
// receive and returns it. Otherwise m waits.
func (p *MatchQueue[M, R]) Send(from Proc, e *Event, m M) (receive R, found bool) {
	return p.box(inbox{Proc(e.Peer), e.Group}).Send(mailbox.Envelope{From: int32(from), Tag: max(e.Tag, mailbox.Any)}, m)
}

// Receive adds the receive of e, a Recv or an Irecv of processor to. If a matching message has been sent, Receive
// removes that message and returns it. Otherwise r waits.
func (p *MatchQueue[M, R]) Receive(to Proc, e *Event, r R) (message M, found bool) {
	want := mailbox.Envelope{From: max(e.Peer, mailbox.Any), Tag: max(e.Tag, mailbox.Any)}
	return p.box(inbox{to, e.Group}).Receive(want, r)
}

// Unmatched returns the numbers of messages and receives that have no partner yet.
func (p *MatchQueue[M, R]) Unmatched() (messages, receives int) {
	add := func(b *mailbox.Mailbox[M, R]) {
		m, r := b.Unmatched()
		messages, receives = messages+m, receives+r
	}
	for _, b := range p.boxes {
		add(b)
	}
	for _, b := range p.world {
		if b != nil {
			add(b)
		}
	}
	return messages, receives
}
