package memsys

import (
	"math/bits"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Overlap says how far a processor runs on while touches of it are under way.
type Overlap struct {
	Outstanding int        // touches under way at most; 0: the processor waits for each of them
	Window      unit.Picos // what the processor does from a touch on until it must wait for it
}

// overlap is a system whose processors do not wait for each touch. Up to Outstanding touches are under
// way, and instructions go on for Window behind the oldest of them, as in a processor that executes out of order
// but retires in order: Window is the time that the instructions take for which it has room. While it waits it
// executes none: the room behind other touches under way stays as it is, so that misses close to each other are
// waited for but once. What waiting is left is divided into latency and contention as the touch that is
// waited for is.
//
// Differs: no instruction needs what a touch fetches before it has been waited for; a program that chases
// pointers has less overlap. When Outstanding touches are under way and another one leaves the caches, it asks
// the others at once, although it waits.
type overlap struct {
	System
	Overlap
	outstanding [][]outstandingMiss // by processor, the oldest first
}

// pending is a touch under way.
type outstandingMiss struct {
	done      unit.Picos
	windowEnd unit.Picos // until when instructions go on behind it
	cost      Cost
}

// Overlapping is s with processors that run on while touches are under way. s must be new.
func WithOverlap(s System, o Overlap, processors int) System {
	if o.Outstanding == 0 {
		return s
	}
	return &overlap{System: s, Overlap: o, outstanding: make([][]outstandingMiss, processors)}
}

func (o *overlap) Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost {
	all := o.outstanding[p]
	for len(all) > 0 {
		e := &all[0]
		if now >= e.windowEnd && e.done > e.windowEnd {
			cost := e.wait(e.done - e.windowEnd)
			cost.Retry = true
			o.drop(p)
			o.shiftWindows(p, cost.Total())
			return cost
		}
		if e.done > now {
			break
		}
		o.drop(p)
		all = o.outstanding[p]
	}
	cost := o.System.Access(now, p, line, store)
	if cost == (Cost{}) {
		return Cost{}
	}
	return o.begin(now, p, cost)
}

// Make is false while touches are under way.
func (o *overlap) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	if len(o.outstanding[p]) > 0 {
		return 0, false
	}
	return o.System.Commit(p, b, from)
}

// begin adds a touch to those of p under way; it waits for the first that ends if there is no room.
func (o *overlap) begin(now unit.Picos, p trace.Proc, cost Cost) (wait Cost) {
	all := o.outstanding[p]
	if len(all) == o.Outstanding {
		first := 0
		for i := range all {
			if all[i].done < all[first].done {
				first = i
			}
		}
		wait = all[first].wait(max(0, all[first].done-now))
		o.outstanding[p] = append(all[:first], all[first+1:]...)
		o.shiftWindows(p, wait.Total())
		now += wait.Total()
	}
	o.outstanding[p] = append(o.outstanding[p], outstandingMiss{now + cost.Total(), now + o.Window, cost})
	return wait
}

// waited moves the room of p behind its touches under way, in which it has done nothing for a time.
func (o *overlap) shiftWindows(p trace.Proc, t unit.Picos) {
	for i := range o.outstanding[p] {
		o.outstanding[p][i].windowEnd += t
	}
}

// drop forgets the oldest touch of p under way.
func (o *overlap) drop(p trace.Proc) {
	all := o.outstanding[p]
	o.outstanding[p] = all[:copy(all, all[1:])]
}

// wait is waiting for e for a time, which is at most what it takes in all.
func (e *outstandingMiss) wait(t unit.Picos) Cost {
	hi, lo := bits.Mul64(uint64(e.cost.Contention), uint64(t))
	share, _ := bits.Div64(hi, lo, uint64(e.cost.Total()))
	return Cost{Latency: t - unit.Picos(share), Contention: unit.Picos(share)}
}

// Settle waits for all.
func (o *overlap) Drain(now unit.Picos, p trace.Proc) Cost {
	var sum Cost
	for len(o.outstanding[p]) > 0 {
		e := &o.outstanding[p][0]
		cost := e.wait(max(0, e.done-sum.Total()-min(now, e.windowEnd)))
		sum.Latency += cost.Latency
		sum.Contention += cost.Contention
		o.drop(p)
	}
	return sum
}
