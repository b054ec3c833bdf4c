package replay

import (
	"errors"
	"fmt"
	"slices"

	"spoor/predict/internal/forkjoin"
	"spoor/traces/trace"
)

// EventStats summarizes the events of a trace. It is computed before the replay.
type EventStats struct {
	rows          uint64 // of all processors
	longest       int64  // most bytes of an event
	kinds         [trace.Marker + 1]uint64
	graphs        []bool // processors that have events with Needs
	first         [trace.Marker + 1]place
	collectives   map[collectiveID]*callSequence
	timeDependent [trace.Marker + 1]uint64 // tests, iprobes, clocks and probes of several channels, whose recorded results depend on time
	flops         bool
	refs          bool // there are references
	nonblocking   bool // a collective has a request
	forks         []fork
	members       map[int32]int        // processors with a barrier in each group
	meets         map[int32]trace.Proc // the last of them
	collectiveErr error                // collectives of the processors do not match
	stages        *forkjoin.Program    // the messages, if they are stages and package forkjoin may simulate them
}

// fork is a processor that starts another one.
type fork struct {
	parent trace.Proc
	child  int32
}

// place is the position of an event.
type place struct {
	proc trace.Proc
	row  int64
	refs uint64
}

// HasWork reports whether computation events have an amount of work.
func (s *EventStats) HasWork() bool { return s.flops }

// Scan reads the events of a trace.
func Scan(src trace.Source) (*EventStats, error) {
	procs := src.Header().Procs
	s := &EventStats{graphs: make([]bool, procs), collectives: map[collectiveID]*callSequence{}}
	stages := forkjoin.NewBuilder(procs, eventsOf(src))
	row, ended := int64(0), trace.Proc(0)
	end := func(before trace.Proc) {
		for ; ended < before; ended++ {
			row = 0
			for _, key := range s.sortedCollectives() {
				s.noteError(s.collectives[key].checkEnd(key, ended))
			}
		}
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil, err
		}
		end(b.Proc)
		s.rows += uint64(len(b.Rows))
		for i := range b.Rows {
			if err := s.event(b.Proc, row, &b.Rows[i]); err != nil {
				return nil, fmt.Errorf("processor %d: event %d (%v): %w", b.Proc, row, b.Rows[i].Kind, err)
			}
			row++
			if stages != nil && !stages.Add(b.Proc, &b.Rows[i]) {
				stages = nil
			}
		}
	}
	end(trace.Proc(procs))
	if stages != nil {
		s.stages = stages.Program()
	}
	for _, key := range s.sortedCollectives() {
		if c := s.collectives[key]; key.group == trace.None && len(c.members) < procs {
			s.noteError(fmt.Errorf("only %d of %d processors call %s", len(c.members), procs, key))
		}
	}
	return s, s.scanRefs(src)
}

// eventsOf returns the number of events of a trace, or 0 if that is not known.
func eventsOf(src trace.Source) (n uint64) {
	counted, is := src.(interface{ Totals(trace.Proc) trace.Totals })
	if !is {
		return 0
	}
	for p := range trace.Proc(src.Header().Procs) {
		n += counted.Totals(p).Events
	}
	return n
}

// scanRefs looks for a reference if none precedes an event.
func (s *EventStats) scanRefs(src trace.Source) error {
	if s.refs {
		return nil
	}
	for b, err := range src.Refs() {
		if err != nil {
			return err
		}
		if s.refs = b.Len() > 0; s.refs {
			break
		}
	}
	return nil
}

// noteError stores the first error about collectives. It does not matter for a shared memory.
func (s *EventStats) noteError(err error) {
	if s.collectiveErr == nil {
		s.collectiveErr = err
	}
}

func (s *EventStats) event(p trace.Proc, row int64, e *trace.Event) error {
	if !e.Kind.Valid() {
		return errors.New("has an unknown kind")
	}
	if s.kinds[e.Kind]++; s.kinds[e.Kind] == 1 {
		s.first[e.Kind] = place{p, row, e.Refs}
	}
	s.longest = max(s.longest, e.Bytes)
	s.graphs[p] = s.graphs[p] || e.Needs != nil
	s.refs = s.refs || e.Refs > 0
	switch e.Kind {
	case trace.Test, trace.Iprobe, trace.Clock:
		s.timeDependent[e.Kind]++
	case trace.Probe:
		if e.Peer < 0 || e.Tag < 0 {
			s.timeDependent[e.Kind]++
		}
	case trace.Compute:
		s.flops = s.flops || e.Work > 0
	case trace.Fork:
		if e.Peer >= 0 {
			s.forks = append(s.forks, fork{p, e.Peer})
		}
	case trace.Barrier:
		s.meet(p, e.Group)
	}
	if e.Kind == trace.Barrier || e.Collective() {
		s.nonblocking = s.nonblocking || e.Request >= 0
		if err := s.call(p, e); err != nil {
			s.noteError(fmt.Errorf("processor %d: event %d (%v): %w", p, row, e.Kind, err))
		}
	}
	return nil
}

// meet counts a processor with a barrier in a group.
func (s *EventStats) meet(p trace.Proc, group int32) {
	if last, met := s.meets[group]; group < 0 || met && last == p {
		return
	}
	if s.members == nil {
		s.members, s.meets = map[int32]int{}, map[int32]trace.Proc{}
	}
	s.members[group]++
	s.meets[group] = p
}

// HasMessages reports whether the trace passes messages.
func (s *EventStats) HasMessages() bool {
	for kind, n := range s.kinds {
		if n > 0 && trace.Kind(kind).PassesMessages() {
			return true
		}
	}
	return false
}

// HasReferences reports whether the trace has references.
func (s *EventStats) HasReferences() bool { return s.refs }

// memoryKinds are the kinds of events of a shared memory that messages do not use.
var memoryKinds = []trace.Kind{trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join}

// HasCollectives reports whether the trace has collectives without their messages.
func (s *EventStats) HasCollectives() bool { return len(s.collectives) > 0 }

// SharesMemory reports whether there are such events of a shared memory. Messages cannot replay such a trace. Mixed
// can, if it also passes messages.
func (s *EventStats) SharesMemory() bool {
	return slices.ContainsFunc(memoryKinds, func(k trace.Kind) bool { return s.kinds[k] > 0 })
}

// errShared returns an error if there are such events.
func (s *EventStats) errShared() error {
	for _, k := range memoryKinds {
		if s.kinds[k] > 0 {
			at := s.first[k]
			return fmt.Errorf("processor %d: event %d (%v, after %d references) uses shared memory, and the trace also passes messages; "+
				"simulate its references with the messages", at.proc, at.row, k, at.refs)
		}
	}
	return nil
}
