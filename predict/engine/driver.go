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
	if m.usesLinks() || m.Lookahead() < leastWidth {
		return &sequentialDriver{}
	}
	return newWindows(m.Lookahead())
}

// inOrder lets the rank that is first act until another one could.
type sequentialDriver struct{ eventQueue }

func (d *sequentialDriver) run(e *engine) error {
	for n := 0; len(d.events) > 0; n++ {
		first := d.events[0]
		shared, beside := e.sharedNext(), e.coSimulatorNext()
		at := min(first.at, shared, beside)
		if at >= Horizon || e.failed != nil && at > e.failed.at {
			return nil
		}
		if n%1024 == 0 {
			if err := e.checkpoint(); err != nil {
				return err
			}
		}
		switch {
		case beside <= min(first.at, shared):
			if err := e.opt.CoSimulator.Act(min(first.at, shared)); err != nil {
				return err
			}
			continue
		case shared <= first.at:
			e.stepLinks()
			continue
		}
		r := &e.ranks[first.rank]
		e.active = first.rank
		second := d.second()
		e.limit = min(e.limitBefore(second.at, second.rank), shared, beside)
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

func (d *sequentialDriver) sooner(e *engine, r *rank) {
	d.eventQueue.sooner(r)
	e.limit = min(e.limit, e.limitBefore(r.next, r.id))
}

// until is when a message of a rank that acts at a time could come. Links are for all:
// whoever acts first sends first, at a time the lower number.
func (e *engine) limitBefore(at unit.Picos, rank int32) unit.Picos {
	h := at + e.lookahead
	if e.usesLinks() && e.active > rank {
		h = at
	}
	return min(h, Horizon)
}

func errBeyondHorizon(rank int32) error {
	return fmt.Errorf("rank %d: simulated time passes %v, more than can be simulated", rank, Horizon)
}
