package network

import (
	"spoor/predict/calendar"
	"spoor/traces/unit"
)

// channel is a part of a network that messages compete for.
type channel struct {
	calendar.Calendar
	sent tally
}

// reserve takes so long a time as early as possible, not before at. Nothing is taken beyond
// the Horizon.
func (c *channel) reserve(at, long unit.Picos, message unit.Bytes, settled unit.Picos) (from, to unit.Picos) {
	at = c.Fit(at, long)
	if at+long <= Horizon {
		c.carry(calendar.Span{From: at, To: at + long}, message, settled)
	}
	return at, at + long
}

// carry takes a span that is free for a message.
func (c *channel) carry(s calendar.Span, message unit.Bytes, settled unit.Picos) {
	c.sent.add(message)
	c.Take(s, settled)
}

// part is what a channel was used for.
func (c *channel) part(name string) Part {
	return Part{Name: name, Messages: c.sent.messages, Bytes: c.sent.bytes, Busy: c.Busy}
}
