package phases

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// useQueues holds the uses of blocks by processors, each in its order, until all orders have processed them.
// All orders share the queues, because memory would otherwise limit the length of an order.
type useQueues struct {
	shift  uint
	ops    trace.OpSet // of references that are uses
	procs  []useQueue
	unseen []trace.Proc      // processors of uses that the orders have not seen, in the interleaved order
	now    unit.Instructions // no later use ends before this time, without delays
}

// use is one load or store of a block, or an event at which others may wait.
type use struct {
	at     unit.Instructions // time in the interleaved order, including the time of the uses before it
	done   unit.Instructions // position in its processor's phase
	number uint64            // number of the block or line
	event  *trace.Event      // instead of a load or store, see [synchronization]
	store  bool
}

// useQueue holds the uses of one processor that not all orders have processed yet.
type useQueue struct {
	list        []use
	dropped     int               // number of uses before list
	count       unit.Instructions // uses in the phase, each of which takes as long as an instruction
	lockWait    unit.Instructions // waiting time for locks in the interleaved order
	lockArrival unit.Instructions // arrival at a lock for which it waits, in the interleaved order; otherwise never
}

func newUseQueues(procs int, ops trace.OpSet, shift uint) *useQueues {
	u := &useQueues{shift: shift, ops: ops, procs: make([]useQueue, procs)}
	for p := range u.procs {
		u.procs[p].lockArrival = never
	}
	return u
}

// end returns the number of uses so far.
func (l *useQueue) end() int { return l.dropped + len(l.list) }

// use returns the use with an index.
func (l *useQueue) use(i int) *use { return &l.list[i-l.dropped] }

// refs adds references. procs has their processors; done and at have their ends in the processor's phase and
// in the interleaved order.
func (s *useQueues) refs(procs []trace.Proc, r *trace.Refs, done, at []unit.Instructions) {
	for i, addr := range r.Addr {
		op := r.Op[i]
		if !s.ops.Has(op) {
			continue
		}
		first, last := addr>>s.shift, (addr+uint64(r.Size[i])-1)>>s.shift
		for number := first; ; number++ {
			s.procs[procs[i]].count++
			s.append(procs[i], use{at: at[i], done: done[i], number: number, store: op == trace.Store})
			if number == last {
				break
			}
		}
	}
}

// event adds an event of p: a lock, a flag, or an event that resumes others. waited is the waiting time
// before it in the interleaved order.
func (s *useQueues) event(p trace.Proc, e *trace.Event, at, done, waited unit.Instructions) {
	l := &s.procs[p]
	l.lockWait, l.lockArrival = l.lockWait+waited, never
	kept := *e
	s.append(p, use{at: at, done: done, event: &kept})
}

func (s *useQueues) append(p trace.Proc, u use) {
	l := &s.procs[p]
	s.now = u.at
	u.at += l.count - l.lockWait
	l.list = append(l.list, u)
	s.unseen = append(s.unseen, p)
}

// dropProcessed drops the uses that all orders have processed, if these are most of the uses.
func (s *useQueues) dropProcessed(orders []*delayedOrder) {
	s.unseen = s.unseen[:0]
	for p := range s.procs {
		l := &s.procs[p]
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

// endPhase starts the next phase.
func (s *useQueues) endPhase() {
	for p := range s.procs {
		s.procs[p].count, s.procs[p].lockWait = 0, 0
	}
}
