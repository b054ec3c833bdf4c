package store

import (
	"math"
	"slices"

	"spoor/traces/trace"
)

// A Splicer writes one processor of a trace that is made of parts of another: rows come with their positions in
// the new trace, the instructions executed up to and with them, and get the Instr and Refs that say so. Where an
// Instr cannot hold a gap, a stop is added: a Compute without Work.
type Splicer struct {
	out    *Writer
	work   bool // work of events is instructions
	buffer trace.Refs
	one    trace.Events

	rows   uint64 // references so far
	refPos uint64 // of the latest reference
	evPos  uint64 // of the latest event
	time   int64  // recorded, of the latest event

	events int64   // that were given
	stops  []int64 // by stop: how many events were given before it
}

// spliceRows is how many references go to the writer at a time.
const spliceRows = 1 << 14

// NewSplicer begins processor p of a trace with header h.
func NewSplicer(out *Writer, h trace.Header, p trace.Proc) *Splicer {
	s := &Splicer{out: out, work: h.WorkUnit == trace.WorkInstr, buffer: trace.Refs{Proc: p}, one: trace.Events{Proc: p}}
	if h.HasPC {
		s.buffer.PC = []uint64{}
	}
	return s
}

// Rows is how many references were written.
func (s *Splicer) Rows() uint64 { return s.rows }

// Ref writes a reference; pc is left out of traces that have none.
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
		gap = math.MaxUint32 // and the stop says the rest
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

// Event writes an event. Its position is without its work; its Needs are rows among the events that were given.
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

// renumbered is the rows of needs with the stops counted.
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

// approach adds stops until an Instr reaches the position from the latest event. As that is done for every
// reference, the next stop is never before the latest of them.
func (s *Splicer) approach(at uint64) error {
	for at > s.evPos && at-s.evPos > math.MaxUint32 {
		if err := s.stop(s.evPos + math.MaxUint32); err != nil {
			return err
		}
	}
	return nil
}

// stop adds an event that says that the processor has come to a position, which is near.
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

// Finish writes what is left; end is the position at which the processor ends.
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
