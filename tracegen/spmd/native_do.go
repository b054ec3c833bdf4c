package spmd

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"spoor/traces/trace"
)

// Do implements Backend.
func (n *native) Do(r *Rank, op *Op) {
	if n.stopped.Load() {
		panic(Stopped{})
	}
	switch op.Kind {
	case trace.Send, trace.Isend:
		n.send(op.Message)
	case trace.Recv:
		if !n.receive(r, op.Request, true) {
			n.sleep(r)
		}
	case trace.Irecv:
		n.receive(r, op.Request, false)
	case trace.Wait:
		op.Index = n.await(r, op.Requests)
	case trace.Test:
		op.Done = n.test(r, op.Request)
	case trace.Probe:
		op.Message = n.probe(r, op.Request)
	case trace.Iprobe:
		op.Message = n.iprobe(r, op.Request)
	case trace.Clock:
		op.Clock = time.Since(n.start)
	case trace.Barrier:
		n.atBarrier(r)
	case trace.Lock:
		n.acquire(r, op.Object)
	case trace.Unlock:
		n.release(op.Object)
	case trace.Signal:
		n.signal(op.Object)
	case trace.WaitFlag:
		n.waitFlag(r, op.Object, op.Count)
	default:
		panic(fmt.Sprintf("no such operation: %s", op.Kind))
	}
}

// copyUnlocked is the size in bytes from which a message is copied without the lock of the inbox. Only its own
// sender could send a message that overtakes it, and that sender is copying.
const copyUnlocked = 1 << 12

// send copies m directly into the memory of a matching receive, or leaves a copy in the inbox.
func (n *native) send(m *Message) {
	to := &n.states[m.To]
	large := m.Bytes() >= copyUnlocked
	to.lock(n.mayPoll)
	q := to.inbox.match(m)
	if q == nil {
		to.unlockIf(large)
		m = m.keepIn(to.newCopy(large))
		if to.lockIf(large, n.mayPoll); large {
			q = to.inbox.match(m) // a receive may have been posted in the meantime
		}
	}
	if q == nil {
		to.arrivals++
		m.at = to.arrivals
		to.inbox.add(m)
		n.unlock(to, to.probing != nil && to.probing.Takes(m))
		return
	}
	to.unlockIf(large)
	q.Deliver(m)
	to.lockIf(large, n.mayPoll)
	q.arrived.Store(true)
	n.unlock(to, q.awaited)
}

func (s *rankState) unlockIf(unlock bool) {
	if unlock {
		s.mu.Unlock()
	}
}

func (s *rankState) lockIf(lock, polls bool) {
	if lock {
		s.lock(polls)
	}
}

// maxFree is the maximum number of message copies that a rank keeps for reuse.
const maxFree = 64

// newCopy returns a Message for the copy of an unexpected message. It reuses a received one if it can: both
// processors have used its memory, and nothing is allocated while the inbox is locked. Large messages get new
// memory.
func (s *rankState) newCopy(large bool) *Message {
	if large || len(s.free) == 0 { // the inbox is not locked for a large one
		return new(Message)
	}
	last := len(s.free) - 1
	m := s.free[last]
	s.free = s.free[:last]
	return m
}

// recycle makes the last received copy free. The caller holds the lock of the inbox.
func (s *rankState) recycle() {
	if m := s.received; m != nil && len(s.free) < maxFree && cap(m.room) <= copyUnlocked {
		s.free = append(s.free, m)
	}
	s.received = nil
}

// lockPolls is how often a rank tries to lock an inbox before it sleeps. This takes longer than others hold the
// lock. Two ranks that send to each other often lock the same inbox at the same time. A sync.Mutex then pauses the
// second rank for some microseconds, far longer than the lock is held.
const lockPolls = 1 << 10

// lock locks the inbox of a rank.
func (s *rankState) lock(polls bool) {
	for i := 0; polls && i < lockPolls; i++ {
		if s.mu.TryLock() {
			return
		}
	}
	s.mu.Lock()
}

// unlock unlocks the inbox of a rank, and wakes the rank if it sleeps and goOn is set.
func (n *native) unlock(s *rankState, goOn bool) {
	wake := goOn && s.asleep
	if wake {
		s.asleep = false
	}
	s.mu.Unlock()
	if wake {
		n.wakeAll([]int{s.rank.id})
	}
}

