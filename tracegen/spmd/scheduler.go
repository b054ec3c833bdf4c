package spmd

import (
	"cmp"
	"context"
	"sync/atomic"
)

// scheduler is the backend of Record: an ideal machine.
//
// A switch between ranks costs more than most operations. So a rank runs ahead of ranks with lower clocks, as long
// as they cannot affect it. Where they can, it waits for its turn.
type scheduler struct {
	ctx     context.Context
	ended   atomic.Bool // ctx has ended
	ranks   []*rankTask
	queue   []turn // a heap of ranks that can run, the next one first
	arrived []int  // ranks at the barrier, in the order of arrival
	locks   map[int32]*lock
	flags   map[int32]*clockedFlag
}

func newScheduler() *scheduler {
	return &scheduler{locks: map[int32]*lock{}, flags: map[int32]*clockedFlag{}}
}

// rankTask is a rank of the scheduler.
type rankTask struct {
	*Coroutine
	waited  uint64 // clock minus executed instructions
	next    turn   // its turn in the queue, if the serial is turns
	turns   uint64 // turns added or removed so far
	inbox   inbox
	awaits  []*Request // the rank waits for one of these ...
	one     [1]*Request
	probing *Request // ... or for a message that this accepts ...
	class   class    // ... and its turn then has this class
	poll    poll
}

// turn is the time at which a rank can run.
type turn struct {
	clock  uint64
	class  class
	rank   int
	serial uint64
}

// class orders operations at the same clock, so that the order does not depend on which rank runs ahead.
type class uint8

const (
	acting    class = iota // needs no turn
	locking                // asks for a lock
	observing              // depends on what other ranks have done
)

func (t turn) compare(u turn) int {
	return cmp.Or(cmp.Compare(t.clock, u.clock), cmp.Compare(t.class, u.class), cmp.Compare(t.rank, u.rank))
}

// Run implements Backend.
func (s *scheduler) Run(ctx context.Context, ranks []*Rank) error {
	s.ctx = ctx
	defer context.AfterFunc(ctx, func() { s.ended.Store(true) })()
	for _, r := range ranks {
		p := &rankTask{Coroutine: NewCoroutine(r)}
		defer p.Stop()
		s.ranks = append(s.ranks, p)
		s.ready(p, 0, acting)
	}
	for len(s.queue) > 0 {
		t := s.pop()
		p := s.ranks[t.rank]
		if t.serial != p.turns {
			continue // replaced by an earlier turn
		}
		p.turns++
		p.waitUntil(t.clock)
		p.Resume()
		if p.Err != nil {
			return p.Err
		}
	}
	if err := Deadlock(ranks); err != nil {
		return err
	}
	for id, p := range s.ranks {
		if err := p.inbox.checkReceived(id); err != nil {
			return err
		}
	}
	return nil
}

func (p *rankTask) clock() uint64 { return p.Rank.Executed() + p.waited }

// waitUntil advances the clock to at, if at is later.
func (p *rankTask) waitUntil(at uint64) { p.waited += max(at, p.clock()) - p.clock() }

// ready queues a rank to run at its clock or at, whichever is later.
func (s *scheduler) ready(p *rankTask, at uint64, class class) {
	p.turns++
	p.next = turn{max(at, p.clock()), class, p.Rank.id, p.turns}
	s.push(p.next)
}

// readyEarlier is ready for a rank that may already have a turn. The earlier turn is kept.
func (s *scheduler) readyEarlier(p *rankTask, at uint64, class class) {
	if p.next.serial == p.turns && p.next.compare(turn{max(at, p.clock()), class, p.Rank.id, 0}) <= 0 {
		return
	}
	s.ready(p, at, class)
}

// takeTurn lets ranks with an earlier turn run first.
func (s *scheduler) takeTurn(p *rankTask, class class) {
	now := turn{clock: p.clock(), class: class, rank: p.Rank.id}
	if len(s.queue) > 0 && now.compare(s.queue[0]) > 0 {
		s.ready(p, now.clock, class)
		p.Pause()
	}
}

func (s *scheduler) push(t turn) {
	q := append(s.queue, t)
	i := len(q) - 1
	for i > 0 && t.compare(q[(i-1)/2]) < 0 {
		q[i], i = q[(i-1)/2], (i-1)/2
	}
	q[i] = t
	s.queue = q
}

func (s *scheduler) pop() turn {
	q := s.queue
	first, t := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	s.queue = q
	if len(q) == 0 {
		return first
	}
	i := 0
	for 2*i+1 < len(q) {
		child := 2*i + 1
		if child+1 < len(q) && q[child+1].compare(q[child]) < 0 {
			child++
		}
		if t.compare(q[child]) <= 0 {
			break
		}
		q[i], i = q[child], child
	}
	q[i] = t
	return first
}
