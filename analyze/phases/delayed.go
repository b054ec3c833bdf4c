package phases

import (
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// delayed is an order of the uses of blocks in which a processor goes on only some instructions after it has asked for a block of another
// node: of all processors, the one whose next use comes first, with all its delays, ties by processor. Uses come in the interleaved order,
// which is that without delays, and wait in queues until it is certain who is next. At a barrier, all wait for the last.
//
// Who stores to parts of one block in turn fetches it for each store if nobody is ever held up, and for many stores if
// the others are: what nodes ask of each other depends on how long it takes.
//
// Differs: a processor may be late by no more than maxQueued uses, and then goes on; a lock is got when it is got without delays.
type delayed struct {
	delay  unit.Instructions   // of each block that is waited for
	queues []queued            // by processor
	clocks []unit.Instructions // by processor: when its next use happens; never if it has none
	now    unit.Instructions   // no later use ends before, delays aside
	most   int                 // uses of a processor that wait
	do     func(p trace.Proc, u *use, now unit.Instructions) (wait unit.Instructions, err error)
}

// use is one load or store of a block.
type use struct {
	at     unit.Instructions // in the interleaved order
	done   unit.Instructions // of its processor's phase
	number uint64            // of the block
	store  bool
}

// queued is the uses of one processor that have not happened yet.
type queued struct {
	uses  []use
	next  int
	count unit.Instructions // of uses in the phase, each of which takes as long as an instruction
	late  unit.Instructions
}

// maxQueued bounds the memory of a queue.
const maxQueued = 1 << 16

func newDelayed(procs int, delay unit.Instructions, do func(trace.Proc, *use, unit.Instructions) (unit.Instructions, error)) *delayed {
	d := &delayed{delay: delay, most: maxQueued, queues: make([]queued, procs), clocks: make([]unit.Instructions, procs), do: do}
	for p := range d.clocks {
		d.clocks[p] = never
	}
	return d
}

// never is after everything.
const never unit.Instructions = math.MaxUint64

// add puts a use of p behind those before it.
func (d *delayed) add(p trace.Proc, u use) error {
	if d.delay == 0 {
		_, err := d.do(p, &u, u.at)
		return err
	}
	d.now = u.at
	q := &d.queues[p]
	q.count++
	u.at += q.count
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

// step lets the next use of p happen.
func (d *delayed) step(p trace.Proc) error {
	q := &d.queues[p]
	wait, err := d.do(p, &q.uses[q.next], d.clocks[p])
	q.late += wait
	if q.next++; q.next == len(q.uses) {
		q.uses, q.next, d.clocks[p] = q.uses[:0], 0, never
	} else {
		d.clocks[p] = q.uses[q.next].at + q.late
	}
	return err
}

// run lets all uses happen before which certainly no other comes; at the end of a phase these are all.
func (d *delayed) run(all bool) error {
	until := never
	for p, q := range d.queues {
		if d.clocks[p] == never && !all {
			until = min(until, d.now+q.count+q.late)
		}
	}
	for {
		first, second := trace.Proc(0), never
		for p := 1; p < len(d.clocks); p++ {
			if at := d.clocks[p]; at < d.clocks[first] {
				first, second = trace.Proc(p), d.clocks[first]
			} else {
				second = min(second, at)
			}
		}
		if d.clocks[first] >= until {
			return nil
		}
		for {
			if err := d.step(first); err != nil {
				return err
			}
			if d.clocks[first] == never && !all {
				until = min(until, d.now+d.queues[first].count+d.queues[first].late)
			}
			if at := d.clocks[first]; at >= second || at >= until {
				break
			}
		}
	}
}

// endPhase lets all uses happen. Nobody goes on before all are there, so that then all are as late as the latest.
func (d *delayed) endPhase() error {
	err := d.run(true)
	latest := unit.Instructions(0)
	for p := range d.queues {
		latest = max(latest, d.queues[p].late+d.queues[p].count)
	}
	for p := range d.queues {
		d.queues[p].late, d.queues[p].count = latest, 0
	}
	return err
}
