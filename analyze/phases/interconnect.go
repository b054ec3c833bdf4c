package phases

import (
	"math"
	"slices"
	"sort"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Network is the kind of contention of messages between nodes.
type Network string

// The networks, as in machine files. On the ideal one, messages never wait. The others are held by a message
// for its whole time except a latency.
const (
	Ideal  Network = "ideal"
	Bus    Network = "bus"    // a single bus for all nodes
	Switch Network = "switch" // a port for each node and direction; a message holds the ports of its sender and its receiver
)

// networks lists all networks.
var networks = []Network{Ideal, Bus, Switch}

// interconnect holds the reservations of messages. Earlier requests come first, unless a later one fits
// before them.
type interconnect struct {
	kind      Network
	resources []reservations // the bus, or the ports
}

func newInterconnect(kind Network, nodes int) interconnect {
	return interconnect{kind, make([]reservations, 2*nodes)}
}

// message has the duration of a message, and the part of it for which the message holds the network.
type message struct{ time, held unit.Instructions }

// messages returns the messages with a block, and those without.
func (a *Analysis) messages(delay unit.Instructions) (block, right message) {
	latency := min(delay, a.Latency)
	held := delay - latency
	short := unit.Instructions(math.Round(a.Right * float64(held)))
	return message{delay, held}, message{latency + short, short}
}

// send returns the arrival time of a message that is ready to leave now.
func (w *interconnect) send(now unit.Instructions, from, to trace.Proc, m message) unit.Instructions {
	if w.kind == Ideal {
		return now + m.time
	}
	if w.kind == Bus {
		now = w.resources[0].earliest(now, m.held)
		w.resources[0].reserve(now, m.held)
		return now + m.time
	}
	out, in := &w.resources[2*from], &w.resources[2*to+1]
	for {
		at := in.earliest(out.earliest(now, m.held), m.held)
		if at == now {
			break
		}
		now = at
	}
	out.reserve(now, m.held)
	in.reserve(now, m.held)
	return now + m.time
}

// discardBefore says that nothing begins before now any more.
func (w *interconnect) discardBefore(now unit.Instructions) {
	for i := range w.resources {
		w.resources[i].discardBefore(now)
	}
}

// reservations lists when a resource is held: intervals in order, none of which ends where the next begins.
// One processor may be a phase ahead of the others. Until they follow, all its reservations are kept.
type reservations []interval

type interval struct{ from, to unit.Instructions }

// earliest returns the first time, from now on, from which the resource is free for the given duration. A
// request without a duration also waits for a current reservation.
func (c reservations) earliest(now, long unit.Instructions) unit.Instructions {
	for _, s := range c[c.endedBy(now):] {
		if s.from >= now+max(1, long) {
			break
		}
		now = s.to
	}
	return now
}

// endedBy returns the number of intervals that end at or before a time. Most requests come after nearly all
// others.
func (c reservations) endedBy(at unit.Instructions) int {
	for back := range min(4, len(c)) {
		if i := len(c) - back; c[i-1].to <= at {
			return i
		}
	}
	return sort.Search(len(c), func(i int) bool { return c[i].to > at })
}

// reserve holds the resource from a time that [reservations.earliest] returned.
func (c *reservations) reserve(from, long unit.Instructions) {
	if long == 0 {
		return
	}
	i, to := c.endedBy(from), from+long
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
		*c = slices.Insert(*c, i, interval{from, to})
	}
}

// discardBefore drops the intervals before now.
func (c *reservations) discardBefore(now unit.Instructions) {
	past := 0
	for past < len(*c) && (*c)[past].to <= now {
		past++
	}
	if *c = (*c)[past:]; len(*c) > 0 {
		(*c)[0].from = max((*c)[0].from, now)
	}
}
