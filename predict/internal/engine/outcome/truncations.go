package outcome

import (
	"fmt"

	"spoor/predict/internal/engine/program"
)

// Truncations counts receives whose message was larger than their capacity, which MPI calls a truncation error. They
// are simulated with all bytes. A receive of 0 bytes has unlimited capacity.
type Truncations struct {
	Receives uint64
	// The first one in the program of the lowest rank that has any.
	Rank, From, Tag, Group int32
	Room, Bytes            int64
	Number                 uint32
}

// String returns "on rank 1: 10 bytes for a message of 20 from rank 0 with tag 3".
func (s *Truncations) String() string {
	text := fmt.Sprintf("on rank %d: %d bytes for a message of %d from rank %d with tag %d", s.Rank, s.Room, s.Bytes, s.From, s.Tag)
	if s.Group != program.None {
		text += fmt.Sprintf(" in group %d", s.Group)
	}
	return text
}

// Add adds those of another worker.
func (s *Truncations) Add(o *Truncations) {
	n := s.Receives + o.Receives
	if o.Receives > 0 && (s.Receives == 0 || o.Rank < s.Rank || o.Rank == s.Rank && int32(o.Number-s.Number) < 0) {
		*s = *o
	}
	s.Receives = n
}
