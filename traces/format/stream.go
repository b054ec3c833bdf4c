package format

import (
	"math"

	"spoor/traces/trace"
)

// streamRows is the number of references in a batch for the sink.
const streamRows = 1 << 15

// stream collects the references and events of one processor. Positions follow package
// trace: both columns Instr count instructions. If a count exceeds the range of Instr,
// the rest becomes the Work of a Compute event, which advances both streams.
type stream struct {
	sink    Sink
	refs    trace.Refs
	rows    uint64 // references so far, including those in refs
	pending uint64 // instructions since the last reference
	pos     uint64 // sum of Instr up to the last reference
	event   uint64 // sum of Instr up to the last event
	one     trace.Events
	err     error // the sink's first error
	withPC  bool  // references have the pc column
	pc      uint64
}

func newStream(sink Sink, proc trace.Proc) *stream {
	s := &stream{sink: sink}
	s.refs.Proc, s.one.Proc = proc, proc
	return s
}

// execute counts n instructions that are not yet in a reference.
func (s *stream) execute(n uint64) {
	s.pending += n
	if s.pending > math.MaxUint32 {
		s.carry(1)
	}
}

// ref appends a reference. Until the next call, unref can remove it.
func (s *stream) ref(addr uint64, size uint16, op trace.Op) {
	if len(s.refs.Addr) >= streamRows {
		s.flush()
	}
	if s.pos+s.pending-s.event > math.MaxUint32 && s.pos > s.event {
		s.put(trace.NewEvent(trace.Compute), s.pos)
	}
	s.refs.Append(uint32(s.pending), addr, size, op)
	if s.withPC {
		s.refs.PC = append(s.refs.PC, s.pc)
	}
	s.pos += s.pending
	s.pending = 0
	s.rows++
}

// modify appends a load and a store of the same bytes, or only one of them, as how
// says. loaded reports that the load was already appended.
func (s *stream) modify(addr uint64, size uint16, how Modify, loaded bool) {
	if how != ModifyStore && !loaded {
		s.ref(addr, size, trace.Load)
	}
	if how != ModifyLoad {
		s.ref(addr, size, trace.Store)
	}
}

// unref removes the reference that was appended last.
func (s *stream) unref() {
	n := len(s.refs.Addr) - 1
	s.pending += uint64(s.refs.Instr[n])
	s.pos -= uint64(s.refs.Instr[n])
	s.refs = s.refs.Slice(0, n)
	s.rows--
}

// mark appends an event at the current position.
func (s *stream) mark(e trace.Event) {
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
func (s *stream) carry(keep uint64) {
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
func (s *stream) put(e trace.Event, at uint64) {
	e.Instr, e.Refs = uint32(at-s.event), s.rows
	s.event = at
	s.one.Rows = append(s.one.Rows[:0], e)
	s.keep(s.sink.Events(&s.one))
}

func (s *stream) flush() {
	if len(s.refs.Addr) > 0 {
		s.keep(s.sink.Refs(&s.refs))
	}
	s.refs.Reset()
}

func (s *stream) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// finish sends the rest. Instructions after the last reference become a Compute event.
func (s *stream) finish() error {
	s.flush()
	if s.pending > 0 {
		s.mark(trace.NewEvent(trace.Compute))
	}
	return s.err
}
