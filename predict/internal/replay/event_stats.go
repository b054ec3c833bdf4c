package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"spoor/analyze/comm"
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

// collectiveID identifies a sequence of collectives: a group, or an object in shared memory with a barrier of a group
// or of all processors.
type collectiveID struct{ group, object int32 }

// callSequence is the collectives of a collectiveID, in the order in which each member calls them.
type callSequence struct {
	code    int32 // the group of its messages
	members []int32
	all     []call
	read    int // calls of the present member
}

// call is one collective.
type call struct {
	kind    trace.Kind
	root    int32 // processor, or trace.None
	uniform bool  // all members have the same number of bytes: bytes[0]
	bytes   []int64
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

func (s *EventStats) sortedCollectives() []collectiveID {
	return slices.SortedFunc(maps.Keys(s.collectives), func(a, b collectiveID) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.object, b.object))
	})
}

// collectiveOf returns the collectiveID of an event.
func collectiveOf(e *trace.Event) collectiveID {
	if e.Kind == trace.Barrier && e.Peer >= 0 {
		return collectiveID{e.Group, e.Peer}
	}
	return collectiveID{e.Group, trace.None}
}

// String returns "collectives of group 3".
func (m collectiveID) String() string {
	switch {
	case m.object >= 0:
		return fmt.Sprintf("barrier %d", m.object)
	case m.group >= 0:
		return fmt.Sprintf("collectives of group %d", m.group)
	}
	return "collectives of all processors"
}

// call adds a processor's next collective to its sequence.
func (s *EventStats) call(p trace.Proc, e *trace.Event) error {
	key := collectiveOf(e)
	c := s.collectives[key]
	if c == nil {
		c = &callSequence{code: -2 - int32(len(s.collectives))}
		s.collectives[key] = c
	}
	if n := len(c.members); n == 0 || c.members[n-1] != int32(p) {
		c.members = append(c.members, int32(p))
	}
	root := trace.None
	if comm.Rooted(e.Kind) {
		root = e.Peer
	}
	if len(c.members) == 1 {
		c.all = append(c.all, call{e.Kind, root, true, []int64{e.Bytes}})
		c.read++
		return nil
	}
	if c.read == len(c.all) {
		return fmt.Errorf("processor %d has only %d %s", c.members[0], c.read, key)
	}
	one := &c.all[c.read]
	c.read++
	if one.root == trace.None {
		one.root = root
	}
	if e.Kind != one.kind || root != trace.None && root != one.root {
		return fmt.Errorf("#%d of %s is %v with root %d, and on processor %d %v with root %d", c.read, key, e.Kind, root, c.members[0], one.kind, one.root)
	}
	if one.uniform && e.Bytes != one.bytes[0] {
		one.uniform = false
		for range len(c.members) - 2 {
			one.bytes = append(one.bytes, one.bytes[0])
		}
	}
	if !one.uniform {
		one.bytes = append(one.bytes, e.Bytes)
	}
	return nil
}

// checkEnd is called after the last event of a processor.
func (c *callSequence) checkEnd(key collectiveID, p trace.Proc) error {
	if n := len(c.members); n > 1 && c.members[n-1] == int32(p) && c.read < len(c.all) {
		return fmt.Errorf("processor %d ends after %d %s, where processor %d goes on with %v", p, c.read, key, c.members[0], c.all[c.read].kind)
	}
	c.read = 0
	return nil
}

// bytesOfMembers returns the bytes of each member.
func (c *call) bytesOfMembers(members int) []int64 {
	if !c.uniform {
		return c.bytes
	}
	all := make([]int64, members)
	for i := range all {
		all[i] = c.bytes[0]
	}
	return all
}

// traffic returns the messages between processors, including those of collectives by an algorithm.
func (s *EventStats) traffic(src trace.Source, a comm.Algorithm) ([]comm.Flow, error) {
	type pair struct{ from, to int32 }
	flows := map[pair]*comm.Flow{}
	add := func(from, to int32, bytes int64) {
		f := flows[pair{from, to}]
		if f == nil {
			f = &comm.Flow{From: int(from), To: int(to)}
			flows[pair{from, to}] = f
		}
		f.Messages++
		f.Bytes += uint64(bytes)
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			if e := &b.Rows[i]; e.Kind == trace.Send || e.Kind == trace.Isend {
				add(int32(b.Proc), e.Peer, e.Bytes)
			}
		}
	}
	for _, c := range s.collectives {
		for i := range c.all {
			comm.Messages(a, c.all[i].kind, c.root(i), c.all[i].bytesOfMembers(len(c.members)), func(_, from, to int, bytes int64) {
				add(c.members[from], c.members[to], bytes)
			})
		}
	}
	all := make([]comm.Flow, 0, len(flows))
	for _, f := range flows {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b comm.Flow) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return all, nil
}

// root returns the index of the root among the members.
func (c *callSequence) root(i int) int {
	if n, is := slices.BinarySearch(c.members, c.all[i].root); is {
		return n
	}
	return 0
}
