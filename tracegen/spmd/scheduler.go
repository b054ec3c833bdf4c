package spmd

import (
	"cmp"
	"context"
	"sync/atomic"
)

// scheduler is the backend of Record: an ideal machine.
//
// A rank runs ahead of ranks whose clocks are lower as long as they cannot make a
// difference, because a switch costs more than most operations. Where they can, it
// takes its turn.
type scheduler struct {
	ctx     context.Context
	ended   atomic.Bool // ctx has
	ranks   []*player
	queue   []turn // a heap of ranks that can run, the next one first
	arrived []int  // ranks at the barrier, in the order they came
	locks   map[int32]*lock
	flags   map[int32]*clockedFlag
}

func newScheduler() *scheduler {
	return &scheduler{locks: map[int32]*lock{}, flags: map[int32]*clockedFlag{}}
}

// player is a rank of the scheduler.
type player struct {
	*Coroutine
	waited uint64 // by which its clock is ahead of its instructions
	next   turn   // in the queue, if it has that serial
	turns  uint64 // given or withdrawn so far
	inbox  inbox
	waits  []*Request // one of which it waits for
	one    [1]*Request
	probe  *Request // or a message for which
	class  class    // and its turn is then of this class
	poll   poll
}

// turn is when a rank can run.
type turn struct {
	clock  uint64
	class  class
	rank   int
	serial uint64
}

// class orders what happens at the same clock, so that it does not depend on who
// runs ahead of whom.
type class uint8

const (
	acting    class = iota // whatever needs no turn
	locking                // asks for a lock
	observing              // depends on what others have done
)

func (t turn) compare(u turn) int {
	return cmp.Or(cmp.Compare(t.clock, u.clock), cmp.Compare(t.class, u.class), cmp.Compare(t.rank, u.rank))
}

// Run implements Backend.
func (s *scheduler) Run(ctx context.Context, ranks []*Rank) error {
	s.ctx = ctx
	defer context.AfterFunc(ctx, func() { s.ended.Store(true) })()
	for _, r := range ranks {
		p := &player{Coroutine: NewCoroutine(r)}
		defer p.Stop()
		s.ranks = append(s.ranks, p)
		s.ready(p, 0, acting)
	}
	for len(s.queue) > 0 {
		t := s.pop()
		p := s.ranks[t.rank]
		if t.serial != p.turns {
			continue // it was given an earlier one
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
		if err := p.inbox.leftover(id); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) clock() uint64 { return p.Rank.Executed() + p.waited }

// waitUntil moves the clock to at, if that is ahead.
func (p *player) waitUntil(at uint64) { p.waited += max(at, p.clock()) - p.clock() }

// ready lets a rank run when its clock or at has come, whichever is later.
func (s *scheduler) ready(p *player, at uint64, class class) {
	p.turns++
	p.next = turn{max(at, p.clock()), class, p.Rank.id, p.turns}
	s.push(p.next)
}

// sooner is ready for a rank that may have a turn already: the earlier one counts.
func (s *scheduler) sooner(p *player, at uint64, class class) {
	if p.next.serial == p.turns && p.next.compare(turn{max(at, p.clock()), class, p.Rank.id, 0}) <= 0 {
		return
	}
	s.ready(p, at, class)
}

// takeTurn lets those ranks run first whose turn is earlier.
func (s *scheduler) takeTurn(p *player, class class) {
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
