package spmd

import (
	"cmp"
	"math"
)

// inbox matches the messages to one rank with its receives. Messages that no
// receive has taken are unexpected, receives that no message has come for are
// posted. A message goes to the receive that was posted first among those that
// take it, a receive takes the message that comes first in order.
//
// Both wait in lanes, one for each sender, so that what others sent is never
// searched. Lanes and boxes exist from their first use. An inbox is guarded by the
// backend.
type inbox struct {
	world  box
	others map[int32]*box // by context
	posts  uint64         // receives posted so far
}

// box is the inbox of one communicator.
type box struct {
	unexpected list[Message] // of all lanes, in order
	anySource  list[Request] // posted for any source
	lanes      map[int32]*lane
	recent     *lane // the one that was used last
}

// lane is what comes from one sender.
type lane struct {
	source     int32
	unexpected list[Message]
	posted     list[Request]
}

// places is where an unexpected message is.
type places struct {
	lane   *lane
	inBox  node[Message]
	inLane node[Message]
}

// forever is the end of time for take.
const forever = math.MaxUint64

func (in *inbox) box(context int32) *box {
	if context == worldContext {
		return &in.world
	}
	b := in.others[context]
	if b == nil {
		if in.others == nil {
			in.others = map[int32]*box{}
		}
		b = new(box)
		in.others[context] = b
	}
	return b
}

func (b *box) lane(source int32) *lane {
	if b.recent != nil && b.recent.source == source {
		return b.recent
	}
	l := b.lanes[source]
	if l == nil {
		if b.lanes == nil {
			b.lanes = map[int32]*lane{}
		}
		l = &lane{source: source}
		b.lanes[source] = l
	}
	b.recent = l
	return l
}

// match takes the receive out that m goes to, or returns nil.
func (in *inbox) match(m *Message) *Request {
	b, l := in.box(m.Group), m.places.lane
	if l == nil {
		l = b.lane(m.From)
	}
	directed, wild := firstFor(&l.posted, m), firstFor(&b.anySource, m)
	if directed != nil && (wild == nil || directed.order < wild.order) {
		l.posted.remove(&directed.place)
		return directed
	}
	if wild != nil {
		b.anySource.remove(&wild.place)
	}
	return wild
}

func firstFor(posted *list[Request], m *Message) *Request {
	for n := posted.first; n != nil; n = n.next {
		if n.of.Tag == m.Tag || n.of.Tag == Any {
			return n.of
		}
	}
	return nil
}

// add puts a message among the unexpected ones, after those that were sent before
// it: by time, then by sender.
func (in *inbox) add(m *Message) {
	b := in.box(m.Group)
	m.places.lane = b.lane(m.From)
	m.places.lane.unexpected.push(&m.places.inLane, m)
	at := b.unexpected.last
	for at != nil && m.before(at.of) {
		at = at.prev
	}
	b.unexpected.insert(&m.places.inBox, m, at)
}

// before reports whether m was sent before o: two messages of one sender are in
// the order in which they were added.
func (m *Message) before(o *Message) bool {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.From, o.From)) < 0
}

// post puts a receive among the posted ones.
func (in *inbox) post(q *Request) {
	q.order = in.posts
	in.posts++
	b := in.box(q.Group)
	if q.Source == Any {
		b.anySource.push(&q.place, q)
		return
	}
	b.lane(q.Source).posted.push(&q.place, q)
}

// find returns the first unexpected message that q takes and that was sent at
// until or before, or nil.
func (in *inbox) find(q *Request, until uint64) *Message {
	b := in.box(q.Group)
	if q.Source != Any {
		for n := b.lane(q.Source).unexpected.first; n != nil && n.of.at <= until; n = n.next {
			if q.Tag == n.of.Tag || q.Tag == Any {
				return n.of
			}
		}
		return nil
	}
	for n := b.unexpected.first; n != nil && n.of.at <= until; n = n.next {
		if q.Tag == n.of.Tag || q.Tag == Any {
			return n.of
		}
	}
	return nil
}

// remove takes an unexpected message out.
func (in *inbox) remove(m *Message) {
	m.places.lane.unexpected.remove(&m.places.inLane)
	in.box(m.Group).unexpected.remove(&m.places.inBox)
}
