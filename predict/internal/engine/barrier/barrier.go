// Package barrier lets workers wait for each other.
package barrier

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A worker spins for spinTime at a barrier before it sleeps. This is a little longer than waking it up takes. So
// workers that have a processor each almost never sleep. After yieldTime, which is longer than most waits, a worker that
// spins also lets other goroutines run, such as those that decode a trace.
const (
	spinTime       = 200 * time.Microsecond
	yieldTime      = 4 * time.Microsecond
	maxSleepRounds = 15
)

// Barrier synchronizes workers. Early workers do work of others, if there is some, and spin for some time. Then they sleep,
// because the host may have no free processor for the others.
type Barrier struct {
	missing    atomic.Int32 // workers that have not come
	generation atomic.Uint64
	waiters    []barrierWaiter
	spins      bool // there is a processor for each worker
	running    sync.WaitGroup

	// Help does some work of another worker, and reports whether there was any; or nil.
	Help func(worker int) bool
}

// barrierWaiter is the state of a worker at a barrier.
type barrierWaiter struct {
	asleep          atomic.Bool
	wake            chan struct{}
	sleepRounds     int // barriers at which it does not spin
	nextSleepRounds int // sleepRounds after its next unsuccessful spin
	_               [64]byte
}

// New returns a barrier of so many workers.
func New(workers int) *Barrier {
	m := &Barrier{waiters: make([]barrierWaiter, workers), spins: workers <= runtime.GOMAXPROCS(0)}
	m.missing.Store(int32(workers))
	m.running.Add(workers)
	for i := range m.waiters {
		m.waiters[i].wake = make(chan struct{}, 1)
	}
	return m
}

// Wait returns when all workers have come. What they wrote before it, all see after it.
func (m *Barrier) Wait(worker int) {
	number := m.generation.Load()
	if m.missing.Add(-1) == 0 {
		m.missing.Store(int32(len(m.waiters)))
		m.generation.Add(1)
		m.Rouse()
		return
	}
	s := &m.waiters[worker]
	if m.spin(worker, number) {
		return
	}
	for m.generation.Load() == number { // the worker that woke up the previous barrier may still be waking others
		if m.Help != nil && m.Help(worker) {
			continue
		}
		s.asleep.Store(true)
		if m.generation.Load() == number || !s.asleep.CompareAndSwap(true, false) {
			<-s.wake
		}
	}
}

// Rouse wakes workers that sleep at the barrier, so that they look for work of others.
func (m *Barrier) Rouse() {
	for i := range m.waiters {
		m.waiters[i].rouse()
	}
}

// rouse wakes a worker if it sleeps.
func (s *barrierWaiter) rouse() {
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}

// Leave removes a worker for good. Close waits until all have left.
func (m *Barrier) Leave() { m.running.Done() }
func (m *Barrier) Close() { m.running.Wait() }

// spin reports whether all others come in time. After an unsuccessful spin, a worker does not spin at the next
// barriers: first one, then three, up to maxSleepRounds. On a host with other load, this leaves the processor to the
// workers that have not come.
func (m *Barrier) spin(worker int, number uint64) bool {
	s := &m.waiters[worker]
	if !m.spins {
		return false
	}
	if s.sleepRounds > 0 {
		s.sleepRounds--
		return false
	}
	for began := time.Now(); ; {
		waited := time.Since(began)
		if waited > spinTime {
			break
		}
		switch {
		case m.Help != nil && m.Help(worker):
			began = time.Now()
		case waited > yieldTime:
			runtime.Gosched()
		}
		for range 256 {
			if m.generation.Load() != number {
				s.nextSleepRounds = 0
				return true
			}
		}
	}
	s.sleepRounds, s.nextSleepRounds = s.nextSleepRounds, min(2*s.nextSleepRounds+1, maxSleepRounds)
	return false
}
