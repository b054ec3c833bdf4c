package spmd

import (
	"cmp"
	"math"
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
	unexpected list[Message] // of all senders, in order
	anySource  list[Request] // posted for any source
	senders    map[int32]*senderQueue
	recent     *senderQueue // the queue that was used last
}

// senderQueue holds the unexpected messages of one sender, and the receives posted for it.
type senderQueue struct {
	source     int32
	unexpected list[Message]
	posted     list[Request]
}

// queuePosition is the position of an unexpected message.
type queuePosition struct {
	sender   *senderQueue
	inComm   node[Message]
	inSender node[Message]
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
		l.posted.remove(&directed.posted)
		return directed
	}
	if wild != nil {
		b.anySource.remove(&wild.posted)
	}
	return wild
}

func firstFor(posted *list[Request], m *Message) *Request {
	for n := posted.first; n != nil; n = n.next {
		if n.elem.Tag == m.Tag || n.elem.Tag == Any {
			return n.elem
		}
	}
	return nil
}

// add inserts an unexpected message after those that were sent before it: by time, then by sender.
func (in *inbox) add(m *Message) {
	b := in.ofComm(m.Group)
	m.position.sender = b.sender(m.From)
	m.position.sender.unexpected.push(&m.position.inSender, m)
	at := b.unexpected.last
	for at != nil && m.before(at.elem) {
		at = at.prev
	}
	b.unexpected.insert(&m.position.inComm, m, at)
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
		b.anySource.push(&q.posted, q)
		return
	}
	b.sender(q.Source).posted.push(&q.posted, q)
}

// find returns the first unexpected message that q accepts and that was sent at or before until, or nil.
func (in *inbox) find(q *Request, until uint64) *Message {
	b := in.ofComm(q.Group)
	if q.Source != Any {
		for n := b.sender(q.Source).unexpected.first; n != nil && n.elem.at <= until; n = n.next {
			if q.Tag == n.elem.Tag || q.Tag == Any {
				return n.elem
			}
		}
		return nil
	}
	for n := b.unexpected.first; n != nil && n.elem.at <= until; n = n.next {
		if q.Tag == n.elem.Tag || q.Tag == Any {
			return n.elem
		}
	}
	return nil
}

// remove deletes an unexpected message.
func (in *inbox) remove(m *Message) {
	m.position.sender.unexpected.remove(&m.position.inSender)
	in.ofComm(m.Group).unexpected.remove(&m.position.inComm)
}

// node is a list node that is a field of its element. Insertion allocates nothing and removal needs no search.
type node[T any] struct {
	prev, next *node[T]
	elem       *T
}

// list is a doubly linked list.
type list[T any] struct{ first, last *node[T] }

// insert puts n, the node of elem, after at; a nil at means the beginning.
func (l *list[T]) insert(n *node[T], of *T, at *node[T]) {
	n.elem, n.prev = of, at
	if at == nil {
		n.next, l.first = l.first, n
	} else {
		n.next, at.next = at.next, n
	}
	if n.next == nil {
		l.last = n
	} else {
		n.next.prev = n
	}
}

func (l *list[T]) push(n *node[T], of *T) { l.insert(n, of, l.last) }

func (l *list[T]) remove(n *node[T]) {
	if n.prev == nil {
		l.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	*n = node[T]{}
}
