package direct

import (
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// post is the messages and receives of a rank as its program runs, ahead of the engine.
//
// The messages of a channel are met in order. In a group in which no receive waits for the engine,
// a receive of one channel gets the next message of it, whenever that is sent: receives that are
// posted later cannot take it. A receive of several channels gets the message that came first, if
// one has come. Everything else the engine decides.
type matcher struct {
	queues      map[channel]*channelQueue
	byNumber    []*channelQueue         // by number
	undecided   map[int64]*spmd.Request // for the engine, by mark
	undecidedIn map[int32]int           // how many of them there are, by group
	marks       int64
	arrived     []arrival // messages that have come, in their order; some are taken
}

// channel is what messages that cannot overtake each other have in common.
type channel struct{ from, tag, group int32 }

// lane is a channel. Its messages are numbered from 0.
type channelQueue struct {
	channel
	number   int
	messages []*spmd.Message // sent, and not taken
	receives []*spmd.Request // that wait for those to be sent
	taken    uint64          // messages so far
	arrivals uint64          // messages that the engine let come so far
	last     unit.Picos      // when the last of them was there
}

// arrival is a message that has come.
type arrival struct {
	queue  *channelQueue
	number uint64
	at     unit.Picos
}

func (p *matcher) queue(c channel) *channelQueue {
	l := p.queues[c]
	if l == nil {
		l = &channelQueue{channel: c, number: len(p.byNumber)}
		p.queues[c], p.byNumber = l, append(p.byNumber, l)
	}
	return l
}

// first is the next message, or nil.
func (l *channelQueue) first() *spmd.Message {
	if l == nil || len(l.messages) == 0 {
		return nil
	}
	return l.messages[0]
}

// take gives the next message to a receive.
func (l *channelQueue) takeFirst(q *spmd.Request) *spmd.Request {
	m := l.messages[0]
	l.messages[0] = nil
	l.messages = l.messages[1:]
	return l.assign(q, m)
}

// marked is the bits of a request's mark that are the number of its message; the others are the
// number of the lane.
const markBits = 40

// give gives a message, the next one, to a receive, which remembers its number.
func (l *channelQueue) assign(q *spmd.Request, m *spmd.Message) *spmd.Request {
	q.Complete(m)
	q.Mark = uint64(l.number)<<markBits | l.taken
	l.taken++
	return q
}

// sent takes a message that is sent to the rank; it is of the sender. It returns the receive that
// got it, or nil.
func (p *matcher) deliver(m *spmd.Message) *spmd.Request {
	l := p.queue(channel{m.From, m.Tag, m.Group})
	if len(l.receives) == 0 {
		l.messages = append(l.messages, m.Keep())
		return nil
	}
	q := l.receives[0]
	l.receives = l.receives[1:]
	return l.assign(q, m)
}

// receive posts a receive, and is its mark for the engine if that decides.
func (p *matcher) post(q *spmd.Request) int64 {
	switch {
	case p.undecidedIn[q.Group] > 0:
	case q.Source != spmd.Any && q.Tag != spmd.Any:
		l := p.queue(channel{q.Source, q.Tag, q.Group})
		if len(l.messages) > 0 {
			l.takeFirst(q)
		} else {
			l.receives = append(l.receives, q)
		}
		return 0
	default:
		if a := p.firstArrived(q); a != nil {
			a.queue.takeFirst(q)
			return 0
		}
	}
	if p.undecided == nil {
		p.undecided, p.undecidedIn = map[int64]*spmd.Request{}, map[int32]int{}
	}
	p.marks++
	p.undecided[p.marks] = q
	p.undecidedIn[q.Group]++
	return p.marks
}

// matched is that the engine has met a receive with the next message of a channel.
func (p *matcher) engineMatched(mark int64, from, tag int32) *spmd.Request {
	q := p.undecided[mark]
	delete(p.undecided, mark)
	p.undecidedIn[q.Group]--
	return p.queue(channel{from, tag, q.Group}).takeFirst(q)
}

// came is that a message has come; all of it is there at a time.
func (p *matcher) arrive(c channel, at unit.Picos) {
	l := p.queue(c)
	if l.arrivals >= l.taken {
		if len(p.arrived) == cap(p.arrived) {
			p.dropTaken()
		}
		p.arrived = append(p.arrived, arrival{l, l.arrivals, at})
	}
	l.arrivals++
	l.last = max(l.last, at)
}

// tidy forgets the messages that were taken.
func (p *matcher) dropTaken() {
	kept := p.arrived[:0]
	for _, a := range p.arrived {
		if a.number >= a.queue.taken {
			kept = append(kept, a)
		}
	}
	p.arrived = kept
}

// find is the first message that has come and that q selects, or nil.
func (p *matcher) firstArrived(q *spmd.Request) *arrival {
	p.dropTaken()
	for i := range p.arrived {
		if c := &p.arrived[i].queue.channel; q.Group == c.group && (q.Source == c.from || q.Source == spmd.Any) && (q.Tag == c.tag || q.Tag == spmd.Any) {
			return &p.arrived[i]
		}
	}
	return nil
}

// lookFor is the message that a probe at a time, or later, finds; nil if only the engine knows. One
// that waits for it finds the next of its channel, whenever that comes.
func (p *matcher) probe(q *spmd.Request, waits bool, now unit.Picos) *spmd.Message {
	if p.undecidedIn[q.Group] > 0 {
		return nil
	}
	if waits && q.Source != spmd.Any && q.Tag != spmd.Any {
		return p.queues[channel{q.Source, q.Tag, q.Group}].first()
	}
	if a := p.firstArrived(q); a != nil && (waits || a.at <= now) {
		return a.queue.first()
	}
	return nil
}

// isThere is whether a receive has a message that was there at a time.
func (p *matcher) hasArrived(q *spmd.Request, now unit.Picos) bool {
	if !q.Completed() || q.Kind == trace.Isend {
		return false
	}
	l, number := p.byNumber[q.Mark>>markBits], q.Mark&(1<<markBits-1)
	return number < l.arrivals && l.last <= now
}
