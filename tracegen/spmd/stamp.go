package spmd

import (
	"time"

	"spoor/traces/trace"
)

// Stamp is a reading of the clock whose value is asked for later, or never. Under a simulator a rank
// that only notes when something happened need not wait until that time has been simulated.
type Stamp struct {
	at    time.Duration
	wait  func() // until the backend has called Set; or nil
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

// Time is what the clock was.
func (s *Stamp) Time() time.Duration {
	if !s.known {
		s.wait()
	}
	return s.at
}

// Set is for backends: it says what the clock was.
func (s *Stamp) Set(at time.Duration) { s.at, s.known = at, true }

// Defer is for backends that call Set later: wait returns when that has been done.
func (s *Stamp) Defer(wait func()) { s.wait = wait }
