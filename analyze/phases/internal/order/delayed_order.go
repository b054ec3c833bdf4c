// Package order finds the order in which processors use blocks, if some of them wait for blocks, barriers, locks and
// flags.
package order

import (
	"math"
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Delayed is an order of the uses of blocks in which a processor that requests a block of another node
// continues only some instructions later. The next use is the earliest one of all processors, with all its
// delays; ties go by processor. Uses arrive in the interleaved order, which is the order without delays. They
// wait in queues until the next one is certain. At a barrier, all processors wait for the last one. For locks
// and flags, see [synchronization].
//
// It takes single uses, because each may delay its processor. [analysis.Interleave] has no delays, and merges
// many references of a processor at once.
//
// Traffic between nodes depends on the duration of requests. Consider processors that store to parts of one
// block in turn. Without delays, each store fetches the block. With delays for the others, one fetch serves
// many stores. The order of lock acquisition depends on delays too, and so does the traffic of the data that
// locks protect.
//
// Differs: at most maxQueued uses are kept, an equal part for each processor. A processor with more pending
// uses continues, if necessary without a lock. This makes the order inexact: if one processor never waits and
// the others wait for every block, they are late by most of a phase.
type Delayed struct {
	delay      unit.Instructions // of each block that is waited for
	uses       *Queues
	queues     []queuePosition     // by processor
	clocks     []unit.Instructions // by processor: time of its next use; never if it has none, or waits for others
	maxPending int                 // maximum number of pending uses of a processor
	seen       []int               // by processor: number of uses seen so far, while new ones are received
	Sync       synchronization
	Forced     int // waits that were cut short
	do         Do
	// Drain returns how long p waits at a time until all that it has begun has ended; nil: it never waits.
	Drain func(p trace.Proc, u *Use, now unit.Instructions) unit.Instructions
}

// Do does a use of p, and returns how long p waits. If it is not done, p must wait first, and the use comes again.
type Do func(p trace.Proc, u *Use, now unit.Instructions) (wait unit.Instructions, done bool, err error)

// queuePosition is the position of one processor in its uses.
type queuePosition struct {
	next      int // the first use that has not happened yet
	lag       unit.Instructions
	suspended bool // by others, at its next use
	unforked  bool // no processor has forked it yet
}

// maxQueued is the maximum number of uses that are kept, of all processors.
const maxQueued = 1 << 23

// NewDelayed returns an order of all uses with a delay.
func NewDelayed(all *Queues, delay unit.Instructions, do Do) *Delayed {
	procs := len(all.Procs)
	d := &Delayed{delay: delay, uses: all, maxPending: max(1, maxQueued/procs), queues: make([]queuePosition, procs), seen: make([]int, procs), Sync: newSynchronization(), clocks: make([]unit.Instructions, procs), do: do}
	for p := range d.clocks {
		d.clocks[p] = never
	}
	return d
}

// Forked says that p begins only when another processor forks it. It must be called before the first use.
func (d *Delayed) Forked(p trace.Proc) { d.queues[p].unforked, d.queues[p].suspended = true, true }

// never is after every time.
const never unit.Instructions = math.MaxUint64

// Receive takes the new uses. Without delays they happen at once. Otherwise they wait until the next one is
// certain, or until there are too many.
func (d *Delayed) Receive() error {
	if d.delay == 0 {
		return d.runUndelayed()
	}
	tooMany := false
	for p := range d.queues {
		q, l := &d.queues[p], &d.uses.Procs[p]
		if d.clocks[p] == never && !q.suspended && q.next < l.end() {
			d.clocks[p] = l.use(q.next).at + q.lag
		}
		d.seen[p] = l.end()
		tooMany = tooMany || l.end()-q.next > d.maxPending
	}
	if !tooMany {
		return nil
	}
	for _, p := range d.uses.unseen {
		d.seen[p]--
	}
	for _, p := range d.uses.unseen {
		if d.seen[p]++; d.seen[p]-d.queues[p].next > d.maxPending {
			if err := d.step(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// runUndelayed processes the new uses in the interleaved order.
func (d *Delayed) runUndelayed() error {
	for _, p := range d.uses.unseen {
		q := &d.queues[p]
		u := d.uses.Procs[p].use(q.next)
		q.next++
		if u.syncs() {
			continue
		}
		if _, _, err := d.do(p, u, u.at); err != nil {
			return err
		}
	}
	return nil
}

// next returns the first use of p that has not happened yet.
func (d *Delayed) next(p trace.Proc) *Use { return d.uses.Procs[p].use(d.queues[p].next) }

// step processes the next use of p, even if it waits.
func (d *Delayed) step(p trace.Proc) error {
	for {
		u := d.next(p)
		if u.syncs() || d.queues[p].suspended {
			d.synchronize(p, u)
			return nil
		}
		wait, done, err := d.do(p, u, d.clocks[p])
		if done || err != nil {
			d.advance(p, wait)
			return err
		}
		d.delayBy(p, wait)
	}
}

// delayBy makes the next use of p later.
func (d *Delayed) delayBy(p trace.Proc, wait unit.Instructions) {
	d.queues[p].lag += wait
	d.clocks[p] += wait
}

// advance ends the current use of p, which delays p by wait.
func (d *Delayed) advance(p trace.Proc, wait unit.Instructions) {
	q := &d.queues[p]
	q.lag += wait
	q.suspended = false
	l := &d.uses.Procs[p]
	if q.next++; q.next == l.end() {
		d.clocks[p] = never
	} else {
		d.clocks[p] = l.use(q.next).at + q.lag
	}
}

// earliest returns a time before which p, which has no use now, does nothing.
func (d *Delayed) earliest(p trace.Proc) unit.Instructions {
	l := &d.uses.Procs[p]
	return d.uses.time(l, min(d.uses.now, l.LockArrival)) + d.queues[p].lag
}

// Run processes all uses that certainly no other use precedes. At the end of a phase (all), these are all
// uses.
func (d *Delayed) Run(all bool) error {
	for {
		first, second, until := d.firstTwo(all)
		if d.clocks[first] >= until {
			return nil
		}
		if err := d.runUntil(first, min(second, until)); err != nil {
			return err
		}
	}
}

// runUntil processes the next use of p, and its later uses before a time, until it resumes another processor.
func (d *Delayed) runUntil(p trace.Proc, before unit.Instructions) error {
	list, gone, now, moved := d.uses.Procs[p].list, d.uses.Procs[p].dropped, d.clocks[p], d.Sync.resumptions
	q := &d.queues[p]
	for {
		u := &list[q.next-gone]
		if u.syncs() {
			d.clocks[p] = now
			d.synchronize(p, u)
			if now = d.clocks[p]; now >= before || moved != d.Sync.resumptions {
				return nil
			}
			continue
		}
		wait, done, err := d.do(p, u, now)
		q.lag += wait
		if !done && err == nil {
			if now += wait; now >= before {
				d.clocks[p] = now
				return nil
			}
			continue
		}
		if q.next++; q.next-gone == len(list) {
			d.clocks[p] = never
			return err
		}
		if now = list[q.next-gone].at + q.lag; now >= before || err != nil {
			d.clocks[p] = now
			return err
		}
	}
}

// firstTwo returns the processor with the next use, the time of the next use of another one, and a time
// before which no processor without uses does anything.
func (d *Delayed) firstTwo(all bool) (first trace.Proc, second, until unit.Instructions) {
	second, until = never, never
	for p, at := range d.clocks {
		if at == never && !d.queues[p].suspended && !all {
			until = min(until, d.earliest(trace.Proc(p)))
		}
		switch {
		case p == 0:
		case at < d.clocks[first]:
			first, second = trace.Proc(p), d.clocks[first]
		default:
			second = min(second, at)
		}
	}
	return first, second, until
}

// EndPhase processes all uses. No processor passes the barrier before the last one arrives, so that all are
// then as late as the latest.
func (d *Delayed) EndPhase() error {
	for {
		if err := d.Run(true); err != nil {
			return err
		}
		stuck := slices.IndexFunc(d.queues, func(q queuePosition) bool { return q.suspended && !q.unforked })
		if stuck < 0 {
			break
		}
		d.force(trace.Proc(stuck))
	}
	latest := unit.Instructions(0)
	for p := range d.queues {
		latest = max(latest, d.queues[p].lag+d.uses.Procs[p].count*d.uses.Hit)
	}
	for p := range d.queues {
		d.queues[p].lag = latest
	}
	return nil
}
