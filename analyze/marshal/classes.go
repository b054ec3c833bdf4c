package marshal

import (
	"errors"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// maxClasses is the maximum number of classes of one processor. If every message has its own
// layout, later messages are added up by kind.
const maxClasses = 1 << 16

// unknown stands for an unknown property of a layout.
const unknown = -1

// class identifies messages of equal layout. In the remainder of a kind, everything is unknown.
type class struct {
	kind                 trace.Kind
	bytes                int64
	count, block, stride int64 // 1, bytes and 0 without a layout
	offset               int64 // of the address in the longest line, or unknown
}

// tally counts the messages of a class.
type tally struct {
	messages, bytes uint64
	placed          uint64    // messages whose address is known
	measured        uint64    // placed messages whose use of lines is known
	sizes           []lineSum // by line size
}

// lineSum counts lines of one size.
type lineSum struct {
	packed   uint64  // if each message were contiguous from the beginning of a line
	expected float64 // mean over all addresses
	touched  uint64  // MLT, of the placed messages
	used     uint64  // of the measured messages
}

// linesOf returns the lines of one message that do not depend on references.
func (m *message) linesOf(line unit.Bytes) (s lineSum, err error) {
	s.packed = (uint64(m.class.bytes) + uint64(line) - 1) / uint64(line)
	if s.expected, err = m.buffer.expected(line); err == nil && m.placed {
		s.touched, err = m.buffer.Lines(line)
	}
	return s, err
}

// add adds the counts of other messages.
func (t *tally) add(o *tally) error {
	t.messages += o.messages
	t.placed += o.placed
	t.measured += o.measured
	full := !sum(&t.bytes, o.bytes)
	for i := range o.sizes {
		a, b := &t.sizes[i], &o.sizes[i]
		a.expected += b.expected
		full = !sum(&a.packed, b.packed) || !sum(&a.touched, b.touched) || !sum(&a.used, b.used) || full
	}
	if full {
		return errors.New("messages of more than 2^64 bytes or lines in all")
	}
	return nil
}

// sum adds n to total; false says that it is too much.
func sum(total *uint64, n uint64) bool {
	*total += n
	return *total >= n
}

// tally is that of c, or of the rest of its kind.
func (s *shard) tally(c class) *tally {
	t := s.tallies.Get(c)
	if t == nil && s.tallies.Len() >= s.limit {
		c = class{c.kind, unknown, unknown, unknown, unknown, unknown}
		t = s.tallies.Get(c)
	}
	if t == nil {
		t = &tally{sizes: make([]lineSum, len(s.lines))}
		*s.tallies.Of(c) = t
	}
	return t
}
