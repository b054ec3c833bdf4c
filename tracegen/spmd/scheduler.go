package spmd

import (
	"context"
	"sync/atomic"

	"spoor/tracegen/spmd/internal/lock"
	"spoor/traces/heap"
)

// scheduler is the backend of Record: an ideal machine.
//
// A switch between ranks costs more than most operations. So a rank runs ahead of ranks with lower clocks, as long
// as they cannot affect it. Where they can, it waits for its turn.
type scheduler struct {
	ctx     context.Context
	ended   atomic.Bool // ctx has ended
	ranks   []*rankTask
	queue   heap.Heap[uint64, class, uint32, uint64] // of turns of ranks that can run
	arrived []int                                    // ranks at the barrier, in the order of arrival
	locks   map[int32]*lock.Lock
	flags   map[int32]*clockedFlag
}

func newScheduler() *scheduler {
	return &scheduler{locks: map[int32]*lock.Lock{}, flags: map[int32]*clockedFlag{}}
}

// rankTask is a rank of the scheduler.
type rankTask struct {
	*Coroutine
	waited  uint64 // clock minus executed instructions
	next    turn   // its turn in the queue, if its serial number is turns
	turns   uint64 // turns added or removed so far
	inbox   inbox
	awaits  []*Request // the rank waits for one of these ...
	one     [1]*Request
	probing *Request // ... or for a message that this accepts ...
	class   class    // ... and its turn then has this class
	poll    poll
}

// turn is the time at which a rank can run: by clock, class and rank. The value is its serial number.
type turn = heap.Item[uint64, class, uint32, uint64]

// class orders operations at the same clock, so that the order does not depend on which rank runs ahead.
type class uint8

const (
	acting    class = iota // needs no turn
	locking                // asks for a lock
	observing              // depends on what other ranks have done
)

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
		t := s.queue.Pop()
		p := s.ranks[t.Turn]
		if t.Value != p.turns {
			continue // replaced by an earlier turn
		}
		p.turns++
		p.waitUntil(t.Key)
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

// turn returns a turn at the clock of p or at, whichever is later.
func (p *rankTask) turn(at uint64, c class) turn {
	return turn{Key: max(at, p.clock()), Tie: c, Turn: uint32(p.Rank.id), Value: p.turns}
}

// ready queues a rank to run at its clock or at, whichever is later.
func (s *scheduler) ready(p *rankTask, at uint64, class class) {
	p.turns++
	p.next = p.turn(at, class)
	s.queue.Push(p.next)
}

// readyEarlier is ready for a rank that may already have a turn. The earlier turn is kept.
func (s *scheduler) readyEarlier(p *rankTask, at uint64, class class) {
	if t := p.turn(at, class); p.next.Value == p.turns && !t.Before(&p.next) {
		return
	}
	s.ready(p, at, class)
}

// takeTurn lets ranks with an earlier turn run first.
func (s *scheduler) takeTurn(p *rankTask, class class) {
	if now := p.turn(0, class); len(s.queue) > 0 && s.queue[0].Before(&now) {
		s.ready(p, 0, class)
		p.Pause()
	}
}
