// Package mailbox matches messages and receives that have one destination.
package mailbox

import "spoor/traces/smallmap"

// Any is the source or tag of a receive that takes messages from any source or with any tag.
const Any int32 = -1

// Envelope is the source and tag by which messages and receives match. Any in the envelope
// of a receive matches any.
type Envelope struct{ From, Tag int32 }

// Mailbox holds the unmatched messages and receives of one destination: an M for each message and an R for each receive.
// The zero Mailbox is empty.
type Mailbox[M, R any] struct {
	messages smallmap.Map[Envelope, []queued[M]]
	receives smallmap.Map[Envelope, []queued[R]]
	calls    uint64          // of Send and Receive
	waiting  int             // messages
	views    *[3]messageView // nil until a receive with wildcards comes
}

// queued is an unmatched message or receive, and the number of the call that added it.
type queued[T any] struct {
	value T
	call  uint64
}

// Send adds a message with envelope sent. If a receive is waiting for it, Send removes that receive and returns it.
// Otherwise m waits.
func (b *Mailbox[M, R]) Send(sent Envelope, m M) (receive R, found bool) {
	b.calls++
	var want Envelope
	least := ^uint64(0)
	for _, w := range [...]Envelope{sent, {sent.From, Any}, {Any, sent.Tag}, {Any, Any}} {
		if q := b.receives.Get(w); len(q) > 0 && q[0].call < least {
			want, least, found = w, q[0].call, true
		}
	}
	if found {
		return shift(&b.receives, want), true
	}
	queue := b.messages.Of(sent)
	*queue = append(*queue, queued[M]{m, b.calls})
	b.waiting++
	b.keep(waitingMessage{sent, b.calls})
	return receive, false
}

// Receive adds a receive with envelope want. If a matching message has been sent, Receive removes that message and
// returns it. Otherwise r waits.
func (b *Mailbox[M, R]) Receive(want Envelope, r R) (message M, found bool) {
	b.calls++
	take := want
	if want.From == Any || want.Tag == Any {
		if sent, found := b.first(want); found {
			take = sent
		}
	}
	if len(b.messages.Get(take)) > 0 {
		b.waiting--
		return shift(&b.messages, take), true
	}
	queue := b.receives.Of(want)
	*queue = append(*queue, queued[R]{r, b.calls})
	return message, false
}

// shift removes the first element of a queue and returns it. It deletes a queue that becomes empty.
func shift[T any](queues *smallmap.Map[Envelope, []queued[T]], e Envelope) T {
	q := queues.Of(e)
	first := (*q)[0].value
	if *q = (*q)[1:]; len(*q) == 0 {
		queues.Take(e)
	}
	return first
}

// Unmatched returns the numbers of messages and receives that wait.
func (b *Mailbox[M, R]) Unmatched() (messages, receives int) {
	for _, q := range b.messages.Rows() {
		messages += len(q.Value)
	}
	for _, q := range b.receives.Rows() {
		receives += len(q.Value)
	}
	return messages, receives
}
