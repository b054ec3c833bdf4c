package spmd

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"spoor/traces/trace"
)

// QueueObjects is the number of the first lock and the first flag that queues use. The n-th queue of a program,
// from 0, uses lock and flag QueueObjects+n. Programs must not use these numbers.
const QueueObjects = trace.TaskQueues

// Queue is a central task queue in shared memory: first in, first out, under one lock, like the queue of CHOLESKY
// in [sivasubramaniam1995, sec. 5]. A rank that finds the queue empty waits on a flag. It continues when another
// rank gives it a task, or when all ranks wait, because then no task can come.
//
// A recording has the lock, unlock, signals, waits and memory references of the queue. Each reference counts as one
// instruction; other instructions of the queue are not counted. The order in which ranks reach the lock determines
// which rank gets which task.
type Queue[T any] struct {
	object  int32
	state   cells[int64]
	tasks   cells[T]     // a ring
	waiters cells[int32] // a ring of ranks, in the order in which they came
	handed  cells[T]     // by rank: the task that it gets while it waits
	filled  cells[int32] // by rank: 1 if it gets a task, 0 if there are no more
}

// Words of the state of a queue.
const (
	firstTask   = iota // its position in the ring
	numTasks           // tasks in the ring
	firstWaiter        // its position in the ring of waiters
	numWaiters
	numWaits // how often ranks have waited since the start
	queueStateWords
)

// NewQueue returns the queue with the given name. It holds the initial tasks and has room for capacity tasks. All
// ranks that use the queue call NewQueue with the same arguments and get the same queue.
func NewQueue[T any](r *Rank, name string, capacity int, initial ...T) *Queue[T] {
	if capacity < len(initial) {
		panic(fmt.Sprintf("queue %q has room for %d tasks, but has %d initial tasks", name, capacity, len(initial)))
	}
	made := r.space.Once("number of queues", func() any { return new(atomic.Int32) }).(*atomic.Int32)
	q, ok := r.space.Once("queue "+name, func() any {
		q := &Queue[T]{object: QueueObjects + made.Add(1) - 1, state: make(cells[int64], queueStateWords), tasks: make(cells[T], capacity),
			waiters: make(cells[int32], r.procs), handed: make(cells[T], r.procs), filled: make(cells[int32], r.procs)}
		q.state[numTasks] = int64(copy(q.tasks, initial))
		return q
	}).(*Queue[T])
	if !ok || len(q.tasks) != capacity {
		panic(fmt.Sprintf("queue %q was made before with other tasks or another capacity", name))
	}
	Shared(r, name+".state", q.state)
	Shared(r, name+".tasks", q.tasks)
	Shared(r, name+".waiters", q.waiters)
	Shared(r, name+".hands", q.handed)
	Shared(r, name+".filled", q.filled)
	Locks(r, q.object, q.state[:1], 1)
	Flags(r, q.object, q.filled[r.id:r.id+1]) // each rank waits for its own word
	return q
}

// Put gives the task to the rank that has waited longest, or else adds it to the queue. It panics if the queue is
// full.
func (q *Queue[T]) Put(r *Rank, task T) {
	r.Lock(q.object)
	if q.state.load(r, numWaiters) > 0 {
		q.wake(r, func(rank int) {
			q.handed.store(r, rank, task)
			q.filled.store(r, rank, 1)
		})
	} else if !q.append(r, task) {
		panic(fmt.Sprintf("the queue is full: it has room for %d tasks", len(q.tasks)))
	}
	r.Unlock(q.object)
}

// Take returns the oldest task. It waits while there is none. It returns false when all ranks wait; then every rank
// gets false, and the queue can be used again.
func (q *Queue[T]) Take(r *Rank) (task T, ok bool) {
	r.Lock(q.object)
	if task, ok = q.removeFirst(r); ok {
		r.Unlock(q.object)
		return task, true
	}
	waiting := int(q.state.load(r, numWaiters))
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
	return q.handed.load(r, r.id), true
}

// append adds a task to the ring, if there is room.
func (q *Queue[T]) append(r *Rank, task T) bool {
	n := q.state.load(r, numTasks)
	if int(n) == len(q.tasks) {
		return false
	}
	first := q.state.load(r, firstTask)
	q.tasks.store(r, (int(first)+int(n))%len(q.tasks), task)
	q.state.store(r, numTasks, n+1)
	return true
}

// removeFirst removes the oldest task from the ring, if there is one.
func (q *Queue[T]) removeFirst(r *Rank) (task T, ok bool) {
	n := q.state.load(r, numTasks)
	if n == 0 {
		return task, false
	}
	first := q.state.load(r, firstTask)
	task = q.tasks.load(r, int(first))
	q.state.store(r, firstTask, (first+1)%int64(len(q.tasks)))
	q.state.store(r, numTasks, n-1)
	return task, true
}

// wait adds this rank to the waiters. It returns the number of signals after which the rank may continue: waiters
// are woken in order, each by one signal.
func (q *Queue[T]) wait(r *Rank) (signals int) {
	n, first := q.state.load(r, numWaiters), q.state.load(r, firstWaiter)
	q.waiters.store(r, int(first+n)%r.procs, int32(r.id))
	q.state.store(r, numWaiters, n+1)
	turn := q.state.load(r, numWaits) + 1
	q.state.store(r, numWaits, turn)
	return int(turn)
}

// wake calls give with the rank that has waited longest, and wakes that rank.
func (q *Queue[T]) wake(r *Rank, give func(rank int)) {
	n, first := q.state.load(r, numWaiters), q.state.load(r, firstWaiter)
	give(int(q.waiters.load(r, int(first))))
	q.state.store(r, firstWaiter, (first+1)%int64(r.procs))
	q.state.store(r, numWaiters, n-1)
	r.Signal(q.object)
}

// cells is shared memory that this package itself uses. The package is not instrumented, so cells records its
// references itself.
type cells[T any] []T

func (m cells[T]) load(r *Rank, i int) T {
	r.recordRef(unsafe.Pointer(&m[i]), unsafe.Sizeof(m[i]), false)
	return m[i]
}

func (m cells[T]) store(r *Rank, i int, v T) {
	r.recordRef(unsafe.Pointer(&m[i]), unsafe.Sizeof(m[i]), true)
	m[i] = v
}

// recordRef records a reference and its instruction.
func (r *Rank) recordRef(p unsafe.Pointer, bytes uintptr, store bool) {
	if r.rec != nil {
		r.rec.tape.Work(1)
		r.rec.tape.Range(p, bytes, store)
	}
}
