package observe

import (
	"sync"

	"spoor/traces/unit"
)

// Locked lets several workers call an Observer one after the other.
type Locked struct {
	sync.Mutex
	Observer
}

// Began forwards to the Observer.
func (s *Locked) Began(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Began(rank, row, at)
	s.Unlock()
}

// Ended forwards to the Observer.
func (s *Locked) Ended(rank int32, row int64, at unit.Picos) {
	s.Lock()
	s.Observer.Ended(rank, row, at)
	s.Unlock()
}

// Matched forwards to the Observer.
func (s *Locked) Matched(rank int32, row int64, from, tag, group int32) {
	s.Lock()
	s.Observer.Matched(rank, row, from, tag, group)
	s.Unlock()
}

// Waited forwards to the Observer.
func (s *Locked) Waited(rank int32, why Cause) {
	s.Lock()
	s.Observer.Waited(rank, why)
	s.Unlock()
}

// Span forwards to the Observer.
func (s *Locked) Span(rank int32, what Part, from, to unit.Picos) {
	s.Lock()
	s.Observer.Span(rank, what, from, to)
	s.Unlock()
}

// Message forwards to the Observer.
func (s *Locked) Message(from, to int32, op *ReceivedMessage) {
	s.Lock()
	s.Observer.Message(from, to, op)
	s.Unlock()
}
