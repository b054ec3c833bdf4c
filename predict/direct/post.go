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
type post struct {
	lanes   map[channel]*lane
	all     []*lane                 // by number
	waiting map[int64]*spmd.Request // for the engine, by mark
	in      map[int32]int           // how many of them there are, by group
	marks   int64
	here    []arrival // messages that have come, in their order; some are taken
}

// channel is what messages that cannot overtake each other have in common.
type channel struct{ from, tag, group int32 }

// lane is a channel. Its messages are numbered from 0.
type lane struct {
	channel
	number   int
	messages []*spmd.Message // sent, and not taken
	receives []*spmd.Request // that wait for those to be sent
	taken    uint64          // messages so far
	came     uint64          // messages that the engine let come so far
	last     unit.Picos      // when the last of them was there
}

// arrival is a message that has come.
type arrival struct {
	lane   *lane
	number uint64
	at     unit.Picos
}

func (p *post) lane(c channel) *lane {
	l := p.lanes[c]
	if l == nil {
		l = &lane{channel: c, number: len(p.all)}
		p.lanes[c], p.all = l, append(p.all, l)
	}
	return l
}

// first is the next message, or nil.
func (l *lane) first() *spmd.Message {
	if l == nil || len(l.messages) == 0 {
		return nil
	}
	return l.messages[0]
}

// take gives the next message to a receive.
func (l *lane) take(q *spmd.Request) *spmd.Request {
	m := l.messages[0]
	l.messages[0] = nil
	l.messages = l.messages[1:]
	return l.give(q, m)
}

// marked is the bits of a request's mark that are the number of its message; the others are the
// number of the lane.
const marked = 40

// give gives a message, the next one, to a receive, which remembers its number.
func (l *lane) give(q *spmd.Request, m *spmd.Message) *spmd.Request {
	q.Complete(m)
	q.Mark = uint64(l.number)<<marked | l.taken
	l.taken++
	return q
}

// sent takes a message that is sent to the rank; it is of the sender. It returns the receive that
// got it, or nil.
func (p *post) sent(m *spmd.Message) *spmd.Request {
	l := p.lane(channel{m.From, m.Tag, m.Group})
	if len(l.receives) == 0 {
		l.messages = append(l.messages, m.Keep())
		return nil
	}
	q := l.receives[0]
	l.receives = l.receives[1:]
	return l.give(q, m)
}

// receive posts a receive, and is its mark for the engine if that decides.
func (p *post) receive(q *spmd.Request) int64 {
	switch {
	case p.in[q.Group] > 0:
	case q.Source != spmd.Any && q.Tag != spmd.Any:
		l := p.lane(channel{q.Source, q.Tag, q.Group})
		if len(l.messages) > 0 {
			l.take(q)
		} else {
			l.receives = append(l.receives, q)
		}
		return 0
	default:
		if a := p.find(q); a != nil {
			a.lane.take(q)
			return 0
		}
	}
	if p.waiting == nil {
		p.waiting, p.in = map[int64]*spmd.Request{}, map[int32]int{}
	}
	p.marks++
	p.waiting[p.marks] = q
	p.in[q.Group]++
	return p.marks
}

// matched is that the engine has met a receive with the next message of a channel.
func (p *post) matched(mark int64, from, tag int32) *spmd.Request {
	q := p.waiting[mark]
	delete(p.waiting, mark)
	p.in[q.Group]--
	return p.lane(channel{from, tag, q.Group}).take(q)
}

// came is that a message has come; all of it is there at a time.
func (p *post) came(c channel, at unit.Picos) {
	l := p.lane(c)
	if l.came >= l.taken {
		if len(p.here) == cap(p.here) {
			p.tidy()
		}
		p.here = append(p.here, arrival{l, l.came, at})
	}
	l.came++
	l.last = max(l.last, at)
}

// tidy forgets the messages that were taken.
func (p *post) tidy() {
	kept := p.here[:0]
	for _, a := range p.here {
		if a.number >= a.lane.taken {
			kept = append(kept, a)
		}
	}
	p.here = kept
}

// find is the first message that has come and that q selects, or nil.
func (p *post) find(q *spmd.Request) *arrival {
	p.tidy()
	for i := range p.here {
		if c := &p.here[i].lane.channel; q.Group == c.group && (q.Source == c.from || q.Source == spmd.Any) && (q.Tag == c.tag || q.Tag == spmd.Any) {
			return &p.here[i]
		}
	}
	return nil
}

// lookFor is the message that a probe at a time, or later, finds; nil if only the engine knows. One
// that waits for it finds the next of its channel, whenever that comes.
func (p *post) lookFor(q *spmd.Request, waits bool, now unit.Picos) *spmd.Message {
	if p.in[q.Group] > 0 {
		return nil
	}
	if waits && q.Source != spmd.Any && q.Tag != spmd.Any {
		return p.lanes[channel{q.Source, q.Tag, q.Group}].first()
	}
	if a := p.find(q); a != nil && (waits || a.at <= now) {
		return a.lane.first()
	}
	return nil
}

// isThere is whether a receive has a message that was there at a time.
func (p *post) isThere(q *spmd.Request, now unit.Picos) bool {
	if !q.Completed() || q.Kind == trace.Isend {
		return false
	}
	l, number := p.all[q.Mark>>marked], q.Mark&(1<<marked-1)
	return number < l.came && l.last <= now
}
