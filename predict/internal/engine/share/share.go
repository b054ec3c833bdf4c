// Package share lets workers that wait do tasks of other workers.
package share

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Pool has the tasks of some workers.
type Pool struct {
	queues []queue
	rouse  func()
}

// queue has the tasks of a worker. Its state is a number of the round, the number of tasks and how many of them are taken. So a
// worker that takes a task finds out whether it still belongs to the round that it saw.
type queue struct {
	state atomic.Uint64
	done  atomic.Int64
	do    func(by, task int)
	_     [64]byte // keeps queues off each other's cache lines
}

const (
	countBits = 20
	countMask = 1<<countBits - 1
	maxTasks  = countMask
)

// New returns a pool. rouse wakes workers that sleep, because there are tasks.
func New(workers int, rouse func()) *Pool {
	return &Pool{queues: make([]queue, workers), rouse: rouse}
}

// Do does tasks 0 to n-1 of a worker, and returns when all are done. Other workers may do some of them at the same time.
func (p *Pool) Do(worker, n int, do func(by, task int)) {
	for from := 0; from < n; from += maxTasks {
		p.some(worker, min(n-from, maxTasks), func(by, task int) { do(by, from+task) })
	}
}

// some does at most maxTasks tasks.
func (p *Pool) some(worker, n int, do func(by, task int)) {
	q := &p.queues[worker]
	q.do = do
	q.done.Store(0)
	round := q.state.Load()>>(2*countBits) + 1
	q.state.Store(round<<(2*countBits) | uint64(n)<<countBits)
	if n > 1 {
		p.rouse()
	}
	for q.take(worker) {
	}
	for began := time.Now(); q.done.Load() < int64(n); {
		switch {
		case p.Help(worker):
			began = time.Now()
		case time.Since(began) > 50*time.Microsecond:
			time.Sleep(20 * time.Microsecond)
		default:
			runtime.Gosched()
		}
	}
}

// Help does a task of another worker. It reports whether there was one.
func (p *Pool) Help(worker int) bool {
	for i := 1; i < len(p.queues); i++ {
		if p.queues[(worker+i)%len(p.queues)].take(worker) {
			return true
		}
	}
	return false
}

// take does the next task. It reports false if all are taken.
func (q *queue) take(by int) bool {
	for {
		state := q.state.Load()
		task := state & countMask
		if task >= state>>countBits&countMask {
			return false
		}
		if q.state.CompareAndSwap(state, state+1) {
			q.do(by, int(task))
			q.done.Add(1)
			return true
		}
	}
}
