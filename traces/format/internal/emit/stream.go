// Package emit turns what importers parse into the references and events of a trace. It
// counts instructions, numbers threads, and matches messages.
package emit

import (
	"math"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// StreamRows is the number of references in a batch for the sink.
const StreamRows = 1 << 15

// Stream collects the references and events of one processor. Positions follow package
// trace: both columns Instr count instructions. If a count exceeds the range of Instr,
// the rest becomes the Work of a Compute event, which advances both streams.
type Stream struct {
	sink    format.Sink
	Refs    trace.Refs
	rows    uint64 // references so far, including those in refs
	pending uint64 // instructions since the last reference
	pos     uint64 // sum of Instr up to the last reference
	event   uint64 // sum of Instr up to the last event
	one     trace.Events
	Err     error // the sink's first error
	WithPC  bool  // references have the pc column
	Pc      uint64
}

func NewStream(sink format.Sink, proc trace.Proc) *Stream {
	s := &Stream{sink: sink}
	s.Refs.Proc, s.one.Proc = proc, proc
	return s
}

// Execute counts n instructions that are not yet in a reference.
func (s *Stream) Execute(n uint64) {
	s.pending += n
	if s.pending > math.MaxUint32 {
		s.carry(1)
	}
}

// Ref appends a reference. Until the next call, unref can remove it.
func (s *Stream) Ref(addr uint64, size uint16, op trace.Op) {
	if len(s.Refs.Addr) >= StreamRows {
		s.Flush()
	}
	if s.pos+s.pending-s.event > math.MaxUint32 && s.pos > s.event {
		s.put(trace.NewEvent(trace.Compute), s.pos)
	}
	s.Refs.Append(uint32(s.pending), addr, size, op)
	if s.WithPC {
		s.Refs.PC = append(s.Refs.PC, s.Pc)
	}
	s.pos += s.pending
	s.pending = 0
	s.rows++
}

// Modify appends a load and a store of the same bytes, or only one of them, as how
// says. loaded reports that the load was already appended.
func (s *Stream) Modify(addr uint64, size uint16, how format.Modify, loaded bool) {
	if how != format.ModifyStore && !loaded {
		s.Ref(addr, size, trace.Load)
	}
	if how != format.ModifyLoad {
		s.Ref(addr, size, trace.Store)
	}
}

// Unref removes the reference that was appended last.
func (s *Stream) Unref() {
	n := len(s.Refs.Addr) - 1
	s.pending += uint64(s.Refs.Instr[n])
	s.pos -= uint64(s.Refs.Instr[n])
	s.Refs = s.Refs.Slice(0, n)
	s.rows--
}

// Mark appends an event at the current position.
func (s *Stream) Mark(e trace.Event) {
	if s.pending > math.MaxInt32 {
		s.carry(0) // limits how far an event is ahead of the references, so that carry always succeeds
	}
	if s.pos+s.pending-s.event > math.MaxUint32 && s.pos > s.event {
		s.put(trace.NewEvent(trace.Compute), s.pos)
	}
	s.put(e, s.pos+s.pending)
}

// carry moves pending instructions into the Work of a Compute event. It leaves keep of
// them (one if a reference comes next), and those that an event already counts.
func (s *Stream) carry(keep uint64) {
	at := max(s.pos, s.event)
	keep += at - s.pos
	if s.pending <= keep {
		return
	}
	e := trace.NewEvent(trace.Compute)
	e.Work = int64(min(s.pending-keep, math.MaxInt64))
	s.pending -= uint64(e.Work)
	s.put(e, at)
}

// put sends e, which happens after at instructions.
func (s *Stream) put(e trace.Event, at uint64) {
	e.Instr, e.Refs = uint32(at-s.event), s.rows
	s.event = at
	s.one.Rows = append(s.one.Rows[:0], e)
	s.keep(s.sink.Events(&s.one))
}

func (s *Stream) Flush() {
	if len(s.Refs.Addr) > 0 {
		s.keep(s.sink.Refs(&s.Refs))
	}
	s.Refs.Reset()
}

func (s *Stream) keep(err error) {
	if s.Err == nil {
		s.Err = err
	}
}

// Finish sends the rest. Instructions after the last reference become a Compute event.
func (s *Stream) Finish() error {
	s.Flush()
	if s.pending > 0 {
		s.Mark(trace.NewEvent(trace.Compute))
	}
	return s.Err
}
