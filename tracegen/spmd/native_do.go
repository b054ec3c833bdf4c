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
	to.mu.Lock()
	q := to.inbox.match(m)
	if q == nil {
		to.pause(large)
		m = m.Keep()
		if to.proceed(large); large {
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
	to.proceed(large)
	q.done = true
	n.unlock(to, q.awaited)
}

func (s *sleeper) pause(unlock bool) {
	if unlock {
		s.mu.Unlock()
	}
}

func (s *sleeper) proceed(lock bool) {
	if lock {
		s.mu.Lock()
	}
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
	s.mu.Lock()
	if m := s.inbox.find(q, forever); m != nil {
		s.inbox.remove(m)
		s.mu.Unlock()
		q.Deliver(m)
		q.done = true
		return true
	}
	s.inbox.post(q)
	q.awaited, s.asleep = wait, wait
	s.mu.Unlock()
	return false
}

// await sleeps until one of qs has completed, and returns its index.
func (n *native) await(r *Rank, qs []*Request) int {
	s := &n.sleeper[r.id]
	s.mu.Lock()
	for {
		done := slices.IndexFunc(qs, func(q *Request) bool { return q.done })
		for _, q := range qs {
			q.awaited = done < 0
		}
		s.asleep = done < 0
		s.mu.Unlock()
		if done >= 0 {
			return done
		}
		n.sleep(r)
		s.mu.Lock()
	}
}

// test lets others run if the request has not completed: a program that polls
// must not keep the core from whom it waits for.
func (n *native) test(r *Rank, q *Request) bool {
	s := &n.sleeper[r.id]
	s.mu.Lock()
	done := q.done
	s.mu.Unlock()
	if !done {
		runtime.Gosched()
	}
	return done
}

// probe sleeps until there is a message for q.
func (n *native) probe(r *Rank, q *Request) *Message {
	s := &n.sleeper[r.id]
	for {
		s.mu.Lock()
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
	s.mu.Lock()
	m := s.inbox.find(q, forever)
	s.mu.Unlock()
	if m == nil {
		runtime.Gosched()
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
