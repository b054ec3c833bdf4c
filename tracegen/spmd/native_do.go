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
		n.receive(r, op.Request, true)
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

// send gives m to the receive that waits for it, straight from the sender's
// memory to the receiver's, or leaves a copy. Only the sender itself could
// overtake m while it is copied, so that the inbox need not be locked.
func (n *native) send(m *Message) {
	to := &n.sleeper[m.To]
	to.mu.Lock()
	q := to.inbox.match(m)
	if q == nil {
		to.mu.Unlock()
		m = m.Keep()
		to.mu.Lock()
		if q = to.inbox.match(m); q == nil {
			to.arrivals++
			m.at = to.arrivals
			to.inbox.add(m)
			wake := to.asleep && to.probe != nil && to.probe.Takes(m)
			n.unlock(to, wake)
			return
		}
	}
	to.mu.Unlock()
	q.Deliver(m)
	to.mu.Lock()
	q.done = true
	n.unlock(to, to.asleep && q.awaited)
}

// unlock leaves the inbox of a rank, and wakes it.
func (n *native) unlock(s *sleeper, wake bool) {
	if wake {
		s.asleep = false
	}
	s.mu.Unlock()
	if wake {
		n.wake(s.rank.id)
	}
}

// receive takes the message for q if it is there, and posts q if not; then it
// sleeps until the message comes, if it is to wait.
func (n *native) receive(r *Rank, q *Request, wait bool) {
	s := &n.sleeper[r.id]
	s.mu.Lock()
	if m := s.inbox.find(q, forever); m != nil {
		s.inbox.remove(m)
		s.mu.Unlock()
		q.Deliver(m)
		q.done = true
		return
	}
	s.inbox.post(q)
	q.awaited, s.asleep = wait, wait
	s.mu.Unlock()
	if wait {
		n.sleep(r)
	}
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
		s.asleep, s.probe = m == nil, q
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
	b.arrived = make([]int, 0, len(released))
	b.Unlock()
	for _, rank := range released {
		n.wake(rank)
	}
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
		n.wake(next)
	}
}

func (n *native) signal(id int32) {
	f := object[nativeFlag](&n.flags, id)
	f.mu.Lock()
	released := f.signal()
	f.mu.Unlock()
	for _, rank := range released {
		n.wake(rank)
	}
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
