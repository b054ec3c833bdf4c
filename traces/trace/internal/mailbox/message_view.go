package mailbox

import (
	"cmp"
	"slices"
)

// messageView holds the waiting messages of a mailbox by one form of wildcards: any source and tag, any source, any tag. It
// is empty until a receive of that form comes. It may hold messages that have been taken since then.
type messageView struct {
	used   bool
	queues map[Envelope][]waitingMessage
	size   int
}

// waitingMessage is a message, by its envelope and the number of the call that added it. It waits as long as the queue of
// the envelope does not begin with a later one, because messages of an envelope are taken in order.
type waitingMessage struct {
	sent Envelope
	call uint64
}

// forms returns the envelopes of the wildcards that match a message with envelope e, by the number of their view.
func (e Envelope) forms() [3]Envelope {
	return [3]Envelope{{Any, Any}, {Any, e.Tag}, {e.From, Any}}
}

// view returns the number of the view of a wildcard with envelope e.
func (e Envelope) view() int {
	switch {
	case e.Tag != Any:
		return 1
	case e.From != Any:
		return 2
	}
	return 0
}

// add adds a message.
func (v *messageView) add(form Envelope, m waitingMessage) {
	v.queues[form] = append(v.queues[form], m)
	v.size++
}

// fill makes view number of b hold the waiting messages.
func (b *Mailbox[M, R]) fill(number int) {
	var all []waitingMessage
	for _, q := range b.messages.Rows() {
		for _, m := range q.Value {
			all = append(all, waitingMessage{q.Key, m.call})
		}
	}
	slices.SortFunc(all, func(x, y waitingMessage) int { return cmp.Compare(x.call, y.call) })
	v := &b.views[number]
	*v = messageView{used: true, queues: map[Envelope][]waitingMessage{}}
	for _, m := range all {
		v.add(m.sent.forms()[number], m)
	}
}

// keep adds a message to the views in use.
func (b *Mailbox[M, R]) keep(m waitingMessage) {
	if b.views == nil {
		return
	}
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
func (b *Mailbox[M, R]) first(want Envelope) (sent Envelope, found bool) {
	if b.views == nil {
		b.views = new([3]messageView)
	}
	v := &b.views[want.view()]
	if !v.used {
		b.fill(want.view())
	}
	queue := v.queues[want]
	for ; len(queue) > 0; queue = queue[1:] {
		if q := b.messages.Get(queue[0].sent); len(q) > 0 && q[0].call <= queue[0].call {
			v.queues[want] = queue
			return queue[0].sent, true
		}
		v.size--
	}
	delete(v.queues, want)
	return sent, false
}
