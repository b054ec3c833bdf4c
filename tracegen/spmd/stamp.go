package spmd

import (
	"time"

	"spoor/traces/trace"
)

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
