// Package calendar records the times for which a resource is reserved that serves one request at a time: a link, a
// port, a memory, a disk. Requests need not come in order of time. Each gets the earliest free time that is long
// enough, possibly between earlier reservations. For requests in order of time, this is first come, first served.
package calendar

import (
	"slices"
	"sort"

	"spoor/traces/unit"
)

// Span is an interval of time.
type Span struct{ From, To unit.Picos }

// Calendar is the reservations of one resource: disjoint spans in order. Adjacent spans are merged. The zero Calendar
// is free at all times.
type Calendar struct {
	Busy unit.Picos // sum of all spans, including forgotten ones
	End  unit.Picos // of the last span

	spans []Span
}

// EndBefore returns the end of the last span that begins before t, or 0. If the result is at most t, the resource is
// free from there up to t. If it is after t, the resource is in use at t.
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

// first returns the index of the first span that does not begin before t.
func (c *Calendar) first(t unit.Picos) int {
	return sort.Search(len(c.spans), func(i int) bool { return c.spans[i].From >= t })
}

// Fit returns the earliest time, not before at, from which the resource is free for a duration.
func (c *Calendar) Fit(at, long unit.Picos) unit.Picos {
	for {
		end := c.EndBefore(at + long)
		if end <= at {
			return at
		}
		at = end
	}
}

// Reserve reserves a span, which must be free. No later call may be about times before settled, so these are
// forgotten. An empty span reserves nothing.
func (c *Calendar) Reserve(s Span, settled unit.Picos) {
	if s.From == s.To {
		return
	}
	c.Busy += s.To - s.From
	c.End = max(c.End, s.To)
	i := len(c.spans)
	switch { // most come after all others
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

// forget removes the spans that end by settled, and returns how many. It then makes room for twice as many as are
// left, so that the average cost of moving a span is constant.
func (c *Calendar) forget(settled unit.Picos) int {
	n := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].To > settled })
	c.spans = append(c.spans[:0], c.spans[n:]...)
	c.spans = slices.Grow(c.spans, len(c.spans)+1)
	return n
}
