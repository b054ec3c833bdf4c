package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A worker looks for patience whether all others are there before it sleeps: a little longer than it takes to wake it up, so that of
// workers which have a processor each, next to none sleeps.
const (
	spinTime       = 200 * time.Microsecond
	maxSleepRounds = 15
)

// meeting is where workers wait for each other. Those that come first look for some time whether all
// are there; then they sleep, as the host may have no processor for the others otherwise.
type barrier struct {
	missing    atomic.Int32 // who has not come
	generation atomic.Uint64
	waiters    []barrierWaiter
	spins      bool // there is a processor for each
	running    sync.WaitGroup
}

// seat is a worker's.
type barrierWaiter struct {
	asleep          atomic.Bool
	wake            chan struct{}
	sleepRounds     int // meetings at which it does not look
	nextSleepRounds int // rests after the next look that is in vain
	_               [64]byte
}

func newBarrier(workers int) *barrier {
	m := &barrier{waiters: make([]barrierWaiter, workers), spins: workers <= runtime.GOMAXPROCS(0)}
	m.missing.Store(int32(workers))
	m.running.Add(workers)
	for i := range m.waiters {
		m.waiters[i].wake = make(chan struct{}, 1)
	}
	return m
}

// wait returns when all workers have come. What they did before, all see after.
func (m *barrier) wait(worker int) {
	number := m.generation.Load()
	if m.missing.Add(-1) == 0 {
		m.missing.Store(int32(len(m.waiters)))
		m.generation.Add(1)
		for i := range m.waiters {
			if m.waiters[i].asleep.CompareAndSwap(true, false) {
				m.waiters[i].wake <- struct{}{}
			}
		}
		return
	}
	s := &m.waiters[worker]
	if m.spin(s, number) {
		return
	}
	for m.generation.Load() == number { // who woke the others up before may still be about it
		s.asleep.Store(true)
		if m.generation.Load() == number || !s.asleep.CompareAndSwap(true, false) {
			<-s.wake
		}
	}
}

// leave is for good; close waits until all have left.
func (m *barrier) leave() { m.running.Done() }
func (m *barrier) close() { m.running.Wait() }

// look is whether all others come in time. Who looks in vain again does not at the next meeting, then not at the next three, and so on up to mostRests:
// on a host that others use too, the processor is theirs who are waited for.
func (m *barrier) spin(s *barrierWaiter, number uint64) bool {
	if !m.spins {
		return false
	}
	if s.sleepRounds > 0 {
		s.sleepRounds--
		return false
	}
	for began := time.Now(); time.Since(began) < spinTime; {
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
