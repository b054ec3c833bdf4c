package engine

import (
	"fmt"

	"spoor/predict/internal/engine/appointment"
	"spoor/predict/internal/engine/barrier"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// workers are the workers of a run.
type workers struct {
	outcome.Stats
	engines  []*engine
	barrier  *barrier.Barrier
	statuses [2][]status  // of each worker; the two sides alternate between barriers
	plans    []windowPlan // of each worker
}

// status is what a worker publishes at a barrier.
type status struct {
	next          int64 // first window in which one of its ranks, or a receiver of its packets, acts
	activeWindows int64 // windows of the lookahead in which its ranks have acted
	computed      int64 // bounds that it has computed
	onlyPolls     bool
	failed        *failure
	err           error
	lookahead                // of Whoa
	hasBounds     bool       // whether lookahead has been computed
	firstSent     unit.Picos // when the first packet comes that it sent to another worker
	_             [64]byte   // keeps workers off each other's cache lines
}

// windowPlan is what a worker does until the next barrier. Each worker computes it, with the same result.
type windowPlan struct {
	over      bool
	livelock  bool
	from      int64 // window
	windowEnd int64 // the end of Whoa's window
	backoff   appointment.Backoff
	_         [64]byte
}

// run runs all workers to the end.
func (c *workers) run() error {
	first := c.engines[0]
	if c.Protocol == "" || c.Protocol == outcome.Sequential || sequentialReason(&first.Model) != "" {
		c.Protocol, c.Reason = outcome.Sequential, sequentialReason(&first.Model)
		if err := first.driver.run(first); err != nil {
			return err
		}
		return first.failed.cause()
	}
	n := len(c.engines)
	if c.Protocol == outcome.Whoa {
		c.Ahead = first.opt.Ahead
	}
	c.barrier = barrier.New(n)
	c.plans = make([]windowPlan, n)
	for side := range c.statuses {
		c.statuses[side] = make([]status, n)
		for i := range n {
			c.statuses[side][i].lookahead = newLookahead(n)
		}
	}
	for _, e := range c.engines {
		e.outbox.open(n)
		if c.Protocol == outcome.Whoa {
			e.lookaheads = newLookaheads(int(e.end-e.first), n, c.Ahead)
		}
	}
	c.shareSegments()
	for _, e := range c.engines[1:] {
		go c.runWorker(e)
	}
	c.runWorker(first)
	c.barrier.Close()
	for _, e := range c.engines {
		e.segments = nil
	}
	return c.firstError()
}

// runWorker alternates between a barrier and a simulation up to the next halt.
func (c *workers) runWorker(e *engine) {
	defer c.barrier.Leave()
	d := e.driver.(*windowDriver)
	for barriers := uint64(0); ; barriers++ {
		side := barriers % 2
		c.writeStatus(e, d, &c.statuses[side][e.number])
		c.barrier.Wait(e.number)
		e.outbox.flip()
		if e.segments != nil {
			e.segments.program.Exchange(e.number)
		}
		e.receiveRemote(c.engines, int(side))
		halt := c.nextHalt(e, c.statuses[side])
		if c.plans[e.number].over {
			if e.number == 0 {
				c.Barriers = barriers
			}
			return
		}
		c.statuses[1-side][e.number].err = d.upTo(e, halt)
		e.settledUntil = unit.Picos(halt) * d.Width
	}
}

// writeStatus writes how far a worker is.
func (c *workers) writeStatus(e *engine, d *windowDriver, r *status) {
	r.failed = e.failed
	if r.next = d.first(e); e.outbox.first < never {
		r.next = min(r.next, int64(e.outbox.first/d.Width))
	}
	r.onlyPolls = e.polls && e.outbox.first == never && e.onlyPolls()
	r.activeWindows, r.hasBounds = d.activeWindows, false
	if p := &c.plans[e.number]; c.Protocol == outcome.Whoa && (p.backoff.Skip == 0 || r.next < p.windowEnd) {
		e.updateLookahead(r, r.next >= p.windowEnd)
		r.computed = e.lookaheads.computed
	}
}

// nextHalt returns the window before which a worker halts.
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
	if isLivelock(all) {
		p.over, p.livelock = true, true
	}
	width := e.driver.(*windowDriver).Width
	halt = p.from + 1
	if c.Protocol == outcome.Whoa {
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

// firstError returns the first error of a run, if there is one.
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
	if failed == nil && c.plans[0].livelock {
		c.engines[0].active = program.None
		return c.engines[0].livelock()
	}
	return failed.cause()
}

// checkHorizon returns an error if a rank would act after Horizon.
func (c *workers) checkHorizon() error {
	for _, e := range c.engines {
		if next := e.sharedNext(); next >= cost.Horizon && next < network.Never && e.Shared != nil {
			return fmt.Errorf("messages still use links after %v, more than can be simulated", cost.Horizon)
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

// drainArrivals takes up the messages for which no receive waits.
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

// haltingWindow returns the window before which a worker halts, by the appointments of other workers with it.
func (c *workers) haltingWindow(e *engine, all []status) int64 {
	p, look := &c.plans[e.number], e.lookahead
	if p.from >= p.windowEnd && e.opt.adaptive {
		if p.backoff.Skip > 0 {
			return c.endWithoutLookahead(e)
		}
		active, computed := int64(0), int64(0)
		for i := range all {
			active, computed = max(active, all[i].activeWindows), max(computed, all[i].computed)
		}
		p.backoff.EndWindow(active, computed)
	}
	p.backoff.Barriers++
	next, nextArrival, last, residual, rendezvous, rendezvousAfter := never, never, never, never, never, never
	for i := range all {
		l := &all[i]
		next, nextArrival = min(next, l.earliest), min(nextArrival, l.firstSent)
		last, residual = min(last, l.last), min(residual, l.residual)
		rendezvous, rendezvousAfter = min(rendezvous, l.rendezvous), min(rendezvousAfter, l.rendezvousAfter)
	}
	released := min(nextArrival, addTime(next, look))
	if p.from >= p.windowEnd {
		if p.windowEnd = int64(addTime(min(last, addTime(released, residual)), look) / look); e.number == 0 && p.from < noFurtherWindow {
			c.Windows++
		}
		p.windowEnd = max(p.windowEnd, p.from+1)
	}
	for i := range all {
		if !all[i].hasBounds {
			return p.from + 1
		}
	}
	halt := addTime(min(rendezvous, addTime(released, rendezvousAfter)), look)
	for i := range all {
		if i != e.number {
			halt = min(halt, all[i].sends[e.number], addTime(released, all[i].sendsAfter[e.number]))
		}
	}
	return min(p.windowEnd, int64(halt/look))
}

// endWithoutLookahead ends a window of the lookahead for which no worker looked ahead.
func (c *workers) endWithoutLookahead(e *engine) int64 {
	p := &c.plans[e.number]
	p.backoff.EndSkipped()
	if p.windowEnd = p.from + 1; e.number == 0 && p.from < noFurtherWindow {
		c.Windows++
	}
	return p.windowEnd
}
