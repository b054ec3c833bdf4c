package spmd

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"spoor/traces/trace"
)

// QueueObjects is the first lock and the first flag that queues use: the n-th queue
// of a program, counted from 0, uses lock and flag QueueObjects+n. Programs leave
// the numbers from there on alone.
const QueueObjects = trace.TaskQueues

// Queue is a central task queue in shared memory: first in, first out, under one
// lock, as that of CHOLESKY in [sivasubramaniam1995, sec. 5]. A rank that finds it
// empty waits on a flag until another hands it a task, or until all ranks wait, when
// no more can come.
//
// Lock, unlock, signals, waits and the references to the shared memory are recorded
// as those of any program, each reference as one instruction; other instructions of
// the queue are not counted. Which rank gets which task is decided by the order in
// which they come to the lock.
type Queue[T any] struct {
	object  int32
	state   cells[int64]
	tasks   cells[T]     // a ring
	waiters cells[int32] // a ring of ranks, in the order in which they came
	hands   cells[T]     // by rank: the task that it is handed while it waits
	filled  cells[int32] // by rank: 1 if it is handed a task, 0 if there are no more
}

// The state of a queue.
const (
	firstTask   = iota // its place in the ring
	heldTasks          // how many there are
	firstWaiter        // likewise
	heldWaiters
	allWaits // how often a rank has waited, from the start
	stateWords
)

// NewQueue is the queue called name, which holds the initial tasks and has room for
// capacity. All ranks that use it make it with the same arguments, and get the same
// queue.
func NewQueue[T any](r *Rank, name string, capacity int, initial ...T) *Queue[T] {
	if capacity < len(initial) {
		panic(fmt.Sprintf("queue %q has room for %d tasks and gets %d to begin with", name, capacity, len(initial)))
	}
	made := r.space.once("number of queues", func() any { return new(atomic.Int32) }).(*atomic.Int32)
	q, ok := r.space.once("queue "+name, func() any {
		q := &Queue[T]{object: QueueObjects + made.Add(1) - 1, state: make(cells[int64], stateWords), tasks: make(cells[T], capacity),
			waiters: make(cells[int32], r.procs), hands: make(cells[T], r.procs), filled: make(cells[int32], r.procs)}
		q.state[heldTasks] = int64(copy(q.tasks, initial))
		return q
	}).(*Queue[T])
	if !ok || len(q.tasks) != capacity {
		panic(fmt.Sprintf("queue %q was made before with other tasks or another capacity", name))
	}
	Shared(r, name+".state", q.state)
	Shared(r, name+".tasks", q.tasks)
	Shared(r, name+".waiters", q.waiters)
	Shared(r, name+".hands", q.hands)
	Shared(r, name+".filled", q.filled)
	return q
}

// Put hands the task to the rank that has waited longest, or else adds it to the
// queue. It panics if that is full.
func (q *Queue[T]) Put(r *Rank, task T) {
	r.Lock(q.object)
	if q.state.load(r, heldWaiters) > 0 {
		q.wake(r, func(rank int) {
			q.hands.store(r, rank, task)
			q.filled.store(r, rank, 1)
		})
	} else if !q.append(r, task) {
		panic(fmt.Sprintf("the queue has room for no more than %d tasks", len(q.tasks)))
	}
	r.Unlock(q.object)
}

// Take gets the oldest task. While there is none it waits; false means that all ranks
// have come to wait. Then every one of them gets false, and the queue can be used
// again.
func (q *Queue[T]) Take(r *Rank) (task T, ok bool) {
	r.Lock(q.object)
	if task, ok = q.removeFirst(r); ok {
		r.Unlock(q.object)
		return task, true
	}
	waiting := int(q.state.load(r, heldWaiters))
	if waiting == r.procs-1 {
		for range waiting {
			q.wake(r, func(rank int) { q.filled.store(r, rank, 0) })
		}
		r.Unlock(q.object)
		return task, false
	}
	signals := q.wait(r)
	r.Unlock(q.object)
	r.WaitFlag(q.object, signals)
	if q.filled.load(r, r.id) == 0 {
		return task, false
	}
	return q.hands.load(r, r.id), true
}

// append adds a task to the ring, if there is room.
func (q *Queue[T]) append(r *Rank, task T) bool {
	n := q.state.load(r, heldTasks)
	if int(n) == len(q.tasks) {
		return false
	}
	first := q.state.load(r, firstTask)
	q.tasks.store(r, (int(first)+int(n))%len(q.tasks), task)
	q.state.store(r, heldTasks, n+1)
	return true
}

// removeFirst takes the oldest task out of the ring, if there is one.
func (q *Queue[T]) removeFirst(r *Rank) (task T, ok bool) {
	n := q.state.load(r, heldTasks)
	if n == 0 {
		return task, false
	}
	first := q.state.load(r, firstTask)
	task = q.tasks.load(r, int(first))
	q.state.store(r, firstTask, (first+1)%int64(len(q.tasks)))
	q.state.store(r, heldTasks, n-1)
	return task, true
}

// wait adds this rank to those that wait, and returns the signals at which its turn
// has come: those that wait are woken in order, by one signal each.
func (q *Queue[T]) wait(r *Rank) (signals int) {
	n, first := q.state.load(r, heldWaiters), q.state.load(r, firstWaiter)
	q.waiters.store(r, int(first+n)%r.procs, int32(r.id))
	q.state.store(r, heldWaiters, n+1)
	turn := q.state.load(r, allWaits) + 1
	q.state.store(r, allWaits, turn)
	return int(turn)
}

// wake gives something to the rank that has waited longest, and lets it go on.
func (q *Queue[T]) wake(r *Rank, give func(rank int)) {
	n, first := q.state.load(r, heldWaiters), q.state.load(r, firstWaiter)
	give(int(q.waiters.load(r, int(first))))
	q.state.store(r, firstWaiter, (first+1)%int64(r.procs))
	q.state.store(r, heldWaiters, n-1)
	r.Signal(q.object)
}

// cells is shared memory that this package itself uses. Its code is not
// instrumented, so that it says what it loads and stores.
type cells[T any] []T

func (m cells[T]) load(r *Rank, i int) T {
	r.touch(unsafe.Pointer(&m[i]), unsafe.Sizeof(m[i]), false)
	return m[i]
}

func (m cells[T]) store(r *Rank, i int, v T) {
	r.touch(unsafe.Pointer(&m[i]), unsafe.Sizeof(m[i]), true)
	m[i] = v
}

// touch records a reference, and its instruction.
func (r *Rank) touch(p unsafe.Pointer, bytes uintptr, store bool) {
	if r.rec != nil {
		r.rec.tape.Work(1)
		r.rec.tape.Range(p, bytes, store)
	}
}
