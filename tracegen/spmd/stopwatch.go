package spmd

import (
	"context"
	"math"
	"runtime"
	"time"

	"spoor/traces/trace"
)

// Computed runs program as Timed does, and says how long its ranks computed, all together: the time that they did not
// spend in operations, which is what the user time of a process is where messages belong to the operating system
// [dickens1996, sec. 5.2]. What no model of a network charges for counts as computing: to ask for a message that is not
// there, and for the time. To post a receive does not, as o_r is all that a processor does about a message that it gets.
// What it takes to call an operation and to read the clock before and after is taken off; but as that delays messages, a
// run that is to be timed as a whole is one of Timed.
func Computed(ctx context.Context, procs int, program Program) (time.Duration, error) {
	if err := CheckProcs(procs); err != nil {
		return 0, err
	}
	perLap, perReading := stopwatchCosts()
	runtime.GC()
	s := newStopwatch(&native{bound: true}, procs)
	err := s.Run(ctx, newRanks(procs, s.of(program), newSpace(), s))
	return s.computed(perLap, perReading), err
}

// stopwatch is a backend that measures what ranks do between the operations of another.
type stopwatch struct {
	Backend
	now  func() time.Duration
	laps []laps // by rank
}

// laps is what one rank has computed.
type laps struct {
	computed time.Duration // up to its last operation
	since    time.Duration // when that ended
	count    int           // operations that end a lap
	free     int           // ... and that do not: the clock was read twice for each, within a lap
	_        [32]byte      // to the next rank's
}

func newStopwatch(b Backend, procs int) *stopwatch {
	start := time.Now()
	return &stopwatch{Backend: b, now: func() time.Duration { return time.Since(start) }, laps: make([]laps, procs)}
}

// of is program with the watch started before and stopped after.
func (s *stopwatch) of(program Program) Program {
	return func(r *Rank) error {
		l := &s.laps[r.id]
		l.since = s.now()
		err := program(r)
		l.computed += s.now() - l.since
		return err
	}
}

// Do implements Backend.
func (s *stopwatch) Do(r *Rank, op *Op) {
	l, begin := &s.laps[r.id], s.now()
	s.Backend.Do(r, op)
	end := s.now()
	if !charged(op) {
		l.free++
		return
	}
	l.computed += begin - l.since
	l.count++
	l.since = end
}

// charged reports whether an operation that has been carried out was about a message or others, as models of networks see it.
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

// computed is the time of all ranks, if a lap has so many nanoseconds more than the program takes, and each reading of the
// clock takes so many.
func (s *stopwatch) computed(perLap, perReading float64) time.Duration {
	sum := 0.0
	for i := range s.laps {
		l := &s.laps[i]
		sum += max(0, float64(l.computed)-float64(l.count)*perLap-2*float64(l.free)*perReading)
	}
	return time.Duration(sum)
}

// stopwatchCosts are those nanoseconds, for messages of a word, which a backend drops; the least of several runs.
func stopwatchCosts() (perLap, perReading float64) {
	const runs, n = 16, 128
	perLap, perReading = math.Inf(1), math.Inf(1)
	word := make([]float64, 1)
	for range runs {
		s := newStopwatch(dropping{}, 1)
		_ = s.of(func(r *Rank) error {
			for range n {
				Send(r, 0, 0, word)
				Recv(r, 0, 0, word)
			}
			return nil
		})(newRanks(1, nil, newSpace(), s)[0])
		start := s.now()
		for range n {
			s.now()
		}
		perLap, perReading = min(perLap, float64(s.laps[0].computed)/(2*n)), min(perReading, float64(s.now()-start)/n)
	}
	return perLap, perReading
}

// dropping is a backend that does nothing.
type dropping struct{}

func (dropping) Run(context.Context, []*Rank) error { return nil }
func (dropping) Do(*Rank, *Op)                      {}
