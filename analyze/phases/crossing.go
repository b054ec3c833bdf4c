package phases

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// crossing is where processors wait for each other between barriers, in a [delayed] order: a lock is held from its Lock to its Unlock, and
// those who want it get it in the order in which they come; a wait for a flag ends when the flag has got as many signals as it says.
type crossing struct {
	locks map[int32]*crossLock
	flags map[int32]*crossFlag
	moved uint64 // how often somebody let another one go on
	// waited is told how long p has waited for others at u.
	waited func(p trace.Proc, u *use, long unit.Instructions)
}

// crossLock is who has a lock, if it is held, and who waits for it.
type crossLock struct {
	held   bool
	holder trace.Proc
	queue  []trace.Proc
}

// crossFlag is how many signals a flag has got, and who waits for more.
type crossFlag struct {
	signals int64
	queue   []trace.Proc
}

func newCrossing() crossing {
	return crossing{locks: map[int32]*crossLock{}, flags: map[int32]*crossFlag{}, waited: func(trace.Proc, *use, unit.Instructions) {}}
}

func (c *crossing) lock(id int32) *crossLock {
	if c.locks[id] == nil {
		c.locks[id] = &crossLock{}
	}
	return c.locks[id]
}

func (c *crossing) flag(id int32) *crossFlag {
	if c.flags[id] == nil {
		c.flags[id] = &crossFlag{}
	}
	return c.flags[id]
}

// pass lets the event u of p happen, or p wait for it. Who waits already goes on without.
func (d *delayed) pass(p trace.Proc, u *use) {
	if d.queues[p].stopped {
		d.force(p)
		return
	}
	e := u.event
	switch e.Kind {
	case trace.Lock:
		l := d.crossing.lock(e.Peer)
		if l.held {
			l.queue = append(l.queue, p)
			d.stop(p)
			return
		}
		l.held, l.holder = true, p
	case trace.Unlock:
		d.unlock(p, e.Peer)
	case trace.Signal:
		d.signal(p, e.Peer)
	case trace.WaitFlag:
		if f := d.crossing.flag(e.Peer); f.signals < int64(e.Tag) {
			f.queue = append(f.queue, p)
			d.stop(p)
			return
		}
	}
	d.goOn(p, 0)
}

func (d *delayed) stop(p trace.Proc) { d.clocks[p], d.queues[p].stopped = never, true }

// unlock hands a lock of p to who waits longest.
func (d *delayed) unlock(p trace.Proc, id int32) {
	l := d.crossing.lock(id)
	if !l.held || l.holder != p { // it has been passed by force
		return
	}
	if l.held = len(l.queue) > 0; l.held {
		l.holder, l.queue = l.queue[0], l.queue[1:]
		d.release(l.holder, d.clocks[p])
	}
}

// signal lets those go on who wait for no more signals than there are now.
func (d *delayed) signal(p trace.Proc, id int32) {
	f := d.crossing.flag(id)
	f.signals++
	left := f.queue[:0]
	for _, q := range f.queue {
		if want := d.next(q).event.Tag; int64(want) > f.signals {
			left = append(left, q)
			continue
		}
		d.release(q, d.clocks[p])
	}
	f.queue = left
}

// release lets p go on, which others stopped, at a time.
func (d *delayed) release(p trace.Proc, now unit.Instructions) {
	q := &d.queues[p]
	u := d.next(p)
	wait := unit.Instructions(0)
	if came := u.at + q.late; now > came {
		wait = now - came
		d.crossing.waited(p, u, wait)
	}
	d.crossing.moved++
	d.goOn(p, wait)
}

// force lets p go on, whatever it waits for: as if it had got it.
func (d *delayed) force(p trace.Proc) {
	e := d.next(p).event
	without := func(queue []trace.Proc) []trace.Proc {
		return slices.DeleteFunc(queue, func(q trace.Proc) bool { return q == p })
	}
	if e.Kind == trace.Lock {
		l := d.crossing.lock(e.Peer)
		l.held, l.holder, l.queue = true, p, without(l.queue)
	} else {
		f := d.crossing.flag(e.Peer)
		f.queue = without(f.queue)
	}
	d.goOn(p, 0)
}
