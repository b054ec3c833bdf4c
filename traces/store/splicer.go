package store

import (
	"math"
	"slices"

	"spoor/traces/trace"
)

// A Splicer writes one processor of a trace that consists of parts of another trace. The caller passes each row with its
// position in the new trace: the instructions executed up to and including the row. The Splicer sets Instr and Refs. If a gap
// is too large for Instr, it adds a stop: a Compute without Work.
type Splicer struct {
	out    *Writer
	work   bool // work of events is instructions
	buffer trace.Refs
	one    trace.Events

	rows   uint64 // references so far
	refPos uint64 // of the latest reference
	evPos  uint64 // of the latest event
	time   int64  // recorded, of the latest event

	events int64   // events from the caller so far
	stops  []int64 // number of events from the caller before each stop
}

// spliceRows is the number of references that go to the writer at a time.
const spliceRows = 1 << 14

// NewSplicer begins processor p of a trace with header h.
func NewSplicer(out *Writer, h trace.Header, p trace.Proc) *Splicer {
	s := &Splicer{out: out, work: h.WorkUnit == trace.WorkInstr, buffer: trace.Refs{Proc: p}, one: trace.Events{Proc: p}}
	if h.HasPC {
		s.buffer.PC = []uint64{}
	}
	return s
}

// Rows returns the number of references written.
func (s *Splicer) Rows() uint64 { return s.rows }

// Ref writes a reference at position at. It ignores pc if the trace has no PC column.
func (s *Splicer) Ref(at, addr uint64, size uint16, op trace.Op, pc uint64) error {
	if len(s.buffer.Addr) >= spliceRows {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if err := s.approach(at); err != nil {
		return err
	}
	at = max(at, s.refPos)
	gap := at - s.refPos
	if gap > math.MaxUint32 {
		gap = math.MaxUint32 // the stop has the exact position
		if err := s.stop(at); err != nil {
			return err
		}
	}
	s.buffer.Append(uint32(gap), addr, size, op)
	if s.buffer.PC != nil {
		s.buffer.PC = append(s.buffer.PC, pc)
	}
	s.rows++
	s.refPos = at
	return nil
}

func (s *Splicer) flush() error {
	err := s.out.Refs(&s.buffer)
	s.buffer.Reset()
	return err
}

// Event writes an event. Its position excludes its Work. Its Needs count the events from the caller, without stops.
func (s *Splicer) Event(at uint64, e trace.Event) error {
	if err := s.approach(at); err != nil {
		return err
	}
	e.Needs = s.renumbered(e.Needs)
	s.time = e.Time
	s.events++
	if err := s.put(at, e); err != nil {
		return err
	}
	if e.Kind == trace.Compute && s.work {
		s.evPos += uint64(e.Work)
		s.refPos += uint64(e.Work)
	}
	return nil
}

// renumbered returns the rows of needs, counting stops.
func (s *Splicer) renumbered(needs []int64) []int64 {
	if len(s.stops) == 0 {
		return needs
	}
	needs = slices.Clone(needs)
	for i, n := range needs {
		before, _ := slices.BinarySearch(s.stops, n+1)
		needs[i] = n + int64(before)
	}
	return needs
}

// approach adds stops until an Instr can reach the position from the latest event. Every reference calls it, so that a
// stop is never before the latest reference.
func (s *Splicer) approach(at uint64) error {
	for at > s.evPos && at-s.evPos > math.MaxUint32 {
		if err := s.stop(s.evPos + math.MaxUint32); err != nil {
			return err
		}
	}
	return nil
}

// stop adds a stop at a position that an Instr can reach.
func (s *Splicer) stop(at uint64) error {
	if at <= s.evPos {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Time = s.time
	s.stops = append(s.stops, s.events)
	return s.put(at, e)
}

func (s *Splicer) put(at uint64, e trace.Event) error {
	at = max(at, s.evPos)
	e.Instr, e.Refs = uint32(at-s.evPos), s.rows
	s.evPos = at
	s.one.Rows = append(s.one.Rows[:0], e)
	return s.out.Events(&s.one)
}

// Finish writes the remaining rows. The argument end is the position at which the processor ends.
func (s *Splicer) Finish(end uint64) error {
	if err := s.flush(); err != nil {
		return err
	}
	if end <= max(s.refPos, s.evPos) {
		return nil
	}
	if err := s.approach(end); err != nil {
		return err
	}
	return s.stop(end)
}