// receive delivers the message for q if it has arrived. Otherwise it posts q and reports false. If wait is set, the
// caller then sleeps at once.
func (n *native) receive(r *Rank, q *Request, wait bool) bool {
	s := &n.states[r.id]
	s.lock(n.mayPoll)
	s.recycle()
	if m := s.inbox.find(q, forever); m != nil {
		s.inbox.remove(m)
		s.mu.Unlock()
		q.Deliver(m)
		q.arrived.Store(true)
		s.received = m
		return true
	}
	s.inbox.post(q)
	q.awaited, s.asleep = wait, wait
	s.mu.Unlock()
	return false
}

// complete reports whether a request has completed natively. A send always has.
func (q *Request) complete() bool { return q.Kind == trace.Isend || q.arrived.Load() }

// await sleeps until one of qs has completed, and returns its index.
func (n *native) await(r *Rank, qs []*Request) int {
	if len(qs) == 1 && qs[0].complete() {
		return 0
	}
	s := &n.states[r.id]
	s.lock(n.mayPoll)
	for {
		done := slices.IndexFunc(qs, (*Request).complete)
		for _, q := range qs {
			q.awaited = done < 0
		}
		s.asleep = done < 0
		s.mu.Unlock()
		if done >= 0 {
			return done
		}
		n.sleep(r)
		s.lock(n.mayPoll)
	}
}

// testsToYield is the number of failed tests and probes after which a rank with a processor of its own yields.
const testsToYield = 1 << 10

// yieldAfterPoll yields after a test or probe that found nothing. A program that polls must not block the core of
// the rank that it waits for.
func (n *native) yieldAfterPoll(s *rankState) {
	if s.failedPolls++; !n.mayPoll || s.failedPolls%testsToYield == 0 {
		runtime.Gosched()
	}
}

// test reports whether the request has completed.
func (n *native) test(r *Rank, q *Request) bool {
	done := q.complete()
	if !done {
		n.yieldAfterPoll(&n.states[r.id])
	}
	return done
}

// probe sleeps until there is a message for q.
func (n *native) probe(r *Rank, q *Request) *Message {
	s := &n.states[r.id]
	for {
		s.lock(n.mayPoll)
		m := s.inbox.find(q, forever)
		if s.asleep, s.probing = false, nil; m == nil {
			s.asleep, s.probing = true, q
		}
		s.mu.Unlock()
		if m != nil {
			return m
		}
		n.sleep(r)
	}
}

// iprobe returns the message for q that has arrived, or yields and returns nil.
func (n *native) iprobe(r *Rank, q *Request) *Message {
	s := &n.states[r.id]
	s.lock(n.mayPoll)
	m := s.inbox.find(q, forever)
	s.mu.Unlock()
	if m == nil {
		n.yieldAfterPoll(s)
	}
	return m
}

// atBarrier waits at the barrier for all ranks; the last one to arrive wakes the others. Woken ranks may arrive at
// the next barrier before all are woken. The k-th of them overwrites the k-th entry of the list, which has already
// been woken, because k ranks have been.
func (n *native) atBarrier(r *Rank) {
	b := &n.barrier
	b.Lock()
	if len(b.arrived) < len(n.states)-1 {
		b.arrived = append(b.arrived, r.id)
		b.Unlock()
		n.sleep(r)
		return
	}
	released := b.arrived
	b.arrived = released[:0]
	b.Unlock()
	n.wakeAll(released)
}

func (n *native) acquire(r *Rank, id int32) {
	l := object[nativeLock](&n.locks, id)
	l.mu.Lock()
	ok := l.Acquire(r.id)
	l.mu.Unlock()
	if !ok {
		n.sleep(r)
	}
}

func (n *native) release(id int32) {
	l := object[nativeLock](&n.locks, id)
	l.mu.Lock()
	next := l.Release()
	l.mu.Unlock()
	if next != nobody {
		n.wakeAll([]int{next})
	}
}

func (n *native) signal(id int32) {
	f := object[nativeFlag](&n.flags, id)
	f.mu.Lock()
	released := f.Signal()
	f.mu.Unlock()
	n.wakeAll(released)
}

func (n *native) waitFlag(r *Rank, id int32, count int) {
	f := object[nativeFlag](&n.flags, id)
	f.mu.Lock()
	ok := f.Wait(r.id, count)
	f.mu.Unlock()
	if !ok {
		n.sleep(r)
	}
}

// object returns the lock or flag with number id, made at its first use.
func object[T any](table *sync.Map, id int32) *T {
	o, ok := table.Load(id)
	if !ok {
		o, _ = table.LoadOrStore(id, new(T))
	}
	return o.(*T)
}
