package order

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// synchronization simulates how processors wait for each other between barriers in a [delayedOrder]. A lock
// is held from its Lock to its Unlock. Processors acquire it in the order of their requests. A wait for a
// flag ends when the flag has received the requested number of signals. A forked processor begins at the fork, and a join
// waits for the end of a processor.
type synchronization struct {
	locks       map[int32]*lockState
	flags       map[int32]*flagState
	ended       map[trace.Proc]bool         // processors whose programs have ended
	joiners     map[trace.Proc][]trace.Proc // processors that wait for that
	resumptions uint64                      // number of times that a processor resumed another
	// OnWait is called with the time for which p waited for others at u.
	OnWait func(p trace.Proc, u *Use, long unit.Instructions)
}

// lockState is the holder of a lock, if it is held, and the processors that wait for it.
type lockState struct {
	held   bool
	holder trace.Proc
	queue  []trace.Proc
}

// flagState is the number of signals of a flag, and the processors that wait for more.
type flagState struct {
	signals int64
	queue   []trace.Proc
}

func newSynchronization() synchronization {
	return synchronization{locks: map[int32]*lockState{}, flags: map[int32]*flagState{}, ended: map[trace.Proc]bool{},
		joiners: map[trace.Proc][]trace.Proc{}, OnWait: func(trace.Proc, *Use, unit.Instructions) {}}
}

func (c *synchronization) lock(id int32) *lockState {
	if c.locks[id] == nil {
		c.locks[id] = &lockState{}
	}
	return c.locks[id]
}

func (c *synchronization) flag(id int32) *flagState {
	if c.flags[id] == nil {
		c.flags[id] = &flagState{}
	}
	return c.flags[id]
}

// syncs reports whether u is an event or an end, and no load or store.
func (u *Use) syncs() bool { return u.event != nil || u.ends }

// synchronize processes the event u of p, or makes p wait for it. A processor that is already waiting
// continues without it.
func (d *Delayed) synchronize(p trace.Proc, u *Use) {
	if d.queues[p].suspended {
		d.force(p)
		return
	}
	if d.Drain != nil {
		if wait := d.Drain(p, u, d.clocks[p]); wait > 0 {
			d.delayBy(p, wait)
			return // others may come first
		}
	}
	if u.ends {
		d.end(p)
	} else if d.mustWait(p, u.event) {
		d.clocks[p], d.queues[p].suspended = never, true
		return
	}
	d.advance(p, 0)
}

// mustWait processes an event of p. It reports whether p must wait for others, which then resume it.
func (d *Delayed) mustWait(p trace.Proc, e *trace.Event) bool {
	switch e.Kind {
	case trace.Lock:
		l := d.Sync.lock(e.Peer)
		if l.held {
			l.queue = append(l.queue, p)
			return true
		}
		l.held, l.holder = true, p
	case trace.Unlock:
		d.unlock(p, e.Peer)
	case trace.Signal:
		d.signal(p, e.Peer)
	case trace.WaitFlag:
		if f := d.Sync.flag(e.Peer); f.signals < int64(e.Tag) {
			f.queue = append(f.queue, p)
			return true
		}
	case trace.Fork:
		d.fork(trace.Proc(e.Peer), d.clocks[p])
	case trace.Join:
		child := trace.Proc(e.Peer)
		if !d.Sync.ended[child] && child >= 0 && int(child) < len(d.queues) && child != p {
			d.Sync.joiners[child] = append(d.Sync.joiners[child], p)
			return true
		}
	}
	return false
}

// end ends the program of p, and resumes the processors that wait for that.
func (d *Delayed) end(p trace.Proc) {
	d.Sync.ended[p] = true
	for _, q := range d.Sync.joiners[p] {
		d.resume(q, d.clocks[p])
	}
	delete(d.Sync.joiners, p)
}

// fork starts a processor at a time.
func (d *Delayed) fork(child trace.Proc, now unit.Instructions) {
	if child < 0 || int(child) >= len(d.queues) || !d.queues[child].unforked {
		return
	}
	q, l := &d.queues[child], &d.uses.Procs[child]
	q.unforked, q.suspended, q.lag = false, false, now
	d.Sync.resumptions++
	if q.next < l.end() {
		d.clocks[child] = l.use(q.next).at + q.lag
		d.Sync.OnWait(child, l.use(q.next), now)
	} else {
		d.Sync.OnWait(child, &Use{}, now)
	}
}

// unlock passes a lock of p to the processor that has waited longest.
func (d *Delayed) unlock(p trace.Proc, id int32) {
	l := d.Sync.lock(id)
	if !l.held || l.holder != p { // it was forced
		return
	}
	if l.held = len(l.queue) > 0; l.held {
		l.holder, l.queue = l.queue[0], l.queue[1:]
		d.resume(l.holder, d.clocks[p])
	}
}

// signal resumes the processors that wait for no more signals than the flag has now.
func (d *Delayed) signal(p trace.Proc, id int32) {
	f := d.Sync.flag(id)
	f.signals++
	left := f.queue[:0]
	for _, q := range f.queue {
		if want := d.next(q).event.Tag; int64(want) > f.signals {
			left = append(left, q)
			continue
		}
		d.resume(q, d.clocks[p])
	}
	f.queue = left
}

// resume continues p, which others had suspended, at a time.
func (d *Delayed) resume(p trace.Proc, now unit.Instructions) {
	q := &d.queues[p]
	u := d.next(p)
	wait := unit.Instructions(0)
	if came := u.at + q.lag; now > came {
		wait = now - came
		d.Sync.OnWait(p, u, wait)
	}
	d.Sync.resumptions++
	d.advance(p, wait)
}

// force continues p without the event that it waits for.
func (d *Delayed) force(p trace.Proc) {
	d.Forced++
	if d.queues[p].unforked {
		d.fork(p, d.queues[p].lag)
		return
	}
	e := d.next(p).event
	without := func(queue []trace.Proc) []trace.Proc {
		return slices.DeleteFunc(queue, func(q trace.Proc) bool { return q == p })
	}
	switch e.Kind {
	case trace.Lock:
		l := d.Sync.lock(e.Peer)
		l.held, l.holder, l.queue = true, p, without(l.queue)
	case trace.Join:
		d.Sync.joiners[trace.Proc(e.Peer)] = without(d.Sync.joiners[trace.Proc(e.Peer)])
	default:
		f := d.Sync.flag(e.Peer)
		f.queue = without(f.queue)
	}
	d.advance(p, 0)
}
