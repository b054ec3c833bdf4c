// Package marshal counts the memory lines that message buffers touch: MLT of [hur1999]. MLT is the
// number of distinct lines that are read when a message is gathered from memory, or written when it
// is stored there. The time of a message of n bytes is alpha + beta n + gamma MLT.
//
// # Lines of a buffer
//
// A buffer is a Layout. Layout.Lines is MLT exactly, for the buffer's address, in logarithmic time.
// Layout.Expected is the mean over addresses, for buffers with unknown addresses. RowBounds and
// ColumnBounds are the paper's bounds. All are pure functions.
//
// # Lines of the messages of a trace
//
// Sends and receives have buffers. Recorded collectives have the caller's buffer. A receive counts
// the part that the message filled. An irecv counts at the wait or test that completes it, or at
// the end if there is none. A class is a set of messages with the same layout as far as their lines
// can differ: processor, kind, blocks, bytes, and the address modulo the line size.
//
// If the trace also has the processor's references, the lines used near the message are counted
// too. An interval is the references of a processor between two of its messages. For a send or a
// collective, the used lines are those of its buffer that the program loads or stores in the
// interval before it. For a receive, they are those in the interval after it (after the wait of an
// irecv). Recordings of package spmd do not contain the copying of the message itself. Therefore
// these references are the program's own packing and unpacking. Their lines are likely to be in the
// cache when the message is copied, or are fetched for its data afterwards.
package marshal

import (
	"cmp"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/smallmap"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis counts lines of all its sizes.
type Analysis struct {
	Lines  []unit.Bytes // powers of two, ascending
	Refs   trace.OpSet  // references that use lines; zero: loads and stores
	Events trace.Source // the trace, whose events are read up to the first message with an address: without one, references are not read; nil: they are read
	Meta   []trace.Arg  // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "marshal".
func (a *Analysis) Name() string { return "marshal" }

// NewShard returns a shard for each program order.
func (a *Analysis) NewShard(_ trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved {
		return nil
	}
	s := newShard(p, a.Lines, cmp.Or(a.Refs, trace.DataOps))
	if a.Events != nil && !anyPlaced(a.Events, p) {
		s.sets = nil
	}
	return s
}

// anyPlaced reports whether a processor has a message with an address. It also returns true on a
// read error, which the analysis reports.
func anyPlaced(src trace.Source, p trace.Proc) bool {
	for b, err := range src.Events(p) {
		if err != nil || slices.ContainsFunc(b.Rows, func(e trace.Event) bool { return e.Addr != 0 && !e.Kind.Synchronizes() }) {
			return true
		}
	}
	return false
}

func newShard(p trace.Proc, lines []unit.Bytes, refs trace.OpSet) *shard {
	s := &shard{proc: p, lines: lines, limit: maxClasses}
	for _, line := range lines {
		s.sets = append(s.sets, newLineSet(line, refs))
	}
	return s
}

// message is a message that touches memory.
type message struct {
	class  class
	room   Layout
	buffer Buffer // the part of room that the message fills
	placed bool   // the address is known
}

// shard holds the messages of one processor.
type shard struct {
	proc    trace.Proc
	lines   []unit.Bytes
	tallies smallmap.Map[class, *tally]
	open    smallmap.Map[int32, message] // receives that are not complete, by request
	behind  *message                     // a receive whose interval has not ended
	sets    []*lineSet                   // lines used in this interval, by line size; none if they are not needed
	refs    bool                         // the processor has references
	limit   int
}

// EventsOnly reports whether references are not needed.
func (s *shard) EventsOnly() bool { return s.sets == nil }

// Add counts the next chunk.
func (s *shard) Add(p *analysis.Chunk) error {
	if p.Event == nil {
		s.refs = true
		for _, set := range s.sets {
			set.add(&p.Refs)
		}
		return nil
	}
	if err := s.event(p.Event); err != nil {
		return fmt.Errorf("processor %d: %s after %d references: %w", s.proc, p.Event.Kind, p.Event.Refs, err)
	}
	return nil
}

func (s *shard) event(e *trace.Event) error {
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan,
		trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll:
		return s.sends(s.message(e, e.Bytes))
	case trace.Recv:
		return s.receives(s.message(e, e.Bytes))
	case trace.Irecv:
		if e.Request < 0 {
			return s.receives(s.message(e, e.Bytes))
		}
		*s.open.Of(e.Request) = s.message(e, e.Bytes)
	case trace.Wait:
		return s.completes(e)
	case trace.Test:
		if e.Count > 0 {
			return s.completes(e)
		}
	}
	return nil
}

// message returns the message of e, of which n bytes have arrived.
func (s *shard) message(e *trace.Event, n int64) message {
	l := Layout{uint64(e.Addr), e.Count, e.Block, e.Stride}
	if l.Count == 0 || l.Block == 0 { // contiguous, as far as anybody knows
		l = Layout{Count: 1, Block: n}
	}
	if l.Count == 1 {
		l.Stride = 0
	}
	m := message{class: class{e.Kind, n, l.Count, l.Block, l.Stride, unknown}, room: l, buffer: l.First(n), placed: l.Addr != 0}
	if m.placed {
		m.class.offset = int64(l.Addr % uint64(s.lines[len(s.lines)-1]))
	}
	return m
}

// completes receives the message of an irecv. The wait has the number of bytes if it has the
// sender.
func (s *shard) completes(e *trace.Event) error {
	m, is := s.open.Take(e.Request)
	if !is {
		return nil
	}
	if e.Peer >= 0 && e.Bytes < m.class.bytes {
		m.class.bytes, m.buffer = e.Bytes, m.room.First(e.Bytes)
	}
	return s.receives(m)
}

// sends ends the interval before a message.
func (s *shard) sends(m message) error {
	if err := s.close(); err != nil {
		return err
	}
	err := s.count(&m, true)
	s.begin()
	return err
}

// receives begins the interval after a message.
func (s *shard) receives(m message) error {
	err := s.close()
	s.begin()
	s.behind = &m
	return err
}

// close counts the receive before the interval that ends.
func (s *shard) close() error {
	m := s.behind
	if s.behind = nil; m == nil {
		return nil
	}
	return s.count(m, true)
}

func (s *shard) begin() {
	for _, set := range s.sets {
		set.clear()
	}
}

// count adds m to its class, and its used lines if they are measured.
func (s *shard) count(m *message, measured bool) error {
	t := s.tally(m.class)
	one := tally{messages: 1, bytes: uint64(m.class.bytes), sizes: make([]lineSum, len(s.lines))}
	if m.placed {
		one.placed = 1
	}
	if m.placed && measured {
		one.measured = 1
	}
	for i, line := range s.lines {
		sum, err := m.linesOf(line)
		if err != nil {
			return err
		}
		if one.measured > 0 {
			sum.used = s.sets[i].of(m.buffer, sum.touched)
		}
		one.sizes[i] = sum
	}
	return t.add(&one)
}

// End counts the receives that were never completed.
func (s *shard) End() error {
	err := s.close()
	for _, m := range s.open.Sort(cmp.Compare[int32]) {
		if err == nil {
			err = s.count(&m.Value, false)
		}
	}
	s.open, s.sets = smallmap.Map[int32, message]{}, nil
	s.tallies.Compact()
	if err != nil {
		return fmt.Errorf("processor %d: %w", s.proc, err)
	}
	return nil
}
