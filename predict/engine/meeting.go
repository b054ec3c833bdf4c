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
	patience  = 200 * time.Microsecond
	mostRests = 15
)

// meeting is where workers wait for each other. Those that come first look for some time whether all
// are there; then they sleep, as the host may have no processor for the others otherwise.
type meeting struct {
	away   atomic.Int32 // who has not come
	number atomic.Uint64
	seats  []seat
	spins  bool // there is a processor for each
	gone   sync.WaitGroup
}

// seat is a worker's.
type seat struct {
	asleep atomic.Bool
	wake   chan struct{}
	rests  int // meetings at which it does not look
	next   int // rests after the next look that is in vain
	_      [64]byte
}

func newMeeting(workers int) *meeting {
	m := &meeting{seats: make([]seat, workers), spins: workers <= runtime.GOMAXPROCS(0)}
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
	s := &m.seats[worker]
	if m.look(s, number) {
		return
	}
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

// look is whether all others come in time. Who looks in vain again does not at the next meeting, then not at the next three, and so on up to mostRests:
// on a host that others use too, the processor is theirs who are waited for.
func (m *meeting) look(s *seat, number uint64) bool {
	if !m.spins {
		return false
	}
	if s.rests > 0 {
		s.rests--
		return false
	}
	for began := time.Now(); time.Since(began) < patience; {
		for range 256 {
			if m.number.Load() != number {
				s.next = 0
				return true
			}
		}
	}
	s.rests, s.next = s.next, min(2*s.next+1, mostRests)
	return false
}
