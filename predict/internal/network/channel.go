package network

import (
	"slices"

	"spoor/predict/internal/calendar"
	"spoor/traces/unit"
)

// channel is a part of a network for which messages compete.
type channel struct {
	calendar.Calendar
	sent  tally
	holds []hold // that may be waited for, if blocking is tracked
}

// hold is until when a message has a channel.
type hold struct {
	to      unit.Picos
	message uint64 // the message that has it, or the one that this message was blocked by
}

// reserve reserves a duration as early as possible, not before at. Nothing is reserved beyond the Horizon.
func (c *channel) reserve(at, long unit.Picos, message unit.Bytes, h *history) (from, to unit.Picos) {
	if from = c.Fit(at, long); from > at {
		h.noteWait(c, from)
	}
	if from+long <= Horizon {
		c.assign(calendar.Span{From: from, To: from + long}, message, h)
	}
	return from, from + long
}

// assign reserves a free span for a message, the last of the history.
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

// holder returns the message because of which a channel is in use until a time.
func (c *channel) holder(t unit.Picos) uint64 {
	for i := len(c.holds) - 1; i >= 0; i-- {
		if c.holds[i].to == t {
			return c.holds[i].message
		}
	}
	return 0
}

// part returns the use of a channel.
func (c *channel) part(name string) Part {
	return Part{Name: name, Messages: c.sent.messages, Bytes: c.sent.bytes, Busy: c.Busy}
}
