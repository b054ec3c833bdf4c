package phases

import (
	"math"
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// delayed is an order of the uses of blocks in which a processor goes on only some instructions after it has asked for a block of another
// node: of all processors, the one whose next use comes first, with all its delays, ties by processor. Uses come in the interleaved order,
// which is that without delays, and wait in queues until it is certain who is next. At a barrier, all wait for the last; at locks and flags, see
// [crossing].
//
// Who stores to parts of one block in turn fetches it for each store if nobody is ever held up, and for many stores if
// the others are: what nodes ask of each other depends on how long it takes. So does who gets a lock first, and with it the data behind it.
//
// Differs: of maxQueued uses that are kept, each processor has an equal part. Who is later than that goes on, without a lock if need be, which
// spoils the order: where one never waits and the others wait for every block, they are late by most of a phase.
type delayed struct {
	delay    unit.Instructions // of each block that is waited for
	uses     *uses
	queues   []queued            // by processor
	clocks   []unit.Instructions // by processor: when its next use happens; never if it has none, or waits for others
	most     int                 // uses of a processor that wait
	heard    []int               // by processor: how many uses there were, while those that are new are heard of
	crossing crossing
	do       func(p trace.Proc, u *use, now unit.Instructions) (wait unit.Instructions, err error)
}

// queued is where one processor is among its uses.
type queued struct {
	next    int // that has not happened yet
	late    unit.Instructions
	stopped bool // by others, at its next use
}

// maxQueued bounds how many uses are kept, of all processors.
const maxQueued = 1 << 23

func newDelayed(all *uses, delay unit.Instructions, do func(trace.Proc, *use, unit.Instructions) (unit.Instructions, error)) *delayed {
	procs := len(all.procs)
	d := &delayed{delay: delay, uses: all, most: max(1, maxQueued/procs), queues: make([]queued, procs), heard: make([]int, procs), crossing: newCrossing(), clocks: make([]unit.Instructions, procs), do: do}
	for p := range d.clocks {
		d.clocks[p] = never
	}
	return d
}

// never is after everything.
const never unit.Instructions = math.MaxUint64

// hear takes the uses that are new. If nothing takes time, they happen, and else wait until it is certain who is next, or they are too many.
func (d *delayed) hear() error {
	if d.delay == 0 {
		return d.follow()
	}
	tooMany := false
	for p := range d.queues {
		q, l := &d.queues[p], &d.uses.procs[p]
		if d.clocks[p] == never && !q.stopped && q.next < l.end() {
			d.clocks[p] = l.use(q.next).at + q.late
		}
		d.heard[p] = l.end()
		tooMany = tooMany || l.end()-q.next > d.most
	}
	if !tooMany {
		return nil
	}
	for _, p := range d.uses.fresh {
		d.heard[p]--
	}
	for _, p := range d.uses.fresh {
		if d.heard[p]++; d.heard[p]-d.queues[p].next > d.most {
			if err := d.step(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow lets uses that are new happen in the interleaved order.
func (d *delayed) follow() error {
	for _, p := range d.uses.fresh {
		q := &d.queues[p]
		u := d.uses.procs[p].use(q.next)
		q.next++
		if u.event != nil {
			continue
		}
		if _, err := d.do(p, u, u.at); err != nil {
			return err
		}
	}
	return nil
}

// next is the use of p that has not happened yet.
func (d *delayed) next(p trace.Proc) *use { return d.uses.procs[p].use(d.queues[p].next) }

// step lets the next use of p happen, whatever it waits for.
func (d *delayed) step(p trace.Proc) error {
	u := d.next(p)
	if u.event != nil {
		d.pass(p, u)
		return nil
	}
	wait, err := d.do(p, u, d.clocks[p])
	d.goOn(p, wait)
	return err
}

// goOn ends the present use of p, who is later than before by what it took.
func (d *delayed) goOn(p trace.Proc, wait unit.Instructions) {
	q := &d.queues[p]
	q.late += wait
	q.stopped = false
	l := &d.uses.procs[p]
	if q.next++; q.next == l.end() {
		d.clocks[p] = never
	} else {
		d.clocks[p] = l.use(q.next).at + q.late
	}
}

// bound is what p, who has nothing to do, does nothing before.
func (d *delayed) bound(p trace.Proc) unit.Instructions {
	l := &d.uses.procs[p]
	return min(d.uses.now, l.came) + l.count + d.queues[p].late - l.waited
}

// run lets all uses happen before which certainly no other comes; at the end of a phase these are all.
func (d *delayed) run(all bool) error {
	for {
		first, second, until := d.first(all)
		if d.clocks[first] >= until {
			return nil
		}
		if err := d.ahead(first, min(second, until)); err != nil {
			return err
		}
	}
}

// ahead lets the next use of p happen, and those after it that come before a time, unless another processor is let go on.
func (d *delayed) ahead(p trace.Proc, before unit.Instructions) error {
	list, gone, now, moved := d.uses.procs[p].list, d.uses.procs[p].gone, d.clocks[p], d.crossing.moved
	q := &d.queues[p]
	for {
		u := &list[q.next-gone]
		if u.event != nil {
			d.clocks[p] = now
			d.pass(p, u)
			if now = d.clocks[p]; now >= before || moved != d.crossing.moved {
				return nil
			}
			continue
		}
		wait, err := d.do(p, u, now)
		q.late += wait
		if q.next++; q.next-gone == len(list) {
			d.clocks[p] = never
			return err
		}
		if now = list[q.next-gone].at + q.late; now >= before || err != nil {
			d.clocks[p] = now
			return err
		}
	}
}

// first is the processor that does something next, when the next other one does, and a time before which no other one begins to.
func (d *delayed) first(all bool) (first trace.Proc, second, until unit.Instructions) {
	second, until = never, never
	for p, at := range d.clocks {
		if at == never && !d.queues[p].stopped && !all {
			until = min(until, d.bound(trace.Proc(p)))
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

// endPhase lets all uses happen. Nobody goes on before all are there, so that then all are as late as the latest.
func (d *delayed) endPhase() error {
	for {
		if err := d.run(true); err != nil {
			return err
		}
		stuck := slices.IndexFunc(d.queues, func(q queued) bool { return q.stopped })
		if stuck < 0 {
			break
		}
		d.force(trace.Proc(stuck))
	}
	latest := unit.Instructions(0)
	for p := range d.queues {
		latest = max(latest, d.queues[p].late+d.uses.procs[p].count)
	}
	for p := range d.queues {
		d.queues[p].late = latest
	}
	return nil
}
