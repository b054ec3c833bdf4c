package spmd

import (
	"cmp"
	"math"

	"spoor/tracegen/spmd/internal/list"
)

// inbox matches the messages to one rank with its receives. A message without a receive is unexpected. A receive
// without a message is posted. A message goes to the first posted receive that accepts it. A receive takes the
// first unexpected message that it accepts.
//
// Both have a queue for each sender, so that a search never visits messages of other senders. The backend guards an
// inbox against concurrent use.
//
// It is not a trace.MatchQueue. Messages may come later than others that were sent after them. Probes look at
// messages without taking them.
type inbox struct {
	world  commInbox
	others map[int32]*commInbox // by context
	posts  uint64               // number of receives posted so far
}

// commInbox is the inbox of one communicator.
type commInbox struct {
	unexpected list.List[Message] // of all senders, in order
	anySource  list.List[Request] // posted for any source
	senders    map[int32]*senderQueue
	recent     *senderQueue // the queue that was used last
}

// senderQueue holds the unexpected messages of one sender, and the receives posted for it.
type senderQueue struct {
	source     int32
	unexpected list.List[Message]
	posted     list.List[Request]
}

// queuePosition is the position of an unexpected message.
type queuePosition struct {
	sender   *senderQueue
	inComm   list.Node[Message]
	inSender list.Node[Message]
}

// forever is a time after all messages, for find.
const forever = math.MaxUint64

func (in *inbox) ofComm(context int32) *commInbox {
	if context == worldContext {
		return &in.world
	}
	b := in.others[context]
	if b == nil {
		if in.others == nil {
			in.others = map[int32]*commInbox{}
		}
		b = new(commInbox)
		in.others[context] = b
	}
	return b
}

func (b *commInbox) sender(source int32) *senderQueue {
	if b.recent != nil && b.recent.source == source {
		return b.recent
	}
	l := b.senders[source]
	if l == nil {
		if b.senders == nil {
			b.senders = map[int32]*senderQueue{}
		}
		l = &senderQueue{source: source}
		b.senders[source] = l
	}
	b.recent = l
	return l
}

// match removes and returns the posted receive for m, or returns nil.
func (in *inbox) match(m *Message) *Request {
	b, l := in.ofComm(m.Group), m.position.sender
	if l == nil {
		l = b.sender(m.From)
	}
	directed, wild := firstFor(&l.posted, m), firstFor(&b.anySource, m)
	if directed != nil && (wild == nil || directed.order < wild.order) {
		l.posted.Remove(&directed.posted)
		return directed
	}
	if wild != nil {
		b.anySource.Remove(&wild.posted)
	}
	return wild
}

func firstFor(posted *list.List[Request], m *Message) *Request {
	for n := posted.First; n != nil; n = n.Next {
		if n.Elem.Tag == m.Tag || n.Elem.Tag == Any {
			return n.Elem
		}
	}
	return nil
}

// add inserts an unexpected message after those that were sent before it: by time, then by sender.
func (in *inbox) add(m *Message) {
	b := in.ofComm(m.Group)
	m.position.sender = b.sender(m.From)
	m.position.sender.unexpected.Push(&m.position.inSender, m)
	at := b.unexpected.Last
	for at != nil && m.before(at.Elem) {
		at = at.Prev
	}
	b.unexpected.Insert(&m.position.inComm, m, at)
}

// before reports whether m was sent before o. Two messages of one sender keep the order in which they were added.
func (m *Message) before(o *Message) bool {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.From, o.From)) < 0
}

// post adds a receive to the posted ones.
func (in *inbox) post(q *Request) {
	q.order = in.posts
	in.posts++
	b := in.ofComm(q.Group)
	if q.Source == Any {
		b.anySource.Push(&q.posted, q)
		return
	}
	b.sender(q.Source).posted.Push(&q.posted, q)
}

// find returns the first unexpected message that q accepts and that was sent at or before until, or nil.
func (in *inbox) find(q *Request, until uint64) *Message {
	b := in.ofComm(q.Group)
	if q.Source != Any {
		for n := b.sender(q.Source).unexpected.First; n != nil && n.Elem.at <= until; n = n.Next {
			if q.Tag == n.Elem.Tag || q.Tag == Any {
				return n.Elem
			}
		}
		return nil
	}
	for n := b.unexpected.First; n != nil && n.Elem.at <= until; n = n.Next {
		if q.Tag == n.Elem.Tag || q.Tag == Any {
			return n.Elem
		}
	}
	return nil
}

// remove deletes an unexpected message.
func (in *inbox) remove(m *Message) {
	m.position.sender.unexpected.Remove(&m.position.inSender)
	in.ofComm(m.Group).unexpected.Remove(&m.position.inComm)
}
