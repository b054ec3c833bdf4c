package analysis

import (
	"fmt"
	"iter"
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// mostRows is the maximum number of references in a chunk.
const mostRows = 1 << 18

// stream merges the references and events of one processor into one sequence. Positions are counted
// in instructions.
//
// The two inputs count instructions separately. If they disagree (an event lies later than the
// reference that follows it), time stands still until the later input is reached. From there it
// continues by differences.
type stream struct {
	proc    trace.Proc
	head    trace.Header
	checked bool // the source has already validated the references

	pullRefs   func() (*trace.Refs, error, bool)
	pullEvents func() (*trace.Events, error, bool)
	stop       func()

	refs     *trace.Refs
	at       int         // next reference in refs
	end      int         // references in refs before this index come before the next event
	moves    bool        // refs has prefetches or flushes
	moved    trace.OpSet // has those that matter
	large    bool        // refs has references of many lines
	rest     uint64      // instructions of the references from at to end, except the first
	summed   bool        // rest is valid
	consumed uint64      // references so far
	events   []trace.Event
	eventAt  int
	lastRefs uint64 // Refs of the latest event read, for validation
	noRefs   bool   // the processor has no references at all

	clock   uint64 // when the latest item ended, including waiting
	waited  uint64 // the waiting in clock
	refTime uint64 // when the latest reference ended
	evTime  uint64 // when the latest event ended

	chunk    Chunk
	useCache useCache    // of references in program order
	program  *dispatcher // sees every item when it is known, if not nil
}

// newStream returns the stream of a processor. refs are the references that use lines. program, if not nil,
// receives every item as soon as it is known.
func newStream(src trace.Source, p trace.Proc, refs trace.OpSet, program *dispatcher) (*stream, error) {
	_, checked := src.(trace.CheckedSource)
	s := &stream{proc: p, head: src.Header(), checked: checked, noRefs: true, program: program, moved: refs.WithMoves(), useCache: useCache{numbers: newNumbers(1, refs)}}
	var stopRefs, stopEvents func()
	s.pullRefs, stopRefs = iter.Pull2(src.Refs(p))
	s.pullEvents, stopEvents = iter.Pull2(src.Events(p))
	s.stop = func() {
		if program != nil {
			program.wait()
		}
		stopRefs()
		stopEvents()
	}
	return s, s.ready()
}

// ready reads further input if necessary, so that the next item is known. It invalidates the latest
// chunk.
func (s *stream) ready() error {
	if s.program != nil {
		if err := s.program.wait(); err != nil {
			return err
		}
	}
	if err := s.fillRefs(); err != nil {
		return err
	}
	if err := s.fillEvents(); err != nil {
		return err
	}
	s.useCache.reset()
	s.end, s.summed = s.at, false
	if s.refs != nil && s.event() == nil {
		s.end = s.at + min(s.refs.Len()-s.at, mostRows)
		if s.eventAt < len(s.events) {
			s.end = s.at + int(min(uint64(s.end-s.at), s.events[s.eventAt].Refs-s.consumed))
		}
		if s.large {
			s.end = s.at + withinChunk(s.refs.Size[s.at:s.end])
		}
		if s.moves {
			s.end = s.at + s.sameMoves(s.refs.Op[s.at:s.end])
		}
	}
	return s.show()
}

// show passes the next item to the shards of the program order.
func (s *stream) show() error {
	if s.program == nil {
		return nil
	}
	time, ok, err := s.next()
	if ok {
		p := s.item(time)
		p.Time -= unit.Instructions(s.waited)
		s.program.feed(p)
	}
	return err
}

// fillRefs makes refs a batch with references left, or nil at the end.
func (s *stream) fillRefs() error {
	for s.refs == nil || s.at == s.refs.Len() {
		b, err, ok := s.pullRefs()
		if err != nil {
			return err
		}
		if !ok {
			s.refs = nil
			return nil
		}
		if !s.checked {
			if err := trace.CheckRefs(s.head, b); err != nil {
				return err
			}
		}
		if b.Proc != s.proc {
			return &trace.BatchError{Proc: b.Proc, Msg: fmt.Sprintf("came among the references of processor %d", s.proc)}
		}
		s.refs, s.at, s.moves, s.large = b, 0, trace.AnyMoves(b.Op), anyLarge(b.Size)
		s.noRefs = s.noRefs && b.Len() == 0
	}
	return nil
}

// fillEvents makes eventAt the index of the next event, if there is one.
func (s *stream) fillEvents() error {
	for s.eventAt == len(s.events) {
		b, err, ok := s.pullEvents()
		if err != nil {
			return err
		}
		if !ok {
			s.events, s.eventAt = nil, 0
			return nil
		}
		if err := s.setEvents(b); err != nil {
			return err
		}
	}
	return nil
}

// setEvents makes a batch the events that come next.
func (s *stream) setEvents(b *trace.Events) error {
	if err := trace.CheckEvents(s.head, b, s.lastRefs, math.MaxUint64); err != nil {
		return err
	}
	if b.Proc != s.proc {
		return &trace.BatchError{Proc: b.Proc, Msg: fmt.Sprintf("came among the events of processor %d", s.proc)}
	}
	s.events, s.eventAt = b.Rows, 0
	if n := len(b.Rows); n > 0 {
		s.lastRefs = b.Rows[n-1].Refs
	}
	return nil
}

// event returns the next item if it is an event, else nil.
func (s *stream) event() *trace.Event {
	if s.eventAt == len(s.events) {
		return nil
	}
	if e := &s.events[s.eventAt]; e.Refs <= s.consumed || s.noRefs {
		return e
	}
	return nil
}

// next returns when the next item ends; ok is false at the end of the program.
func (s *stream) next() (time uint64, ok bool, err error) {
	if e := s.event(); e != nil {
		t := max(s.clock, s.evTime+uint64(e.Instr))
		work := Work(s.head, e)
		if t > math.MaxInt64 || work > math.MaxInt64-t {
			return 0, false, fmt.Errorf("processor %d: %s after %d references: more than 2^63 instructions", s.proc, e.Kind, e.Refs)
		}
		return t + work, true, nil
	}
	if s.refs != nil {
		return max(s.clock, s.refTime+uint64(s.refs.Instr[s.at])), true, nil
	}
	if s.eventAt < len(s.events) {
		e := &s.events[s.eventAt]
		return 0, false, fmt.Errorf("processor %d: %s after %d references, but the processor has %d: the two files do not belong together",
			s.proc, e.Kind, e.Refs, s.consumed)
	}
	return 0, false, nil
}

// ended reports whether the program has no more items.
func (s *stream) ended() bool { return s.refs == nil && s.eventAt == len(s.events) }

// Work returns the instructions of an event beyond its Instr: a computation that is given as a
// number of instructions.
func Work(h trace.Header, e *trace.Event) uint64 {
	if e.Kind == trace.Compute && h.WorkUnit == trace.WorkInstr {
		return uint64(e.Work)
	}
	return 0
}

// item returns the next item: an event, or the references up to the next event or the end of the
// batch. The first of them ends at time.
func (s *stream) item(time uint64) Chunk {
	p := Chunk{Proc: s.proc, Event: s.event()}
	if p.Event == nil {
		if !s.summed {
			s.rest, s.summed = uint64(SumInstr(s.refs.Instr[s.at+1:s.end])), true
		}
		time += s.rest
		p.Refs, p.useCache, p.Moves = s.refs.Slice(s.at, s.end), &s.useCache, s.movesNow()
	}
	p.Time, p.Instr = unit.Instructions(time), unit.Instructions(time-s.clock)
	return p
}

// take makes the next item the current chunk.
func (s *stream) take(time uint64) {
	s.chunk = s.item(time)
	if time = uint64(s.chunk.Time); s.chunk.Event == nil {
		s.taken(s.end, time)
		return
	}
	s.eventAt++
	s.clock, s.evTime = time, time
	s.refTime += Work(s.head, s.chunk.Event)
}

// taken skips the references before index to. The last of them ends at time.
func (s *stream) taken(to int, time uint64) {
	s.consumed += uint64(to - s.at)
	s.at, s.clock, s.refTime = to, time, time
}

// delay postpones everything after the latest chunk.
func (s *stream) delay(instr uint64) {
	s.waited += instr
	s.clock += instr
	s.refTime += instr
	s.evTime += instr
}
