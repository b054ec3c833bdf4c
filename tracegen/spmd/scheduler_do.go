package spmd

import (
	"fmt"
	"slices"
	"time"

	"spoor/tracegen/spmd/internal/lock"
	"spoor/traces/trace"
)

// Do implements Backend.
func (s *scheduler) Do(r *Rank, op *Op) {
	if s.ended.Load() {
		r.rec.fail(s.ctx.Err())
	}
	p := s.ranks[r.id]
	switch op.Kind {
	case trace.Send, trace.Isend:
		s.send(p, op)
	case trace.Recv:
		s.receive(p, op.Request)
		p.one[0] = op.Request
		s.await(p, p.one[:])
	case trace.Irecv:
		s.receive(p, op.Request)
	case trace.Wait:
		op.Index = s.await(p, op.Requests)
	case trace.Test:
		op.Done = s.test(p, op.Request)
	case trace.Probe:
		op.Message = s.probe(p, op.Request)
	case trace.Iprobe:
		op.Message = s.iprobe(p, op.Request)
	case trace.Clock:
		op.Clock = s.readClock(p)
	case trace.Barrier:
		s.barrier(p)
	case trace.Lock:
		s.lock(p, op.Object)
	case trace.Unlock:
		s.unlock(p, op.Object)
	case trace.Signal:
		s.signal(p, op.Object)
	case trace.WaitFlag:
		s.waitFlag(p, op.Object, op.Count)
	default:
		panic(fmt.Sprintf("no such operation: %s", op.Kind))
	}
}

// readClock reads the clock. Reading takes one instruction, so a rank that polls for a time reaches it, and no two
// readings are equal.
func (s *scheduler) readClock(p *rankTask) time.Duration {
	s.takeTurn(p, observing)
	p.waited++
	return time.Duration(p.clock())
}

func (s *scheduler) barrier(p *rankTask) {
	s.arrived = append(s.arrived, p.Rank.id)
	if len(s.arrived) < len(s.ranks) {
		p.Pause()
		return
	}
	for _, id := range s.arrived {
		p.waitUntil(s.ranks[id].clock())
	}
	for _, id := range s.arrived {
		if id != p.Rank.id {
			s.ready(s.ranks[id], p.clock(), acting)
		}
	}
	s.arrived = s.arrived[:0]
	s.takeTurn(p, acting)
}

func (s *scheduler) lock(p *rankTask, id int32) {
	s.takeTurn(p, locking)
	l := s.locks[id]
	if l == nil {
		l = new(lock.Lock)
		s.locks[id] = l
	}
	if !l.Acquire(p.Rank.id) {
		p.Pause()
	}
	p.waitUntil(l.FreeAt)
}

func (s *scheduler) unlock(p *rankTask, id int32) {
	l := s.locks[id]
	l.FreeAt = p.clock()
	if next := l.Release(); next != nobody {
		s.ready(s.ranks[next], l.FreeAt, acting)
	}
}

// clockedFlag is a flag that stores the clocks of its signals, because ranks signal ahead of others.
type clockedFlag struct {
	signals []uint64 // in order
	waiting []lock.FlagWait
}

func (s *scheduler) flag(id int32) *clockedFlag {
	f := s.flags[id]
	if f == nil {
		f = new(clockedFlag)
		s.flags[id] = f
	}
	return f
}

func (s *scheduler) signal(p *rankTask, id int32) {
	f := s.flag(id)
	at, _ := slices.BinarySearch(f.signals, p.clock())
	f.signals = slices.Insert(f.signals, at, p.clock())
	for _, w := range f.waiting {
		if w.Count <= len(f.signals) {
			s.readyEarlier(s.ranks[w.Rank], f.signals[w.Count-1], observing)
		}
	}
}

// waitFlag continues at the clock of the signal that completes count. Earlier signals may still arrive while it
// waits for that clock.
func (s *scheduler) waitFlag(p *rankTask, id int32, count int) {
	s.takeTurn(p, observing)
	f := s.flag(id)
	for count > 0 && (len(f.signals) < count || f.signals[count-1] > p.clock()) {
		if count <= len(f.signals) {
			s.readyEarlier(p, f.signals[count-1], observing)
		}
		f.waiting = append(f.waiting, lock.FlagWait{Rank: p.Rank.id, Count: count})
		p.Pause()
		f.waiting = slices.DeleteFunc(f.waiting, func(w lock.FlagWait) bool { return w.Rank == p.Rank.id })
	}
}
