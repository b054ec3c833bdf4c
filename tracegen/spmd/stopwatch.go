package spmd

import (
	"context"
	"math"
	"runtime"
	"time"

	"spoor/tracegen/spmd/internal/space"
	"spoor/traces/trace"
)

// Computed runs program like Timed and returns the total time that its ranks computed, that is, the time outside
// operations. If the operating system handles messages, this is the user time of a process [dickens1996, sec. 5.2].
//
// Operations that no network model charges for count as computing: looking for a message that has not arrived, and
// reading the clock. Posting a receive does not count as computing, because o_r is the processor's whole cost of a
// received message. The costs of calling an operation and of reading the clock around it are subtracted. These
// costs delay messages; to time a whole run, use Timed.
func Computed(ctx context.Context, procs int, program Program) (time.Duration, error) {
	if err := CheckProcs(procs); err != nil {
		return 0, err
	}
	perLap, perReading := stopwatchCosts()
	runtime.GC()
	s := newStopwatch(&native{pinned: true}, procs)
	err := s.Run(ctx, newRanks(procs, s.timed(program), space.New(), s))
	return s.computed(perLap, perReading), err
}

// stopwatch is a backend that measures the time between the operations of another backend.
type stopwatch struct {
	Backend
	now  func() time.Duration
	laps []laps // by rank
}

// laps is the computing time of one rank.
type laps struct {
	computed  time.Duration // until its last operation
	start     time.Duration // end of its last operation
	count     int           // operations that end a lap
	uncharged int           // other operations: each reads the clock twice within a lap
	_         [32]byte      // keeps the laps of two ranks on different cache lines
}

func newStopwatch(b Backend, procs int) *stopwatch {
	start := time.Now()
	return &stopwatch{Backend: b, now: func() time.Duration { return time.Since(start) }, laps: make([]laps, procs)}
}

// timed returns program with the stopwatch started before it and stopped after it.
func (s *stopwatch) timed(program Program) Program {
	return func(r *Rank) error {
		l := &s.laps[r.id]
		l.start = s.now()
		err := program(r)
		l.computed += s.now() - l.start
		return err
	}
}

// Do implements Backend.
func (s *stopwatch) Do(r *Rank, op *Op) {
	l, begin := &s.laps[r.id], s.now()
	s.Backend.Do(r, op)
	end := s.now()
	if !charged(op) {
		l.uncharged++
		return
	}
	l.computed += begin - l.start
	l.count++
	l.start = end
}

// charged reports whether network models charge for an operation that has been carried out.
func charged(op *Op) bool {
	switch op.Kind {
	case trace.Test:
		return op.Done
	case trace.Iprobe:
		return op.Message != nil
	case trace.Clock:
		return false
	}
	return true
}

// computed returns the computing time of all ranks. perLap is the measuring overhead of a lap and perReading that
// of a clock reading, in nanoseconds.
func (s *stopwatch) computed(perLap, perReading float64) time.Duration {
	sum := 0.0
	for i := range s.laps {
		l := &s.laps[i]
		sum += max(0, float64(l.computed)-float64(l.count)*perLap-2*float64(l.uncharged)*perReading)
	}
	return time.Duration(sum)
}

// stopwatchCosts measures perLap and perReading with messages of one word to a null backend. It returns the least
// of several runs.
func stopwatchCosts() (perLap, perReading float64) {
	const runs, n = 16, 128
	perLap, perReading = math.Inf(1), math.Inf(1)
	word := make([]float64, 1)
	for range runs {
		s := newStopwatch(nullBackend{}, 1)
		_ = s.timed(func(r *Rank) error {
			for range n {
				Send(r, 0, 0, word)
				Recv(r, 0, 0, word)
			}
			return nil
		})(newRanks(1, nil, space.New(), s)[0])
		start := s.now()
		for range n {
			s.now()
		}
		perLap, perReading = min(perLap, float64(s.laps[0].computed)/(2*n)), min(perReading, float64(s.now()-start)/n)
	}
	return perLap, perReading
}

// nullBackend is a backend that does nothing.
type nullBackend struct{}

func (nullBackend) Run(context.Context, []*Rank) error { return nil }
func (nullBackend) Do(*Rank, *Op)                      {}

// Stamp is a reading of the clock whose value is needed later, or never. In a simulation, a rank that only stores
// the time need not wait until that time has been simulated.
type Stamp struct {
	at    time.Duration
	wait  func() // returns when the backend has called Set; or nil
	known bool
}

// Stamp reads the clock.
func (r *Rank) Stamp() *Stamp {
	s := new(Stamp)
	r.do(Op{Kind: trace.Clock, Stamp: s})
	if s.wait == nil {
		s.Set(r.op.Clock)
	}
	return s
}

// Time returns the value of the clock.
func (s *Stamp) Time() time.Duration {
	if !s.known {
		s.wait()
	}
	return s.at
}

// Set sets the value of the clock. It is for backends.
func (s *Stamp) Set(at time.Duration) { s.at, s.known = at, true }

// Defer is for backends that call Set later. The function wait must return after Set has been called.
func (s *Stamp) Defer(wait func()) { s.wait = wait }
