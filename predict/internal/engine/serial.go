package engine

import (
	"sync"

	"spoor/traces/unit"
)

// lockedObserver lets several workers call an Observer one after the other.
type lockedObserver struct {
	sync.Mutex
	Observer
}

// withLocks returns opt with an Observer and Steps that several workers may call.
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

// Began forwards to the Observer.
func (s *lockedObserver) Began(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Began(rank, row, at)
	s.Unlock()
}

// Ended forwards to the Observer.
func (s *lockedObserver) Ended(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Ended(rank, row, at)
	s.Unlock()
}

// Matched forwards to the Observer.
func (s *lockedObserver) Matched(rank int32, row int64, from, tag, group int32) {
	s.Lock()
	s.Observer.Matched(rank, row, from, tag, group)
	s.Unlock()
}

// Waited forwards to the Observer.
func (s *lockedObserver) Waited(rank int32, why Cause) {
	s.Lock()
	s.Observer.Waited(rank, why)
	s.Unlock()
}

// Span forwards to the Observer.
func (s *lockedObserver) Span(rank int32, what Part, from, to unit.Picos) {
	s.Lock()
	s.Observer.Span(rank, what, from, to)
	s.Unlock()
}

// Message forwards to the Observer.
func (s *lockedObserver) Message(from, to int32, op *ReceivedMessage) {
	s.Lock()
	s.Observer.Message(from, to, op)
	s.Unlock()
}
