package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// driver decides which rank acts, and until when it knows all messages. A rank is not to act on
// others before its next, nor after the next of any other and the lookahead.
type driver interface {
	add(r *rank)               // each, in order, before the run
	run(e *engine) error       // until no rank acts any more, or before the first failure
	sooner(e *engine, r *rank) // r, which is not acting, has an earlier next
}

// driverFor is the driver that suits a model.
func driverFor(m *Model) driver {
	if m.linked() || m.Lookahead() < leastWidth {
		return &inOrder{}
	}
	return newWindows(m.Lookahead())
}

// inOrder lets the rank that is first act until another one could.
type inOrder struct{ queue }

func (d *inOrder) run(e *engine) error {
	for n := 0; len(d.turns) > 0; n++ {
		first := d.turns[0]
		shared, beside := e.sharedNext(), e.besideNext()
		at := min(first.at, shared, beside)
		if at >= Horizon || e.failed != nil && at > e.failed.at {
			return nil
		}
		if n%1024 == 0 {
			if err := e.pulse(); err != nil {
				return err
			}
		}
		switch {
		case beside <= min(first.at, shared):
			if err := e.opt.Beside.Act(min(first.at, shared)); err != nil {
				return err
			}
			continue
		case shared <= first.at:
			e.land()
			continue
		}
		r := &e.ranks[first.rank]
		e.acting = first.rank
		second := d.second()
		e.limit = min(e.until(second.at, second.rank), shared, beside)
		if e.Net != nil {
			e.Net.Settled(first.at)
		}
		r.run()
		d.put(r)
	}
	return nil
}

// sharedNext is when something happens next on links that messages share.
func (e *engine) sharedNext() unit.Picos {
	if e.Shared == nil {
		return never
	}
	return e.Shared.Next()
}

func (d *inOrder) sooner(e *engine, r *rank) {
	d.queue.sooner(r)
	e.limit = min(e.limit, e.until(r.next, r.id))
}

// until is when a message of a rank that acts at a time could come. Links are for all:
// whoever acts first sends first, at a time the lower number.
func (e *engine) until(at unit.Picos, rank int32) unit.Picos {
	h := at + e.lookahead
	if e.linked() && e.acting > rank {
		h = at
	}
	return min(h, Horizon)
}

func beyond(rank int32) error {
	return fmt.Errorf("rank %d: simulated time passes %v, more than can be simulated", rank, Horizon)
}
