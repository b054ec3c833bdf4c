package order

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Queues holds the uses of blocks by processors, each in its order, until all orders have processed them.
// All orders share the queues, because memory would otherwise limit the length of an order.
type Queues struct {
	Shift  uint
	Instr  unit.Instructions // time of an instruction, in the unit of the order; times of the interleaved order are in instructions
	Hit    unit.Instructions // time that a use adds to its instructions
	ops    trace.OpSet       // of references that are uses
	Procs  []useQueue
	unseen []trace.Proc      // processors of uses that the orders have not seen, in the interleaved order
	now    unit.Instructions // no later use ends before this time, without delays
}

// Use is one load or store of a block, or an event at which others may wait.
type Use struct {
	at     unit.Instructions // time in the interleaved order without waits for locks, including the time of the uses before it
	Done   unit.Instructions // position in its processor's phase
	Number uint64            // number of the block or line
	event  *trace.Event      // instead of a load or store, see [synchronization]
	ends   bool              // instead: the processor's program ends
	Store  bool
}

// useQueue holds the uses of one processor that not all orders have processed yet.
type useQueue struct {
	list        []Use
	dropped     int               // number of uses before list
	count       unit.Instructions // uses in the phase
	lockWait    unit.Instructions // waiting time for locks in the interleaved order
	LockArrival unit.Instructions // arrival at a lock for which it waits, in the interleaved order; otherwise never
}

// NewQueues returns empty queues of processors for references with some operations. Blocks have 1<<shift bytes.
func NewQueues(procs int, ops trace.OpSet, shift uint) *Queues {
	u := &Queues{Shift: shift, Instr: 1, Hit: 1, ops: ops, Procs: make([]useQueue, procs)}
	for p := range u.Procs {
		u.Procs[p].LockArrival = never
	}
	return u
}

// end returns the number of uses so far.
func (l *useQueue) end() int { return l.dropped + len(l.list) }

// use returns the use with an index.
func (l *useQueue) use(i int) *Use { return &l.list[i-l.dropped] }

// Refs adds references. procs has their processors; done and at have their ends in the processor's phase and
// in the interleaved order.
func (s *Queues) Refs(procs []trace.Proc, r *trace.Refs, done, at []unit.Instructions) {
	for i, addr := range r.Addr {
		op := r.Op[i]
		if !s.ops.Has(op) {
			continue
		}
		first, last := addr>>s.Shift, (addr+uint64(r.Size[i])-1)>>s.Shift
		for number := first; ; number++ {
			s.Procs[procs[i]].count++
			s.append(procs[i], Use{at: at[i], Done: done[i], Number: number, Store: op == trace.Store})
			if number == last {
				break
			}
		}
	}
}

// End says that the program of p ends.
func (s *Queues) End(p trace.Proc, at, done unit.Instructions) {
	s.append(p, Use{at: at, Done: done, ends: true})
}

// Event adds an event of p: a lock, a flag, a fork, a join, or an event that resumes others. waited is the waiting time
// before it in the interleaved order.
func (s *Queues) Event(p trace.Proc, e *trace.Event, at, done, waited unit.Instructions) {
	l := &s.Procs[p]
	l.lockWait, l.LockArrival = l.lockWait+waited, never
	kept := *e
	s.append(p, Use{at: at, Done: done, event: &kept})
}

func (s *Queues) append(p trace.Proc, u Use) {
	l := &s.Procs[p]
	s.now = u.at
	u.at = s.time(l, u.at)
	l.list = append(l.list, u)
	s.unseen = append(s.unseen, p)
}

// time converts a time of the interleaved order to that of an order without waits and misses.
func (s *Queues) time(l *useQueue, at unit.Instructions) unit.Instructions {
	return (at-l.lockWait)*s.Instr + l.count*s.Hit
}

// DropProcessed drops the uses that all orders have processed, if these are most of the uses.
func (s *Queues) DropProcessed(orders []*Delayed) {
	s.unseen = s.unseen[:0]
	for p := range s.Procs {
		l := &s.Procs[p]
		if 2*len(l.list) < cap(l.list) {
			continue
		}
		least := l.end()
		for _, d := range orders {
			least = min(least, d.queues[p].next)
		}
		if over := least - l.dropped; 2*over >= len(l.list) {
			l.list = slices.Delete(l.list, 0, over)
			l.dropped = least
		}
	}
}

// EndPhase starts the next phase.
func (s *Queues) EndPhase() {
	for p := range s.Procs {
		s.Procs[p].count, s.Procs[p].lockWait = 0, 0
	}
}
