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
		op.Message = n.look(r, op.Request)
	case trace.Clock:
		op.Clock = time.Since(n.start)
	case trace.Barrier:
		n.meet(r)
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

// copyUnlocked is the bytes from which a message is copied while the inbox is not
// locked. Only its sender could overtake it meanwhile.
const copyUnlocked = 1 << 12

// send gives m to the receive that waits for it, straight from the sender's
// memory to the receiver's, or leaves a copy.
func (n *native) send(m *Message) {
	to := &n.sleeper[m.To]
	large := m.Bytes() >= copyUnlocked
	to.lock(n.polls)
	q := to.inbox.match(m)
	if q == nil {
		to.pause(large)
		m = m.keepIn(to.copy(large))
		if to.proceed(large, n.polls); large {
			q = to.inbox.match(m) // it may have been posted meanwhile
		}
	}
	if q == nil {
		to.arrivals++
		m.at = to.arrivals
		to.inbox.add(m)
		n.unlock(to, to.probe != nil && to.probe.Takes(m))
		return
	}
	to.pause(large)
	q.Deliver(m)
	to.proceed(large, n.polls)
	q.there.Store(true)
	n.unlock(to, q.awaited)
}

func (s *sleeper) pause(unlock bool) {
	if unlock {
		s.mu.Unlock()
	}
}

func (s *sleeper) proceed(lock, polls bool) {
	if lock {
		s.lock(polls)
	}
}

// mostSpare is how many copies of messages a rank keeps for those that come.
const mostSpare = 64

// copy is where a message is copied to that nobody waits for: what was received before, so that its memory is known to
// both processors and nothing is allocated while the inbox is locked. Large messages have memory of their own.
func (s *sleeper) copy(large bool) *Message {
	if large || len(s.spare) == 0 { // of a large one the inbox is not locked
		return new(Message)
	}
	last := len(s.spare) - 1
	m := s.spare[last]
	s.spare = s.spare[:last]
	return m
}

// reuse keeps the copy that this rank has received before, while its inbox is locked.
func (s *sleeper) reuse() {
	if m := s.spent; m != nil && len(s.spare) < mostSpare && cap(m.room) <= copyUnlocked {
		s.spare = append(s.spare, m)
	}
	s.spent = nil
}

// lockPolls is how often a rank tries to get at an inbox before it sleeps: for longer than what others do with one.
// Two ranks that send to each other come to the inbox of one of them at the same time, and a sync.Mutex has who comes
// second pause for some microseconds, far longer than what it waits for.
const lockPolls = 1 << 10

// lock enters the inbox of a rank.
func (s *sleeper) lock(polls bool) {
	for i := 0; polls && i < lockPolls; i++ {
		if s.mu.TryLock() {
			return
		}
	}
	s.mu.Lock()
}

// unlock leaves the inbox of a rank, and wakes it if it sleeps and may go on.
func (n *native) unlock(s *sleeper, goOn bool) {
	wake := goOn && s.asleep
	if wake {
		s.asleep = false
	}
	s.mu.Unlock()
	if wake {
		n.wakeAll([]int{s.rank.id})
	}
}

// receive takes the message for q if it is there, and otherwise posts q and reports
// false; a rank that is to wait then sleeps at once.
func (n *native) receive(r *Rank, q *Request, wait bool) bool {
	s := &n.sleeper[r.id]
	s.lock(n.polls)
	s.reuse()
	if m := s.inbox.find(q, forever); m != nil {
		s.inbox.remove(m)
		s.mu.Unlock()
		q.Deliver(m)
		q.there.Store(true)
		s.spent = m
		return true
	}
	s.inbox.post(q)
	q.awaited, s.asleep = wait, wait
	s.mu.Unlock()
	return false
}

// complete reports whether a request has completed natively: sends always have.
func (q *Request) complete() bool { return q.Kind == trace.Isend || q.there.Load() }

// await sleeps until one of qs has completed, and returns its index.
func (n *native) await(r *Rank, qs []*Request) int {
	if len(qs) == 1 && qs[0].complete() {
		return 0
	}
	s := &n.sleeper[r.id]
	s.lock(n.polls)
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
		s.lock(n.polls)
	}
}

// testsToYield is after how many tests and probes that found nothing a rank lets others run, if it has a processor of its own.
const testsToYield = 1 << 10

// yield lets others run after a test or probe that found nothing: a program that polls must not keep the core from whom
// it waits for.
func (n *native) yield(s *sleeper) {
	if s.vain++; !n.polls || s.vain%testsToYield == 0 {
		runtime.Gosched()
	}
}

// test reports whether the request has completed.
func (n *native) test(r *Rank, q *Request) bool {
	done := q.complete()
	if !done {
		n.yield(&n.sleeper[r.id])
	}
	return done
}

// probe sleeps until there is a message for q.
func (n *native) probe(r *Rank, q *Request) *Message {
	s := &n.sleeper[r.id]
	for {
		s.lock(n.polls)
		m := s.inbox.find(q, forever)
		if s.asleep, s.probe = false, nil; m == nil {
			s.asleep, s.probe = true, q
		}
		s.mu.Unlock()
		if m != nil {
			return m
		}
		n.sleep(r)
	}
}

// look returns the message for q that is there, and otherwise lets others run.
func (n *native) look(r *Rank, q *Request) *Message {
	s := &n.sleeper[r.id]
	s.lock(n.polls)
	m := s.inbox.find(q, forever)
	s.mu.Unlock()
	if m == nil {
		n.yield(s)
	}
	return m
}

// meet waits at the barrier for all ranks; the last one to come wakes the others.
// Meanwhile those that are awake may come to the next barrier: the k-th to come
// overwrites the k-th of the list, which has been woken, because k ranks have.
func (n *native) meet(r *Rank) {
	b := &n.barrier
	b.Lock()
	if len(b.arrived) < len(n.sleeper)-1 {
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
	ok := l.acquire(r.id)
	l.mu.Unlock()
	if !ok {
		n.sleep(r)
	}
}

func (n *native) release(id int32) {
	l := object[nativeLock](&n.locks, id)
	l.mu.Lock()
	next := l.release()
	l.mu.Unlock()
	if next != nobody {
		n.wakeAll([]int{next})
	}
}

func (n *native) signal(id int32) {
	f := object[nativeFlag](&n.flags, id)
	f.mu.Lock()
	released := f.signal()
	f.mu.Unlock()
	n.wakeAll(released)
}

func (n *native) waitFlag(r *Rank, id int32, count int) {
	f := object[nativeFlag](&n.flags, id)
	f.mu.Lock()
	ok := f.wait(r.id, count)
	f.mu.Unlock()
	if !ok {
		n.sleep(r)
	}
}

// object is the lock or flag called id, made at its first use.
func object[T any](table *sync.Map, id int32) *T {
	o, ok := table.Load(id)
	if !ok {
		o, _ = table.LoadOrStore(id, new(T))
	}
	return o.(*T)
}
