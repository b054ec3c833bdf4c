// Package calendar keeps the times for which something is taken that does one thing at a time: a link, a
// port, a memory, a disk. What it is asked for need not come in order of time: each takes the earliest time that
// is left, between others if it fits there. If it does come in order of time, that is first come, first served.
package calendar

import (
	"slices"
	"sort"

	"spoor/traces/unit"
)

// Span is a time from which and a time until which something is taken.
type Span struct{ From, To unit.Picos }

// Calendar is when one thing is taken: disjoint spans in order, none of which ends when the next begins, as these
// become one. The zero Calendar is free at all times.
type Calendar struct {
	Busy unit.Picos // sum of all spans, also forgotten ones
	End  unit.Picos // of the last span

	spans []Span
}

// Before is the end of the last span that begins before t, or 0. From there up to t the
// calendar is free, unless it is after t: then nothing that is free ends at t.
func (c *Calendar) EndBefore(t unit.Picos) unit.Picos {
	n := len(c.spans)
	if n == 0 {
		return 0
	}
	// Most requests come after all others.
	if last := &c.spans[n-1]; last.From < t {
		return last.To
	}
	if i := c.first(t); i > 0 {
		return c.spans[i-1].To
	}
	return 0
}

// first is the first span that does not begin before t.
func (c *Calendar) first(t unit.Picos) int {
	return sort.Search(len(c.spans), func(i int) bool { return c.spans[i].From >= t })
}

// Fit is the earliest time not before at from which the calendar is free for so long.
func (c *Calendar) Fit(at, long unit.Picos) unit.Picos {
	for {
		end := c.EndBefore(at + long)
		if end <= at {
			return at
		}
		at = end
	}
}

// Take takes a span that is free, where nothing will be asked about times before settled: they may be
// forgotten. Of an empty span nothing is taken.
func (c *Calendar) Reserve(s Span, settled unit.Picos) {
	if s.From == s.To {
		return
	}
	c.Busy += s.To - s.From
	c.End = max(c.End, s.To)
	i := len(c.spans)
	switch { // Most come after all others.
	case i == 0:
	case c.spans[i-1].From > s.From:
		i = c.first(s.From)
	case c.spans[i-1].To == s.From:
		c.spans[i-1].To = s.To
		return
	case i < cap(c.spans):
		c.spans = append(c.spans, s)
		return
	}
	follows := i > 0 && c.spans[i-1].To == s.From
	leads := i < len(c.spans) && c.spans[i].From == s.To
	switch {
	case follows && leads:
		c.spans[i-1].To = c.spans[i].To
		c.spans = slices.Delete(c.spans, i, i+1)
	case follows:
		c.spans[i-1].To = s.To
	case leads:
		c.spans[i].From = s.From
	default:
		if len(c.spans) == cap(c.spans) {
			i -= c.forget(settled)
		}
		c.spans = slices.Insert(c.spans, i, s)
	}
}

// forget drops the spans that end by settled, and says how many. It makes room for as many as
// are left, so that moving them costs every span a constant on average.
func (c *Calendar) forget(settled unit.Picos) int {
	n := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].To > settled })
	c.spans = append(c.spans[:0], c.spans[n:]...)
	c.spans = slices.Grow(c.spans, len(c.spans)+1)
	return n
}
