package engine

import (
	"fmt"

	"spoor/predict/network"
	"spoor/traces/unit"
)

// crew is the workers of a run.
type crew struct {
	Stats
	engines []*engine
	meeting *meeting
	reports [2][]report // of each worker, by turns
	plan    []plan      // of each worker
}

// report is what a worker says of itself when workers meet.
type report struct {
	next    int64 // the first window in which one of its ranks, or one to whom they sent, acts
	turns   int64 // windows of the lookahead in which its ranks have acted
	found   int64 // outlooks that it has found
	failed  *failure
	err     error
	outlook            // Whoa's
	looked  bool       // whether it has been found
	mail    unit.Picos // when the first message comes that it sent to another worker
	_       [64]byte   // what others write is in other lines
}

// plan is what workers do until they meet again. Each makes it for itself, and it is the same.
type plan struct {
	over   bool
	from   int64 // window
	window int64 // the end of Whoa's window
	pays   pays
	_      [64]byte
}

// run has all workers do what there is to do.
func (c *crew) run() error {
	first := c.engines[0]
	if c.Protocol == "" || c.Protocol == Sequential || parallel(&first.Model) != "" {
		c.Protocol, c.Reason = Sequential, parallel(&first.Model)
		if err := first.driver.run(first); err != nil {
			return err
		}
		return first.failed.cause()
	}
	n := len(c.engines)
	if c.Protocol == Whoa {
		c.Ahead = first.opt.Ahead
	}
	c.meeting = newMeeting(n)
	c.plan = make([]plan, n)
	for side := range c.reports {
		c.reports[side] = make([]report, n)
		for i := range n {
			c.reports[side][i].outlook = newOutlook(n)
		}
	}
	for _, e := range c.engines {
		e.outlet.open(n)
		if c.Protocol == Whoa {
			e.future = newOutlooks(int(e.end-e.first), n, c.Ahead)
		}
	}
	for _, e := range c.engines[1:] {
		go c.work(e)
	}
	c.work(first)
	c.meeting.close()
	return c.outcome()
}

// work is what a worker does: until the next meeting, and again.
func (c *crew) work(e *engine) {
	defer c.meeting.leave()
	d := e.driver.(*windows)
	for meetings := uint64(0); ; meetings++ {
		side := meetings % 2
		c.report(e, d, &c.reports[side][e.number])
		c.meeting.wait(e.number)
		e.outlet.turn()
		e.collect(c.engines, int(side))
		halt := c.decide(e, c.reports[side])
		if c.plan[e.number].over {
			if e.number == 0 {
				c.Meetings = meetings
			}
			return
		}
		c.reports[1-side][e.number].err = d.upTo(e, halt)
		e.done = unit.Picos(halt) * d.width
	}
}

// report says how far a worker is.
func (c *crew) report(e *engine, d *windows, r *report) {
	r.failed = e.failed
	if r.next = d.first(e); e.outlet.first < never {
		r.next = min(r.next, int64(e.outlet.first/d.width))
	}
	r.turns, r.looked = d.turns, false
	if p := &c.plan[e.number]; c.Protocol == Whoa && (p.pays.rests == 0 || r.next < p.window) {
		e.look(r, r.next >= p.window)
		r.found = e.future.found
	}
}

// decide is up to before which window a worker goes on.
func (c *crew) decide(e *engine, all []report) (halt int64) {
	p := &c.plan[e.number]
	p.from, p.over = noTurn, false
	var failed *failure
	for i := range all {
		p.from = min(p.from, all[i].next)
		p.over = p.over || all[i].err != nil
		if all[i].failed.before(failed) {
			failed = all[i].failed
		}
	}
	width := e.driver.(*windows).width
	halt = p.from + 1
	if c.Protocol == Whoa {
		halt = max(halt, c.halting(e, all))
	} else if e.number == 0 && p.from < noTurn {
		c.Windows++
	}
	last := noTurn
	if failed != nil {
		last = int64(failed.at/width) + 1
	}
	p.over = p.over || p.from >= last
	return min(halt, last)
}

// outcome is the error of a run, if there is one.
func (c *crew) outcome() error {
	var failed *failure
	for i, e := range c.engines {
		for side := range c.reports {
			if err := c.reports[side][i].err; err != nil {
				return err
			}
		}
		if e.failed.before(failed) {
			failed = e.failed
		}
		c.Remote += e.outlet.sent
		c.Appointments += e.appointments
	}
	return failed.cause()
}

// end is an error if a rank goes beyond the end of time.
func (c *crew) end() error {
	for _, e := range c.engines {
		if next := e.sharedNext(); next >= Horizon && next < network.Never && e.Shared != nil {
			return fmt.Errorf("messages are on their links after %v, more than can be simulated", Horizon)
		}
		if err := e.pulse(); err != nil {
			return err
		}
		for i := e.first; i < e.end; i++ {
			if e.ranks[i].goesOnAtAll() {
				return beyond(i)
			}
		}
	}
	return nil
}

// clear takes up the messages that nobody waited for.
func (c *crew) clear() error {
	for _, e := range c.engines {
		for i := e.first; i < e.end; i++ {
			r := &e.ranks[i]
			for len(r.arrivals) > 0 && e.failed == nil {
				e.acting, e.limit = r.id, never+1
				r.arrive(r.mailTime())
			}
		}
		if e.failed != nil {
			return e.failed.err
		}
	}
	return nil
}
