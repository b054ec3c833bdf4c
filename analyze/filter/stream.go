package filter

import (
	"math"
	"slices"

	"spoor/analyze/cache"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// stream writes what one processor does. Rows come with the positions at which they end in the old trace, and get
// the Instr and Refs that say so in the new one.
type stream struct {
	out    *store.Writer
	work   bool // work of events is instructions
	buffer trace.Refs
	one    trace.Events

	rows   uint64 // references so far
	refPos uint64 // of the latest reference
	evPos  uint64 // of the latest event
	time   int64  // recorded, of the latest event

	events int64   // of the old trace so far
	stops  []int64 // by added event: how many events of the old trace precede it
}

// bufferRows is how many references go to the writer at a time.
const bufferRows = 1 << 14

func newStream(out *store.Writer, h trace.Header, p trace.Proc) *stream {
	s := &stream{out: out, work: h.WorkUnit == trace.WorkInstr, buffer: trace.Refs{Proc: p}, one: trace.Events{Proc: p}}
	if h.HasPC {
		s.buffer.PC = []uint64{}
	}
	return s
}

// refs writes what goes on of a batch that starts at a position, and returns the position at its end.
func (s *stream) refs(at uint64, from *trace.Refs, beyond []cache.Beyond) (uint64, error) {
	row := 0
	for _, b := range beyond {
		for ; row <= b.Row; row++ {
			at += uint64(from.Instr[row])
		}
		if err := s.ref(at, b); err != nil {
			return 0, err
		}
		if from.PC != nil {
			s.buffer.PC = append(s.buffer.PC, from.PC[b.Row])
		}
	}
	for ; row < from.Len(); row++ {
		at += uint64(from.Instr[row])
	}
	return at, nil
}

// ref writes one reference, but for its PC.
func (s *stream) ref(at uint64, b cache.Beyond) error {
	if len(s.buffer.Addr) >= bufferRows {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if err := s.approach(at); err != nil {
		return err
	}
	gap := at - s.refPos
	if gap > math.MaxUint32 {
		gap = math.MaxUint32
		if err := s.stop(at); err != nil {
			return err
		}
	}
	s.buffer.Append(uint32(gap), b.Addr, b.Size, b.Op)
	s.rows++
	s.refPos = at
	return nil
}

func (s *stream) flush() error {
	err := s.out.Refs(&s.buffer)
	s.buffer.Reset()
	return err
}

// event writes an event that ends at a position, its work included.
func (s *stream) event(at uint64, e *trace.Event) error {
	work := uint64(0)
	if e.Kind == trace.Compute && s.work {
		work = uint64(e.Work)
	}
	at -= work
	if err := s.approach(at); err != nil {
		return err
	}
	moved := *e
	moved.Needs = s.renumbered(e.Needs)
	s.time = e.Time
	s.events++
	if err := s.put(at, moved); err != nil {
		return err
	}
	s.evPos += work
	s.refPos += work
	return nil
}

// renumbered is the rows of needs with the added events counted.
func (s *stream) renumbered(needs []int64) []int64 {
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

// approach adds stops until an Instr reaches the position from the latest event. As that is done for every reference, the
// next stop is never before the latest of them.
func (s *stream) approach(at uint64) error {
	for at-s.evPos > math.MaxUint32 {
		if err := s.stop(s.evPos + math.MaxUint32); err != nil {
			return err
		}
	}
	return nil
}

// stop adds an event that says that the processor has come to a position, which is near.
func (s *stream) stop(at uint64) error {
	if at == s.evPos {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Time = s.time
	s.stops = append(s.stops, s.events)
	return s.put(at, e)
}

func (s *stream) put(at uint64, e trace.Event) error {
	e.Instr, e.Refs = uint32(at-s.evPos), s.rows
	s.evPos = at
	s.one.Rows = append(s.one.Rows[:0], e)
	return s.out.Events(&s.one)
}

// finish writes what is left; end is the position at which the processor ends.
func (s *stream) finish(end uint64) error {
	if err := s.flush(); err != nil {
		return err
	}
	if end == s.refPos || end == s.evPos {
		return nil
	}
	if err := s.approach(end); err != nil {
		return err
	}
	return s.stop(end)
}
