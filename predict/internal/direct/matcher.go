package direct

import (
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// matcher matches the messages and receives of a rank as its program runs, ahead of the engine.
//
// The messages of a channel are matched in order. In a group without a receive that is undecided, a receive of one
// channel gets the channel's next message, whenever that is sent, because later receives cannot take it. A receive of
// several channels gets the message that arrived first, if one has arrived. The engine decides all other cases.
//
// So it is not a trace.MatchQueue, which decides all cases itself. Nor is it the inbox of the engine, which sees
// messages only when they arrive.
type matcher struct {
	queues      map[channel]*channelQueue
	byNumber    []*channelQueue         // by number
	undecided   map[int64]*spmd.Request // receives that the engine matches, by mark
	undecidedIn map[int32]int           // number of undecided receives by group
	marks       int64
	arrived     []arrival // messages in order of arrival; some are taken
}

// channel is what messages that cannot overtake each other have in common.
type channel struct{ from, tag, group int32 }

// channelQueue is the messages and receives of a channel. Its messages are numbered from 0.
type channelQueue struct {
	channel
	number   int
	messages []*spmd.Message // sent and not taken
	receives []*spmd.Request // that wait for messages to be sent
	taken    uint64          // messages so far
	arrivals uint64          // messages that have arrived in the engine so far
	last     unit.Picos      // when the last of them arrived
}

// arrival is a message that has arrived.
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

// first returns the next message, or nil.
func (l *channelQueue) first() *spmd.Message {
	if l == nil || len(l.messages) == 0 {
		return nil
	}
	return l.messages[0]
}

// takeFirst assigns the next message to a receive.
func (l *channelQueue) takeFirst(q *spmd.Request) *spmd.Request {
	m := l.messages[0]
	l.messages[0] = nil
	l.messages = l.messages[1:]
	return l.assign(q, m)
}

// markBits is the number of bits of a request's mark for the number of its message. The other bits are the number of
// the channelQueue.
const markBits = 40

// assign assigns a message, the next one, to a receive. The receive stores its number.
func (l *channelQueue) assign(q *spmd.Request, m *spmd.Message) *spmd.Request {
	q.Complete(m)
	q.Mark = uint64(l.number)<<markBits | l.taken
	l.taken++
	return q
}

// deliver takes a message that is sent to the rank. It returns the receive that gets the message, or nil. The sender
// owns m, unless it is kept.
func (p *matcher) deliver(m *spmd.Message, kept bool) *spmd.Request {
	l := p.queue(channel{m.From, m.Tag, m.Group})
	if len(l.receives) == 0 {
		if !kept {
			m = m.Keep()
		}
		l.messages = append(l.messages, m)
		return nil
	}
	q := l.receives[0]
	l.receives = l.receives[1:]
	return l.assign(q, m)
}

// post posts a receive. It returns its mark if the engine must match it, or 0.
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

// engineMatched is called when the engine has matched a receive with the next message of a channel.
func (p *matcher) engineMatched(mark int64, from, tag int32) *spmd.Request {
	q := p.undecided[mark]
	delete(p.undecided, mark)
	p.undecidedIn[q.Group]--
	return p.queue(channel{from, tag, q.Group}).takeFirst(q)
}

// arrive is called when a message has arrived in the engine. All of it is there at a time.
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

// dropTaken removes the messages that were taken.
func (p *matcher) dropTaken() {
	kept := p.arrived[:0]
	for _, a := range p.arrived {
		if a.number >= a.queue.taken {
			kept = append(kept, a)
		}
	}
	p.arrived = kept
}

// firstArrived returns the first message that has arrived and that q selects, or nil.
func (p *matcher) firstArrived(q *spmd.Request) *arrival {
	p.dropTaken()
	for i := range p.arrived {
		if c := &p.arrived[i].queue.channel; q.Group == c.group && (q.Source == c.from || q.Source == spmd.Any) && (q.Tag == c.tag || q.Tag == spmd.Any) {
			return &p.arrived[i]
		}
	}
	return nil
}

// probe returns the message that a probe finds at a time or later, or nil if only the engine knows. A probe that
// waits finds the next message of its channel, whenever it arrives.
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

// hasArrived reports whether a receive has a message that was there at a time.
func (p *matcher) hasArrived(q *spmd.Request, now unit.Picos) bool {
	if !q.Completed() || q.Kind == trace.Isend {
		return false
	}
	l, number := p.byNumber[q.Mark>>markBits], q.Mark&(1<<markBits-1)
	return number < l.arrivals && l.last <= now
}
