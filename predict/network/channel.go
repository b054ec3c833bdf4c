package network

import (
	"slices"

	"spoor/predict/calendar"
	"spoor/traces/unit"
)

// channel is a part of a network that messages compete for.
type channel struct {
	calendar.Calendar
	sent  tally
	holds []hold // that may be waited for, if the network is watched
}

// hold is until when a message has a channel.
type hold struct {
	to      unit.Picos
	message uint64 // that it has been held up by, or that which has it
}

// reserve takes so long a time as early as possible, not before at. Nothing is taken beyond
// the Horizon.
func (c *channel) reserve(at, long unit.Picos, message unit.Bytes, h *history) (from, to unit.Picos) {
	if from = c.Fit(at, long); from > at {
		h.noteWait(c, from)
	}
	if from+long <= Horizon {
		c.assign(calendar.Span{From: from, To: from + long}, message, h)
	}
	return from, from + long
}

// carry takes a span that is free for a message, the last of the history.
func (c *channel) assign(s calendar.Span, message unit.Bytes, h *history) {
	c.sent.add(message)
	c.Reserve(s, h.settled)
	if h.tracked && s.From < s.To {
		if len(c.holds) == cap(c.holds) {
			c.holds = slices.DeleteFunc(c.holds, func(o hold) bool { return o.to <= h.settled })
		}
		c.holds = append(c.holds, hold{s.To, h.rootBlocker()})
	}
}

// until is the message because of which a channel is taken until a time.
func (c *channel) holder(t unit.Picos) uint64 {
	for i := len(c.holds) - 1; i >= 0; i-- {
		if c.holds[i].to == t {
			return c.holds[i].message
		}
	}
	return 0
}

// part is what a channel was used for.
func (c *channel) part(name string) Part {
	return Part{Name: name, Messages: c.sent.messages, Bytes: c.sent.bytes, Busy: c.Busy}
}
