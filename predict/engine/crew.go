package engine

import (
	"fmt"

	"spoor/predict/network"
	"spoor/traces/unit"
)

// crew is the workers of a run.
type workers struct {
	Stats
	engines  []*engine
	barrier  *barrier
	statuses [2][]status  // of each worker, by turns
	plans    []windowPlan // of each worker
}

// report is what a worker says of itself when workers meet.
type status struct {
	next          int64 // the first window in which one of its ranks, or one to whom they sent, acts
	activeWindows int64 // windows of the lookahead in which its ranks have acted
	computed      int64 // outlooks that it has found
	failed        *failure
	err           error
	lookahead                // Whoa's
	hasBounds     bool       // whether it has been found
	firstSent     unit.Picos // when the first message comes that it sent to another worker
	_             [64]byte   // what others write is in other lines
}

// plan is what workers do until they meet again. Each makes it for itself, and it is the same.
type windowPlan struct {
	over      bool
	from      int64 // window
	windowEnd int64 // the end of Whoa's window
	backoff   lookaheadBackoff
	_         [64]byte
}

// run has all workers do what there is to do.
func (c *workers) run() error {
	first := c.engines[0]
	if c.Protocol == "" || c.Protocol == Sequential || sequentialReason(&first.Model) != "" {
		c.Protocol, c.Reason = Sequential, sequentialReason(&first.Model)
		if err := first.driver.run(first); err != nil {
			return err
		}
		return first.failed.cause()
	}
	n := len(c.engines)
	if c.Protocol == Whoa {
		c.Ahead = first.opt.Ahead
	}
	c.barrier = newBarrier(n)
	c.plans = make([]windowPlan, n)
	for side := range c.statuses {
		c.statuses[side] = make([]status, n)
		for i := range n {
			c.statuses[side][i].lookahead = newLookahead(n)
		}
	}
	for _, e := range c.engines {
		e.outbox.open(n)
		if c.Protocol == Whoa {
			e.lookaheads = newLookaheads(int(e.end-e.first), n, c.Ahead)
		}
	}
	for _, e := range c.engines[1:] {
		go c.runWorker(e)
	}
	c.runWorker(first)
	c.barrier.close()
	return c.firstError()
}

// work is what a worker does: until the next meeting, and again.
func (c *workers) runWorker(e *engine) {
	defer c.barrier.leave()
	d := e.driver.(*windowDriver)
	for meetings := uint64(0); ; meetings++ {
		side := meetings % 2
		c.writeStatus(e, d, &c.statuses[side][e.number])
		c.barrier.wait(e.number)
		e.outbox.flip()
		e.receiveRemote(c.engines, int(side))
		halt := c.nextHalt(e, c.statuses[side])
		if c.plans[e.number].over {
			if e.number == 0 {
				c.Barriers = meetings
			}
			return
		}
		c.statuses[1-side][e.number].err = d.upTo(e, halt)
		e.settledUntil = unit.Picos(halt) * d.width
	}
}

// report says how far a worker is.
func (c *workers) writeStatus(e *engine, d *windowDriver, r *status) {
	r.failed = e.failed
	if r.next = d.first(e); e.outbox.first < never {
		r.next = min(r.next, int64(e.outbox.first/d.width))
	}
	r.activeWindows, r.hasBounds = d.activeWindows, false
	if p := &c.plans[e.number]; c.Protocol == Whoa && (p.backoff.skip == 0 || r.next < p.windowEnd) {
		e.updateLookahead(r, r.next >= p.windowEnd)
		r.computed = e.lookaheads.computed
	}
}

// decide is up to before which window a worker goes on.
func (c *workers) nextHalt(e *engine, all []status) (halt int64) {
	p := &c.plans[e.number]
	p.from, p.over = noFurtherWindow, false
	var failed *failure
	for i := range all {
		p.from = min(p.from, all[i].next)
		p.over = p.over || all[i].err != nil
		if all[i].failed.before(failed) {
			failed = all[i].failed
		}
	}
	width := e.driver.(*windowDriver).width
	halt = p.from + 1
	if c.Protocol == Whoa {
		halt = max(halt, c.haltingWindow(e, all))
	} else if e.number == 0 && p.from < noFurtherWindow {
		c.Windows++
	}
	last := noFurtherWindow
	if failed != nil {
		last = int64(failed.at/width) + 1
	}
	p.over = p.over || p.from >= last
	return min(halt, last)
}

// outcome is the error of a run, if there is one.
func (c *workers) firstError() error {
	var failed *failure
	for i, e := range c.engines {
		for side := range c.statuses {
			if err := c.statuses[side][i].err; err != nil {
				return err
			}
		}
		if e.failed.before(failed) {
			failed = e.failed
		}
		c.Remote += e.outbox.sent
		c.Appointments += e.appointments
	}
	return failed.cause()
}

// end is an error if a rank goes beyond the end of time.
func (c *workers) checkHorizon() error {
	for _, e := range c.engines {
		if next := e.sharedNext(); next >= Horizon && next < network.Never && e.Shared != nil {
			return fmt.Errorf("messages are on their links after %v, more than can be simulated", Horizon)
		}
		if err := e.checkpoint(); err != nil {
			return err
		}
		for i := e.first; i < e.end; i++ {
			if e.ranks[i].hasWork() {
				return errBeyondHorizon(i)
			}
		}
	}
	return nil
}

// clear takes up the messages that nobody waited for.
func (c *workers) drainArrivals() error {
	for _, e := range c.engines {
		for i := e.first; i < e.end; i++ {
			r := &e.ranks[i]
			for len(r.arrivals) > 0 && e.failed == nil {
				e.active, e.limit = r.id, never+1
				r.arrive(r.arrivalTime())
			}
		}
		if e.failed != nil {
			return e.failed.err
		}
	}
	return nil
}
