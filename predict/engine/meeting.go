package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// meeting is where workers wait for each other. Those that come first look for some time whether all
// are there, which is shorter than falling asleep; then they sleep, as the host may have no
// processor for the others otherwise.
type meeting struct {
	away   atomic.Int32 // who has not come
	number atomic.Uint64
	seats  []seat
	spins  int
	gone   sync.WaitGroup
}

// seat is a worker's.
type seat struct {
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte
}

func newMeeting(workers int) *meeting {
	m := &meeting{seats: make([]seat, workers), spins: spins(workers)}
	m.away.Store(int32(workers))
	m.gone.Add(workers)
	for i := range m.seats {
		m.seats[i].wake = make(chan struct{}, 1)
	}
	return m
}

// wait returns when all workers have come. What they did before, all see after.
func (m *meeting) wait(worker int) {
	number := m.number.Load()
	if m.away.Add(-1) == 0 {
		m.away.Store(int32(len(m.seats)))
		m.number.Add(1)
		for i := range m.seats {
			if m.seats[i].asleep.CompareAndSwap(true, false) {
				m.seats[i].wake <- struct{}{}
			}
		}
		return
	}
	for i := range m.spins {
		if m.number.Load() != number {
			return
		}
		if i%1024 == 1023 {
			runtime.Gosched()
		}
	}
	s := &m.seats[worker]
	for m.number.Load() == number { // who woke the others up before may still be about it
		s.asleep.Store(true)
		if m.number.Load() == number || !s.asleep.CompareAndSwap(true, false) {
			<-s.wake
		}
	}
}

// leave is for good; close waits until all have left.
func (m *meeting) leave() { m.gone.Done() }
func (m *meeting) close() { m.gone.Wait() }

// spins is how often a worker looks whether all others are there before it sleeps: for some 20 us.
func spins(workers int) int {
	if workers > runtime.GOMAXPROCS(0) {
		return 0
	}
	return 1 << 14
}
