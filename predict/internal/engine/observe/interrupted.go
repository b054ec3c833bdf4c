package observe

import "spoor/traces/unit"

// Interrupted is an Observer of computations that are interrupted. It gets the whole Span of a computation first. A
// later Span of the rank that begins before its end interrupts it: the rest is as much later as that Span is long.
// Another Observer gets Spans that do not overlap, in order of time, each before the next Began of its rank. It gets
// the last ones at Flush.
type Interrupted struct {
	Observer
	computes []interval // of each rank, or nothing
}

// interval is a time from and to.
type interval struct{ from, to unit.Picos }

// NewInterrupted returns an observer of ranks for which o observes.
func NewInterrupted(o Observer, ranks int) *Interrupted {
	return &Interrupted{o, make([]interval, ranks)}
}

// Span implements Observer.
func (o *Interrupted) Span(rank int32, what Part, from, to unit.Picos) {
	c := &o.computes[rank]
	if from < c.to {
		at, long := max(from, c.from), to-from
		if c.from < at {
			o.Observer.Span(rank, Computing, c.from, at)
		}
		o.Observer.Span(rank, what, at, at+long)
		c.from, c.to = at+long, c.to+long
		return
	}
	if o.flush(rank); what == Computing {
		*c = interval{from, to}
		return
	}
	o.Observer.Span(rank, what, from, to)
}

// Began implements Observer.
func (o *Interrupted) Began(rank int32, row int64, at unit.Picos) {
	if at >= o.computes[rank].to {
		o.flush(rank)
	}
	o.Observer.Began(rank, row, at)
}

// Flush gives the last Span of each rank.
func (o *Interrupted) Flush() {
	for rank := range o.computes {
		o.flush(int32(rank))
	}
}

func (o *Interrupted) flush(rank int32) {
	if c := &o.computes[rank]; c.from < c.to {
		o.Observer.Span(rank, Computing, c.from, c.to)
		*c = interval{}
	}
}
