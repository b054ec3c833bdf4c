package phases

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// uses is what processors do with blocks, each in its order, until all [delayed] orders have let it happen. It is there once for all of them,
// because memory is what an order would otherwise wait for.
type uses struct {
	shift uint
	procs []lane
	fresh []trace.Proc      // whose uses orders have not heard of, in the interleaved order
	now   unit.Instructions // no later use ends before, delays aside
}

// use is one load or store of a block, or what others may wait for.
type use struct {
	at     unit.Instructions // in the interleaved order, with what the uses before it take
	done   unit.Instructions // of its processor's phase
	number uint64            // of the block
	event  *trace.Event      // instead of a load or store: see [crossing]
	store  bool
}

// lane is the uses of one processor that have not happened in all orders yet.
type lane struct {
	list   []use
	gone   int               // uses before them
	count  unit.Instructions // of uses in the phase, each of which takes as long as an instruction
	waited unit.Instructions // for locks, in the interleaved order
	came   unit.Instructions // to a lock that it waits for, in the interleaved order; else never
}

func newUses(procs int, shift uint) *uses {
	u := &uses{shift: shift, procs: make([]lane, procs)}
	for p := range u.procs {
		u.procs[p].came = never
	}
	return u
}

// end is how many uses there have been.
func (l *lane) end() int { return l.gone + len(l.list) }

// use is the one with an index.
func (l *lane) use(i int) *use { return &l.list[i-l.gone] }

// refs adds references of the processors in of, with where each ends: in its processor's phase, and in the interleaved order.
func (s *uses) refs(of []trace.Proc, r *trace.Refs, done, at []unit.Instructions) {
	for i, addr := range r.Addr {
		op := r.Op[i]
		if !op.Data() {
			continue
		}
		first, last := addr>>s.shift, (addr+uint64(r.Size[i])-1)>>s.shift
		for number := first; ; number++ {
			s.procs[of[i]].count++
			s.put(of[i], use{at: at[i], done: done[i], number: number, store: op == trace.Store})
			if number == last {
				break
			}
		}
	}
}

// event adds a lock, a flag or what lets others go on, of p, who has waited for so long before it in the interleaved order.
func (s *uses) event(p trace.Proc, e *trace.Event, at, done, waited unit.Instructions) {
	l := &s.procs[p]
	l.waited, l.came = l.waited+waited, never
	kept := *e
	s.put(p, use{at: at, done: done, event: &kept})
}

func (s *uses) put(p trace.Proc, u use) {
	l := &s.procs[p]
	s.now = u.at
	u.at += l.count - l.waited
	l.list = append(l.list, u)
	s.fresh = append(s.fresh, p)
}

// forget drops what has happened in all orders, if that is most of what there is.
func (s *uses) forget(orders []*delayed) {
	s.fresh = s.fresh[:0]
	for p := range s.procs {
		l := &s.procs[p]
		if 2*len(l.list) < cap(l.list) {
			continue
		}
		least := l.end()
		for _, d := range orders {
			least = min(least, d.queues[p].next)
		}
		if over := least - l.gone; 2*over >= len(l.list) {
			l.list = slices.Delete(l.list, 0, over)
			l.gone = least
		}
	}
}

// endPhase is where uses of the next phase begin.
func (s *uses) endPhase() {
	for p := range s.procs {
		s.procs[p].count, s.procs[p].waited = 0, 0
	}
}
