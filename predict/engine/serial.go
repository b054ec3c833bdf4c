package engine

import (
	"sync"

	"spoor/traces/unit"
)

// serial has several workers call what is not theirs one after the other.
type lockedObserver struct {
	sync.Mutex
	Observer
}

// serially is opt for several workers.
func withLocks(opt Options) Options {
	s := &lockedObserver{Observer: opt.Observer}
	if opt.Observer != nil {
		opt.Observer = s
	}
	if steps := opt.Steps; steps != nil {
		opt.Steps = func(rank int32, op *Op) ([]Step, error) {
			s.Lock()
			defer s.Unlock()
			return steps(rank, op)
		}
	}
	return opt
}

// Began passes on.
func (s *lockedObserver) Began(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Began(rank, row, at)
	s.Unlock()
}

// Ended passes on.
func (s *lockedObserver) Ended(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Ended(rank, row, at)
	s.Unlock()
}

// Matched passes on.
func (s *lockedObserver) Matched(rank int32, row int64, from, tag, group int32) {
	s.Lock()
	s.Observer.Matched(rank, row, from, tag, group)
	s.Unlock()
}

// Waited passes on.
func (s *lockedObserver) Waited(rank int32, why Cause) {
	s.Lock()
	s.Observer.Waited(rank, why)
	s.Unlock()
}

// Span passes on.
func (s *lockedObserver) Span(rank int32, what Part, from, to unit.Picos) {
	s.Lock()
	s.Observer.Span(rank, what, from, to)
	s.Unlock()
}

// Message passes on.
func (s *lockedObserver) Message(from, to int32, op *ReceivedMessage) {
	s.Lock()
	s.Observer.Message(from, to, op)
	s.Unlock()
}
