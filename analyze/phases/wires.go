package phases

import (
	"math"
	"slices"
	"sort"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Network says what messages between nodes wait for.
type Network string

// The networks: one on which all messages are at once, and two that they hold for all of their time but a latency, as machine files call them.
const (
	Ideal  Network = "ideal"
	Bus    Network = "bus"    // of which there is one for all
	Switch Network = "switch" // to which each node has a port for each direction; a message holds its sender's and its receiver's
)

// Networks lists them.
var Networks = []Network{Ideal, Bus, Switch}

// wires is what messages hold. Who asks first comes first, unless another one fits before.
type wires struct {
	kind  Network
	parts []calendar // the bus, or the ports
}

func newWires(kind Network, nodes int) wires { return wires{kind, make([]calendar, 2*nodes)} }

// message is how long one takes, and for how long of that it holds the network.
type message struct{ time, held unit.Instructions }

// messages are those with a block, and those without.
func (a *Analysis) messages(delay unit.Instructions) (block, right message) {
	latency := min(delay, a.Latency)
	held := delay - latency
	short := unit.Instructions(math.Round(a.Right * float64(held)))
	return message{delay, held}, message{latency + short, short}
}

// send is when a message has come that is to leave now.
func (w *wires) send(now unit.Instructions, from, to trace.Proc, m message) unit.Instructions {
	if w.kind == Ideal {
		return now + m.time
	}
	if w.kind == Bus {
		now = w.parts[0].fit(now, m.held)
		w.parts[0].hold(now, m.held)
		return now + m.time
	}
	out, in := &w.parts[2*from], &w.parts[2*to+1]
	for {
		at := in.fit(out.fit(now, m.held), m.held)
		if at == now {
			break
		}
		now = at
	}
	out.hold(now, m.held)
	in.hold(now, m.held)
	return now + m.time
}

// settle says that nothing begins before now any more.
func (w *wires) settle(now unit.Instructions) {
	for i := range w.parts {
		w.parts[i].settle(now)
	}
}

// calendar is when something is held by one after the other: spans in order, none of which ends where the next begins. One processor may be a phase
// ahead of the others, and all that it holds is here meanwhile.
type calendar []span

type span struct{ from, to unit.Instructions }

// fit is the first time from now on when it is free for so long. What takes no time waits for what is under way, too.
func (c calendar) fit(now, long unit.Instructions) unit.Instructions {
	for _, s := range c[c.until(now):] {
		if s.from >= now+max(1, long) {
			break
		}
		now = s.to
	}
	return now
}

// until is how many spans end at a time, or before. Most that is asked for comes after nearly all others.
func (c calendar) until(at unit.Instructions) int {
	for back := range min(4, len(c)) {
		if i := len(c) - back; c[i-1].to <= at {
			return i
		}
	}
	return sort.Search(len(c), func(i int) bool { return c[i].to > at })
}

// hold makes it held from a time that [calendar.fit] found.
func (c *calendar) hold(from, long unit.Instructions) {
	if long == 0 {
		return
	}
	i, to := c.until(from), from+long
	after := i > 0 && (*c)[i-1].to == from
	before := i < len(*c) && (*c)[i].from == to
	switch {
	case after && before:
		(*c)[i-1].to = (*c)[i].to
		*c = slices.Delete(*c, i, i+1)
	case after:
		(*c)[i-1].to = to
	case before:
		(*c)[i].from = from
	default:
		*c = slices.Insert(*c, i, span{from, to})
	}
}

// settle forgets what is before now.
func (c *calendar) settle(now unit.Instructions) {
	past := 0
	for past < len(*c) && (*c)[past].to <= now {
		past++
	}
	if *c = (*c)[past:]; len(*c) > 0 {
		(*c)[0].from = max((*c)[0].from, now)
	}
}
