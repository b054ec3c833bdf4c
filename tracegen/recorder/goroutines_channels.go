package recorder

import "slices"

// token is a signal of a goroutine. Each goroutine has one flag, which it signals whenever it does what others may wait for. So a
// wait is for one event of one goroutine. Signals is 0 if there is nothing to wait for.
type token struct {
	by      uint32
	signals uint64
}

func (k token) flag() objectID { return objectID{uint64(k.by), asGoroutine} }

// announce appends a signal of a goroutine.
func (c *calls) announce(g *goroutine) token {
	if g == nil {
		return token{}
	}
	k := token{by: g.number}
	c.signal(g.t, k.flag())
	k.signals = c.flag(k.flag()).signals
	return k
}

// awaits appends a wait of a goroutine, or if it does not run, has it wait before it goes on.
func (c *calls) awaits(g, running *goroutine, k token) {
	switch {
	case g == nil || k.signals == 0:
	case g == running:
		c.waitFor(g.t, k.flag(), k.signals)
	default:
		g.pending = append(g.pending, k)
	}
}

// channel is a channel. Its buffer has places. The n-th send needs the place of the receive before it by the capacity.
type channel struct {
	capacity uint64
	sends    uint64
	elements []token // sends that are not received
	places   []token // receives whose places are free
	closed   token
}

// channel appends the events of a mark of a channel.
func (gs *goroutines) channel(c *calls, running *goroutine, m mark) {
	ch := gs.channels[m.Object]
	if m.Kind == goMakeMark {
		gs.channels[m.Object] = &channel{capacity: m.Number}
		return
	}
	if ch == nil { // the runtime made it
		ch = &channel{}
		gs.channels[m.Object] = ch
	}
	g := gs.all[uint32(m.Number)]
	switch m.Kind {
	case goSendMark:
		if ch.sends++; ch.sends > ch.capacity {
			c.awaits(g, running, take(&ch.places))
		}
		sent, timer := gs.timers[m.Number]
		if !timer {
			sent = c.announce(g)
		}
		ch.elements = append(ch.elements, sent)
	case goReceiveMark:
		c.awaits(g, running, take(&ch.elements))
		ch.places = append(ch.places, c.announce(g))
	case goMeetMark:
		sender := gs.all[uint32(m.Number>>32)]
		sent, received := c.announce(sender), c.announce(g)
		c.awaits(sender, running, received)
		c.awaits(g, running, sent)
	case goCloseMark:
		ch.closed = c.announce(g)
	case goClosedMark:
		c.awaits(g, running, ch.closed)
	}
}

// take takes the first of a queue.
func take(queue *[]token) (k token) {
	if len(*queue) > 0 {
		k = (*queue)[0]
		*queue = slices.Delete(*queue, 0, 1)
	}
	return k
}
