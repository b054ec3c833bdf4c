// Package layer has memory systems around other memory systems: processors that go on while touches are outstanding,
// processors that prefetch, and systems that begin another run warm.
package layer

import (
	"math/bits"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Overlap configures how far a processor goes on while touches are outstanding.
type Overlap struct {
	Outstanding int        // maximum of outstanding touches; 0: the processor waits for each touch
	Window      unit.Picos // how long the processor goes on after a touch until it must wait for it
}

// overlap is a system whose processors do not wait for each touch, like a processor that executes out of order but
// retires in order. Up to Outstanding touches are outstanding. Instructions go on for Window behind the oldest of
// them: the time of the instructions that fit into the processor's reorder buffer. While the processor waits, it
// executes none. The windows of other outstanding touches then keep their remaining length, so misses close to each
// other are waited for only once. The remaining wait is divided into latency and contention in the proportion of the
// touch that is waited for.
//
// Differs: no instruction needs the data of a touch before the processor has waited for it. A program that chases
// pointers has less overlap on real hardware. When Outstanding touches are outstanding and another one misses, its
// request is sent at once, although the processor waits.
type overlap struct {
	touch.System
	Overlap
	outstanding [][]outstandingMiss // by processor, the oldest first
}

// outstandingMiss is a touch that has not ended.
type outstandingMiss struct {
	done      unit.Picos
	windowEnd unit.Picos // until when instructions go on behind it
	cost      touch.Cost
}

// WithOverlap returns s with processors that go on while touches are outstanding. s must be new.
func WithOverlap(s touch.System, o Overlap, processors int) touch.System {
	if o.Outstanding == 0 {
		return s
	}
	return &overlap{System: s, Overlap: o, outstanding: make([][]outstandingMiss, processors)}
}

// Access touches a line, and waits only if the processor cannot go on.
func (o *overlap) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	if len(o.outstanding[p]) > 0 {
		if cost := o.retire(now, p); cost.Retry {
			return cost
		}
	}
	cost := o.System.Access(now, p, line, store)
	if cost == (touch.Cost{}) {
		return touch.Cost{}
	}
	return o.begin(now, p, cost)
}

// retire drops the outstanding touches of p that have ended. If p must wait for one first, it returns the wait.
func (o *overlap) retire(now unit.Picos, p trace.Proc) touch.Cost {
	for len(o.outstanding[p]) > 0 {
		e := &o.outstanding[p][0]
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
	}
	return touch.Cost{}
}

// Commit reports false while touches are outstanding.
func (o *overlap) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	if len(o.outstanding[p]) > 0 {
		return 0, false
	}
	return o.System.Commit(p, b, from)
}

// begin adds an outstanding touch of p. If there are too many, it waits for the first that ends.
func (o *overlap) begin(now unit.Picos, p trace.Proc, cost touch.Cost) (wait touch.Cost) {
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

// shiftWindows moves the windows of p by a time in which it has executed nothing.
func (o *overlap) shiftWindows(p trace.Proc, t unit.Picos) {
	for i := range o.outstanding[p] {
		o.outstanding[p][i].windowEnd += t
	}
}

// drop removes the oldest outstanding touch of p.
func (o *overlap) drop(p trace.Proc) {
	all := o.outstanding[p]
	o.outstanding[p] = all[:copy(all, all[1:])]
}

// wait returns the cost of waiting for e for a time t, which is at most its total cost.
func (e *outstandingMiss) wait(t unit.Picos) touch.Cost {
	hi, lo := bits.Mul64(uint64(e.cost.Contention), uint64(t))
	share, _ := bits.Div64(hi, lo, uint64(e.cost.Total()))
	return touch.Cost{Latency: t - unit.Picos(share), Contention: unit.Picos(share)}
}

// Drain waits for all.
func (o *overlap) Drain(now unit.Picos, p trace.Proc) touch.Cost {
	var sum touch.Cost
	for len(o.outstanding[p]) > 0 {
		e := &o.outstanding[p][0]
		cost := e.wait(max(0, e.done-sum.Total()-min(now, e.windowEnd)))
		sum.Latency += cost.Latency
		sum.Contention += cost.Contention
		o.drop(p)
	}
	return sum
}

// Flush first waits for touches that are due.
func (o *overlap) Flush(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	if cost := o.retire(now, p); cost.Retry {
		return cost
	}
	return o.System.Flush(now, p, line)
}
