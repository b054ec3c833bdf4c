package network

import (
	"slices"
	"sort"

	"spoor/traces/unit"
)

// span is a time from which and a time until which something is taken.
type span struct{ from, to unit.Picos }

// calendar is when one part of a network is taken: disjoint spans in order, none of which ends
// when the next begins, as these become one.
type calendar struct {
	spans []span
	sent  tally
	busy  unit.Picos // sum of all spans, also forgotten ones
}

// before is the end of the last span that begins before t, or 0. From there up to t the
// calendar is free, unless it is after t: then nothing that is free ends at t.
func (c *calendar) before(t unit.Picos) unit.Picos {
	n := len(c.spans)
	if n == 0 {
		return 0
	}
	// Most messages come after all others.
	if last := &c.spans[n-1]; last.from < t {
		return last.to
	}
	if i := c.first(t); i > 0 {
		return c.spans[i-1].to
	}
	return 0
}

// first is the first span that does not begin before t.
func (c *calendar) first(t unit.Picos) int {
	return sort.Search(len(c.spans), func(i int) bool { return c.spans[i].from >= t })
}

// fit is the earliest time not before at from which the calendar is free for so long.
func (c *calendar) fit(at, long unit.Picos) unit.Picos {
	for {
		end := c.before(at + long)
		if end <= at {
			return at
		}
		at = end
	}
}

// reserve takes so long a time as early as possible, not before at. Nothing is taken beyond
// the Horizon.
func (c *calendar) reserve(at, long unit.Picos, message unit.Bytes, settled unit.Picos) (from, to unit.Picos) {
	at = c.fit(at, long)
	if at+long <= Horizon {
		c.take(span{at, at + long}, message, settled)
	}
	return at, at + long
}

// take takes a span that is free, for a message, where nothing will be asked about times
// before settled.
func (c *calendar) take(s span, message unit.Bytes, settled unit.Picos) {
	c.sent.add(message)
	if s.from == s.to {
		return
	}
	c.busy += s.to - s.from
	i := len(c.spans)
	if i > 0 && c.spans[i-1].from > s.from {
		i = c.first(s.from)
	}
	follows := i > 0 && c.spans[i-1].to == s.from
	leads := i < len(c.spans) && c.spans[i].from == s.to
	switch {
	case follows && leads:
		c.spans[i-1].to = c.spans[i].to
		c.spans = slices.Delete(c.spans, i, i+1)
	case follows:
		c.spans[i-1].to = s.to
	case leads:
		c.spans[i].from = s.from
	default:
		if len(c.spans) == cap(c.spans) {
			i -= c.forget(settled)
		}
		c.spans = slices.Insert(c.spans, i, s)
	}
}

// forget drops the spans that end by settled, and says how many. It makes room for as many as
// are left, so that moving them costs every span a constant on average.
func (c *calendar) forget(settled unit.Picos) int {
	n := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].to > settled })
	c.spans = append(c.spans[:0], c.spans[n:]...)
	c.spans = slices.Grow(c.spans, len(c.spans))
	return n
}
