package main

import (
	"math"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// spliceRows is how many references go to the writer at a time.
const spliceRows = 1 << 14

// splice writes one processor of a trace that is made of parts of another: rows
// come with their positions in the new trace, and get the Instr and Refs that say so.
type splice struct {
	out    *store.Writer
	refs   trace.Refs
	one    trace.Events
	rows   uint64 // references so far
	refPos uint64 // of the latest reference
	evPos  uint64 // of the latest event
	work   bool   // work is instructions
}

func newSplice(out *store.Writer, h trace.Header, p trace.Proc) *splice {
	s := &splice{out: out, work: h.WorkUnit == trace.WorkInstr}
	s.refs.Proc, s.one.Proc = p, p
	if h.HasPC {
		s.refs.PC = []uint64{}
	}
	return s
}

// ref appends row i of b. An Instr that one number cannot hold is left full.
func (s *splice) ref(pos uint64, b *trace.Refs, i int) error {
	if len(s.refs.Addr) == spliceRows {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.refs.Append(uint32(min(pos-min(pos, s.refPos), math.MaxUint32)), b.Addr[i], b.Size[i], b.Op[i])
	if b.PC != nil {
		s.refs.PC = append(s.refs.PC, b.PC[i])
	}
	s.refPos = max(s.refPos, pos)
	s.rows++
	return nil
}

// event appends e.
func (s *splice) event(pos uint64, e trace.Event) error {
	for pos > s.evPos && pos-s.evPos > math.MaxUint32 {
		if err := s.put(s.evPos+math.MaxUint32, trace.NewEvent(trace.Compute)); err != nil {
			return err
		}
	}
	return s.put(pos, e)
}

func (s *splice) put(pos uint64, e trace.Event) error {
	e.Instr, e.Refs = uint32(pos-min(pos, s.evPos)), s.rows
	s.evPos = max(s.evPos, pos)
	if e.Kind == trace.Compute && s.work {
		s.evPos += uint64(e.Work)
		s.refPos += uint64(e.Work)
	}
	s.one.Rows = append(s.one.Rows[:0], e)
	return s.out.Events(&s.one)
}

func (s *splice) flush() error {
	err := s.out.Refs(&s.refs)
	s.refs.Reset()
	return err
}

// finish writes what is left; end is the position at which the processor ends.
func (s *splice) finish(end uint64) error {
	if err := s.flush(); err != nil {
		return err
	}
	if end > max(s.refPos, s.evPos) {
		return s.event(end, trace.NewEvent(trace.Compute))
	}
	return nil
}
