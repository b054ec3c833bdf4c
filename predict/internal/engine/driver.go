package engine

import (
	"fmt"

	"spoor/predict/internal/engine/cost"
	"spoor/traces/unit"
)

// driver decides which rank acts, and until when that rank knows all messages. A rank may not affect others before
// its next, nor act later than the next of any other rank plus the lookahead.
type driver interface {
	add(r *rank)               // each, in order, before the run
	run(e *engine) error       // until no rank acts any more, or the first failure
	sooner(e *engine, r *rank) // r, which is not active, has an earlier next
}

// driverFor returns the driver that suits a model.
func driverFor(m *cost.Model) driver {
	if m.UsesLinks() || m.Lookahead() < leastWidth {
		return &sequentialDriver{}
	}
	return newWindows(m.Lookahead())
}

// sequentialDriver lets the first rank act until another one could.
type sequentialDriver struct{ eventQueue }

func (d *sequentialDriver) run(e *engine) error {
	for n := 0; d.Len() > 0; n++ {
		first := d.first()
		shared, coSimulator := e.sharedNext(), e.coSimulatorNext()
		at := min(first.at, shared, coSimulator)
		if at >= cost.Horizon || e.failed != nil && at > e.failed.at {
			return nil
		}
		if n%1024 == 0 {
			if err := e.checkpoint(); err != nil {
				return err
			}
		}
		switch {
		case coSimulator <= min(first.at, shared):
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
		e.limit = min(e.limitBefore(second.at, second.rank), shared, coSimulator)
		if e.Net != nil {
			e.Net.Settled(first.at)
		}
		if e.Local != nil {
			e.Local.Settled(first.at)
		}
		r.run()
		d.put(r)
	}
	return nil
}

// sharedNext returns the time of the next event of shared links.
func (e *engine) sharedNext() unit.Picos {
	if e.Shared == nil {
		return never
	}
	return e.Shared.Next()
}

func (d *sequentialDriver) sooner(e *engine, r *rank) {
	d.put(r)
	e.limit = min(e.limit, e.limitBefore(r.next, r.id))
}

// limitBefore returns when a message of a rank that acts at a time could come. Links are shared by all ranks: the
// first rank to act sends first, ties by rank.
func (e *engine) limitBefore(at unit.Picos, rank int32) unit.Picos {
	h := at + e.lookahead
	if e.UsesLinks() && e.active > rank {
		h = at
	}
	return min(h, cost.Horizon)
}

func errBeyondHorizon(rank int32) error {
	return fmt.Errorf("rank %d: simulated time passes %v, more than can be simulated", rank, cost.Horizon)
}
