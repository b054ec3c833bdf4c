package store

import "sync"

// spares are batches without rows whose memory is used again: new memory must be cleared by the system, and a batch copies its
// rows while it grows. Several goroutines may use them.
type spares[B batch[B]] struct {
	lock sync.Mutex
	free []B
	rows int // for which they have memory
}

// take removes a batch.
func (s *spares[B]) take() (b B, found bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	n := len(s.free) - 1
	if n < 0 {
		return b, false
	}
	b = s.free[n]
	s.free = s.free[:n]
	s.rows -= b.capacity()
	return b, true
}

// keep empties and adds a batch, unless all have memory for more than most rows.
func (s *spares[B]) keep(b B, most int) {
	b.reset()
	s.lock.Lock()
	defer s.lock.Unlock()
	if rows := s.rows + b.capacity(); rows <= most {
		s.free, s.rows = append(s.free, b), rows
	}
}
