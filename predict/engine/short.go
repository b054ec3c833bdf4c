package engine

import "fmt"

// Short is receives that got more bytes than they had room for, which MPI calls an error (truncation). They are simulated with all bytes. A
// receive of no bytes has room for whatever comes.
type Truncations struct {
	Receives uint64
	// The first one in the program of the lowest rank that has any.
	Rank, From, Tag, Group int32
	Room, Bytes            int64
	number                 uint32
}

// String is "on rank 1: 10 bytes for a message of 20 from rank 0 with tag 3".
func (s *Truncations) String() string {
	text := fmt.Sprintf("on rank %d: %d bytes for a message of %d from rank %d with tag %d", s.Rank, s.Room, s.Bytes, s.From, s.Tag)
	if s.Group != None {
		text += fmt.Sprintf(" in group %d", s.Group)
	}
	return text
}

// add adds those of another worker.
func (s *Truncations) add(o *Truncations) {
	n := s.Receives + o.Receives
	if o.Receives > 0 && (s.Receives == 0 || o.Rank < s.Rank || o.Rank == s.Rank && int32(o.number-s.number) < 0) {
		*s = *o
	}
	s.Receives = n
}

// tooShort notes that a message came to a receive that has less room. Marks of programs that run along are no room.
func (r *rank) noteTruncation(p *pendingOp, m *packet) {
	if r.e.direct == nil {
		r.e.truncations.add(&Truncations{Receives: 1, Rank: r.id, From: m.from, Tag: m.tag, Group: m.group, Room: p.bytes, Bytes: m.bytes, number: p.order})
	}
}
