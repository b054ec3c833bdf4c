package spmd

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"

	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// Rule says how Record decides the order between ranks; it belongs into the
// header of the trace.
const Rule = "one rank at a time, until a barrier, a lock or its end; then the one with the fewest instructions, waits included, ties by rank"

// Options chooses what is recorded.
type Options struct {
	Procs    int
	NoRefs   bool // events and instruction counts only
	Unplaced bool // references outside of placed arrays, too
}

// Recording is what Record says of the whole run.
type Recording struct {
	Totals  []trace.Totals // by rank
	Regions []Region       // in the order of their first use
}

// Record runs program on opt.Procs ranks and writes what they do to sink. Ranks
// are coroutines: the recording depends on the program alone.
//
// Every rank has a clock, the instructions it executed. The rank with the lowest
// clock runs (ties: the lowest rank) until it comes to a barrier or a lock. A
// barrier sets all clocks to the highest; a lock goes to the ranks in the order
// of their clocks when they ask for it, and one that has waited continues from
// the clock of the rank that gave it back.
//
// Events count instructions since the rank's previous event; the last event of
// every rank is a Compute that carries what remained.
func Record(ctx context.Context, opt Options, program Program, sink Sink) (*Recording, error) {
	if err := CheckProcs(opt.Procs); err != nil {
		return nil, err
	}
	s := &scheduler{locks: map[int32]*lock{}, flags: map[int32]*flag{}}
	space := newRecordedSpace(opt.Procs)
	ranks := newRanks(opt.Procs, program, space, s)
	for _, r := range ranks {
		r.rec = newRecorder(r.id, opt, space)
		r.rec.sink, r.rec.ctx, r.rec.fail = sink, ctx, s.fail
	}
	if err := s.Run(ctx, ranks); err != nil {
		return nil, err
	}
	out := &Recording{Regions: space.regions}
	for _, r := range ranks {
		out.Totals = append(out.Totals, r.rec.totals())
	}
	return out, nil
}

// Run implements Backend.
func (s *scheduler) Run(ctx context.Context, ranks []*Rank) error {
	for _, r := range ranks {
		c := &coroutine{rank: r}
		c.resume, c.stop = iter.Pull(func(yield func(struct{}) bool) {
			c.yield = yield
			r.rec.tape.Bind()
			c.err = s.finish(c, r.Main())
		})
		defer c.stop()
		s.ranks = append(s.ranks, c)
		s.ready(r.id)
	}
	return s.run()
}

// coroutine is a rank while recording.
type coroutine struct {
	rank   *Rank
	waited uint64 // by which its clock is ahead of its instructions
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	err    error
	held   []int32 // locks
	ended  bool
}

func (c *coroutine) clock() uint64 { return c.rank.rec.executed() + c.waited }

// waitUntil moves the clock to at, if that is ahead.
func (c *coroutine) waitUntil(at uint64) { c.waited += max(at, c.clock()) - c.clock() }

// scheduler is the backend of coroutines.
type scheduler struct {
	ranks   []*coroutine
	queue   queue // ranks that can run
	arrived []int // ranks at the barrier, in the order they came
	locks   map[int32]*lock
	flags   map[int32]*flag
	cause   error // of the sink or the context
}

func (s *scheduler) ready(rank int) {
	heap.Push(&s.queue, turn{s.ranks[rank].clock(), rank})
}

// run gives turns until no rank can run.
func (s *scheduler) run() error {
	for len(s.queue) > 0 {
		c := s.ranks[heap.Pop(&s.queue).(turn).rank]
		tape.Switch(c.rank.rec.tape)
		c.resume()
		tape.Switch(nil)
		if s.cause != nil {
			return s.cause
		}
		if c.err != nil {
			return c.err
		}
	}
	return s.deadlock()
}

// fail ends the recording from inside a rank.
func (s *scheduler) fail(err error) {
	s.cause = err
	panic(Stopped{})
}

// finish closes the record of a rank whose program has returned err.
func (s *scheduler) finish(c *coroutine, err error) error {
	if err != nil {
		return err
	}
	if err := c.rank.loose(c.held); err != nil {
		return err
	}
	c.ended = true
	return call(c.rank, func(r *Rank) error {
		r.rec.finish()
		return nil
	})
}

// pause lets others run until this rank's turn comes.
func (s *scheduler) pause(c *coroutine) {
	c.rank.rec.sync()
	if !c.yield(struct{}{}) {
		panic(Stopped{})
	}
}

// takeTurn lets those ranks run first whose clock is lower.
func (s *scheduler) takeTurn(c *coroutine) {
	if len(s.queue) == 0 || (turn{c.clock(), c.rank.id}).compare(s.queue[0]) < 0 {
		return
	}
	s.ready(c.rank.id)
	s.pause(c)
}

// Do implements Backend.
func (s *scheduler) Do(r *Rank, op *Op) {
	c := s.ranks[r.id]
	switch op.Kind {
	case trace.Barrier:
		s.barrier(c)
	case trace.Lock:
		s.lock(c, op.Object)
	case trace.Unlock:
		s.unlock(c, op.Object)
	default:
		panic(fmt.Sprintf("no such operation: %s", op.Kind))
	}
}

func (s *scheduler) barrier(c *coroutine) {
	c.rank.rec.event(trace.Barrier, barrierID)
	if s.arrived = append(s.arrived, c.rank.id); len(s.arrived) < len(s.ranks) {
		s.pause(c)
		return
	}
	var last uint64
	for _, id := range s.arrived {
		last = max(last, s.ranks[id].clock())
	}
	for _, id := range s.arrived {
		s.ranks[id].waitUntil(last)
		if id != c.rank.id {
			s.ready(id)
		}
	}
	s.arrived = s.arrived[:0]
	s.takeTurn(c)
}

func (s *scheduler) lock(c *coroutine, id int32) {
	s.takeTurn(c)
	c.rank.rec.event(trace.Lock, id)
	l := s.locks[id]
	if l == nil {
		l = new(lock)
		s.locks[id] = l
	}
	if !l.acquire(c.rank.id) {
		s.pause(c)
	}
	c.waitUntil(l.freeAt)
	c.held = append(c.held, id)
}

func (s *scheduler) unlock(c *coroutine, id int32) {
	c.rank.rec.event(trace.Unlock, id)
	l := s.locks[id]
	if l == nil {
		panic(notHeld(id))
	}
	next, ok := l.release(c.rank.id)
	if !ok {
		panic(notHeld(id))
	}
	c.held = remove(c.held, id)
	l.freeAt = c.clock()
	if next != nobody {
		s.ranks[next].waitUntil(l.freeAt)
		s.ready(next)
	}
}

// deadlock describes ranks that wait with nobody left to free them, if there are any.
func (s *scheduler) deadlock() error {
	d := deadlock{
		ended:  func(rank int) bool { return s.ranks[rank].ended },
		holder: func(id int32) int { return s.locks[id].holder },
		flag:   func(id int32) int { return s.flags[id].signals },
	}
	stuck := false
	for _, c := range s.ranks {
		d.ranks = append(d.ranks, c.rank)
		stuck = stuck || !c.ended
	}
	if !stuck {
		return nil
	}
	return d.err()
}

// turn is a rank that can run, with its clock.
type turn struct {
	clock uint64
	rank  int
}

func (t turn) compare(u turn) int {
	return cmp.Or(cmp.Compare(t.clock, u.clock), cmp.Compare(t.rank, u.rank))
}

// queue is a heap of turns, the next one first.
type queue []turn

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].compare(q[j]) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(t any)        { *q = append(*q, t.(turn)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
