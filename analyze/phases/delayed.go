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
// Differs: a processor may be late by no more than maxQueued uses, and then goes on, without a lock if need be.
type delayed struct {
	delay    unit.Instructions   // of each block that is waited for
	queues   []queued            // by processor
	clocks   []unit.Instructions // by processor: when its next use happens; never if it has none, or waits for others
	now      unit.Instructions   // no later use ends before, delays aside
	most     int                 // uses of a processor that wait
	crossing crossing
	do       func(p trace.Proc, u *use, now unit.Instructions) (wait unit.Instructions, err error)
}

// use is one load or store of a block, or what others may wait for.
type use struct {
	at     unit.Instructions // in the interleaved order
	done   unit.Instructions // of its processor's phase
	number uint64            // of the block
	store  bool
	event  *trace.Event // instead of a load or store: see [crossing]
}

// queued is the uses of one processor that have not happened yet.
type queued struct {
	uses    []use
	next    int
	count   unit.Instructions // of uses in the phase, each of which takes as long as an instruction
	late    unit.Instructions
	waited  unit.Instructions // for locks, in the interleaved order
	came    unit.Instructions // to a lock that it waits for, in the interleaved order; else never
	stopped bool              // by others, at its next use
}

// maxQueued bounds the memory of a queue.
const maxQueued = 1 << 16

func newDelayed(procs int, delay unit.Instructions, do func(trace.Proc, *use, unit.Instructions) (unit.Instructions, error)) *delayed {
	d := &delayed{delay: delay, most: maxQueued, queues: make([]queued, procs), crossing: newCrossing(), clocks: make([]unit.Instructions, procs), do: do}
	for p := range d.clocks {
		d.clocks[p], d.queues[p].came = never, never
	}
	return d
}

// never is after everything.
const never unit.Instructions = math.MaxUint64

// add puts a load or store of p behind what it does before.
func (d *delayed) add(p trace.Proc, u use) error {
	if d.delay == 0 {
		_, err := d.do(p, &u, u.at)
		return err
	}
	d.queues[p].count++
	return d.put(p, u)
}

// put puts anything behind what p does before.
func (d *delayed) put(p trace.Proc, u use) error {
	d.now = u.at
	q := &d.queues[p]
	u.at += q.count - q.waited
	if len(q.uses) == cap(q.uses) && q.next > len(q.uses)/2 {
		q.uses = q.uses[:copy(q.uses, q.uses[q.next:])]
		q.next = 0
	}
	if q.uses = append(q.uses, u); len(q.uses)-q.next == 1 {
		d.clocks[p] = u.at + q.late
	}
	if len(q.uses)-q.next > d.most {
		return d.step(p)
	}
	return nil
}

// step lets the next use of p happen, whatever it waits for.
func (d *delayed) step(p trace.Proc) error {
	q := &d.queues[p]
	u := &q.uses[q.next]
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
	if q.next++; q.next == len(q.uses) {
		q.uses, q.next, d.clocks[p] = q.uses[:0], 0, never
	} else {
		d.clocks[p] = q.uses[q.next].at + q.late
	}
}

// bound is what p, who has nothing to do, does nothing before.
func (d *delayed) bound(p trace.Proc) unit.Instructions {
	q := &d.queues[p]
	return min(d.now, q.came) + q.count + q.late - q.waited
}

// run lets all uses happen before which certainly no other comes; at the end of a phase these are all.
func (d *delayed) run(all bool) error {
	for {
		first, second, until := d.first(all)
		if d.clocks[first] >= until {
			return nil
		}
		for moved := d.crossing.moved; moved == d.crossing.moved; {
			if err := d.step(first); err != nil {
				return err
			}
			if at := d.clocks[first]; at >= second || at >= until {
				break
			}
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
		latest = max(latest, d.queues[p].late+d.queues[p].count)
	}
	for p := range d.queues {
		d.queues[p].late, d.queues[p].count, d.queues[p].waited = latest, 0, 0
	}
	return nil
}
