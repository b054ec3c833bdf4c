// Package comm measures who sends what to whom, what of it must be done one after the
// other, and what it asks of a network.
//
// # Messages
//
// A message is a send, counted for its sender and the receiver that it names. A
// collective that was recorded whole is no message; Algorithm says which messages it
// stands for, unless collectives are counted apart. Barriers, locks and flags in shared memory are none.
//
// # The critical path
//
// The longest chain of events of which each needs the one before: by program order (or Needs),
// by a message that it received, by a collective whose members it needs something of, by a
// flag that others signalled, by a barrier in shared memory, where all processors meet. Events are
// weighed by the work before them, Instr, and that of Computes; where work is not in
// instructions and there is any, by that alone. A message adds what Costs say, nothing if
// they are zero: then the total work over the length is the parallelism that the program has on a machine
// with as many processors and no costs. Sends wait for nobody. Of equally long paths the one with fewer messages
// is shown, and of these the one with fewer bytes.
//
// Messages and receives match as trace.Matcher has it. What a receive from any rank or
// with any tag gets depends on time; here it gets what was sent first on a nominal clock,
// on which work and messages take what they add to the path. Probes wait for nothing: the receive
// that follows does. Locks are left out: nothing says who has them first. A receive or a collective without its partners
// is let go when nothing else can go on, and counted.
//
// A member of a collective goes on when the messages that it needs have come.
//
// Differs: before the last member has come it does so only where each hears from one other: in broadcasts, but that of Ring, in scans that are
// chains or counted apart, and in scatters that are stars or counted apart. Elsewhere, one that hears from any other goes on when the last has
// come, with the time at which it had its messages; if the last waits for it before, that is let go, and counted.
//
// # Networks
//
// For each topology, every message between two processors is routed, and the links are
// counted: once for each direction. Processor p is node p. With M messages of B bytes in all between P processors:
//
//	hops           mean number of links on a message's way
//	neighbours     share of messages whose way is the shortest there is between two
//	busiest        the most messages, and the most bytes, on one link
//	traffic gap    busiest/(M/P) messages                        [sivasubramaniam1995, sec. 7: future work]
//	bisection gap  P/(links across the bisection) messages       [sivasubramaniam1995, sec. 5]
//
// The gap g of LogP is that many times the time in which a link carries a message. For the
// paper's networks, with 32 bytes and 20 MB/s: 3.2/P us (full), 1.6 us (hypercube), 0.8 us times the columns
// (mesh). In seconds, the bytes of the busiest link, or the mean message for the bisection, are divided by the bandwidth of a link.
//
// [sivasubramaniam1995] see package topology.
package comm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/comm/topology"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis measures messages, the critical path and networks.
type Analysis struct {
	Events      trace.Source // the trace that is analysed, whose events are read once more; nil if it is not there
	Collectives Algorithm
	Costs       Costs
	Bandwidth   unit.BytesPerSecond // of a link
	Meta        []trace.Arg         // for the tables

	head trace.Header
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "comm".
func (a *Analysis) Name() string { return "comm" }

// NewShard wants the events of program orders.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	a.head = h
	if p == trace.Interleaved {
		return nil
	}
	return &shard{proc: p, procs: h.Procs, matrix: newMatrix(), calls: map[collective]*tally{}}
}

// collective is collectives that are alike.
type collective struct {
	group int32
	kind  trace.Kind
	root  int32 // or -1
}

// tally counts the calls of a collective, all members' or one's.
type tally struct {
	members, calls, bytes uint64
}

// shard is the messages of one processor, and the rest that can be known of it alone.
type shard struct {
	proc        trace.Proc
	procs       int
	matrix      *matrix
	calls       map[collective]*tally
	events      uint64
	receives    uint64
	instr, work uint64
	graph       bool
}

// EventsOnly says that references are not needed.
func (s *shard) EventsOnly() bool { return true }

// Add sees the next piece.
func (s *shard) Add(p *analysis.Chunk) error {
	e := p.Event
	if e == nil {
		return nil
	}
	s.events++
	s.instr += uint64(e.Instr)
	s.graph = s.graph || e.Needs != nil
	switch {
	case e.Kind == trace.Send || e.Kind == trace.Isend:
		if e.Peer < 0 || int(e.Peer) >= s.procs {
			return fmt.Errorf("processor %d: %s after %d references to processor %d: the trace has %d", s.proc, e.Kind, e.Refs, e.Peer, s.procs)
		}
		s.matrix.add(pair{s.proc, trace.Proc(e.Peer), e.Kind}, e.Bytes)
	case e.Kind == trace.Recv || e.Kind == trace.Irecv:
		s.receives++
	case e.Kind == trace.Compute:
		if s.work += uint64(e.Work); s.work < uint64(e.Work) {
			return fmt.Errorf("processor %d: more than 2^64 of work", s.proc)
		}
	case e.Collective():
		s.call(e)
	}
	return nil
}

func (s *shard) call(e *trace.Event) {
	c := collective{e.Group, e.Kind, trace.None}
	if rooted(e.Kind) {
		c.root = e.Peer
	}
	t := s.calls[c]
	if t == nil {
		t = &tally{members: 1}
		s.calls[c] = t
	}
	t.calls++
	t.bytes = min(overflown, t.bytes+uint64(e.Bytes))
}

// End does nothing.
func (s *shard) End() error { return nil }

// findings are what all shards and the replay amount to.
type findings struct {
	shards  []*shard
	matrix  *matrix
	calls   map[collective]*tally
	members map[int32][]trace.Proc
	unit    workUnit
	name    string // of the unit of work
	total   uint64 // work
	path    *replay
	traffic []topology.Traffic
}

// Merge joins the shards, and replays the events of all processors if all are there.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	f := findings{matrix: newMatrix(), calls: map[collective]*tally{}, members: map[int32][]trace.Proc{}}
	for _, s := range shards {
		f.join(s.(*shard))
	}
	if err := f.weigh(a.head.WorkUnit); err != nil {
		return analysis.Result{}, err
	}
	var warnings []error
	switch {
	case len(f.shards) < a.head.Procs:
		warnings = append(warnings, errors.New("comm: the critical path, networks and the messages of collectives need all processors and are left out"))
	case a.Events == nil:
		warnings = append(warnings, errors.New("comm: the critical path, networks and the messages of collectives need the events of the trace and are left out"))
	default:
		if err := f.replay(a); err != nil {
			return analysis.Result{}, err
		}
		warnings = f.reservations(a)
	}
	if err := f.matrix.check(); err != nil {
		return analysis.Result{}, err
	}
	if f.path != nil {
		f.traffic = trafficOf(f.matrix, a.head.Procs)
	}
	full := f.matrixTable(a.Meta)
	return analysis.Result{
		Tables: []*store.Table{full, f.sizeTable(a.Meta), f.procTable(a.Meta), f.collectiveTable(a.Meta), f.pathTable(a), f.networkTable(a)},
		Full:   full, Summary: f.summary(a), Warnings: warnings}, nil
}

// join adds a shard. Members of the world are all processors, those of another group
// all that have a collective in it.
func (f *findings) join(s *shard) {
	f.shards = append(f.shards, s)
	f.matrix.join(s.matrix)
	in := map[int32]bool{trace.None: true}
	for c, t := range s.calls {
		in[c.group] = true
		sum := f.calls[c]
		if sum == nil {
			sum = &tally{}
			f.calls[c] = sum
		}
		sum.members++
		sum.calls = max(sum.calls, t.calls)
		sum.bytes = min(overflown, sum.bytes+t.bytes)
	}
	for group := range in {
		f.members[group] = append(f.members[group], s.proc)
	}
}

// weigh chooses what work is counted in, and adds it up.
func (f *findings) weigh(in trace.WorkUnit) error {
	f.unit, f.name = workUnit{instr: true, work: true}, string(trace.WorkInstr)
	if in != trace.WorkInstr {
		f.unit.work = slices.ContainsFunc(f.shards, func(s *shard) bool { return s.work > 0 })
		f.unit.instr = !f.unit.work
	}
	if !f.unit.instr {
		f.name = string(in)
	}
	for _, s := range f.shards {
		if f.total += f.worked(s); f.total < f.worked(s) || f.worked(s) < s.work && f.unit.work {
			return errors.New("comm: the work of all processors exceeds 2^64")
		}
	}
	return nil
}

// worked is what a processor worked.
func (f *findings) worked(s *shard) (n uint64) {
	if f.unit.instr {
		n = s.instr
	}
	if f.unit.work {
		n += s.work
	}
	return n
}

func (f *findings) replay(a *Analysis) error {
	graphs := make([]bool, len(f.shards))
	for i, s := range f.shards {
		graphs[i] = s.graph
	}
	f.path = newReplay(a.Events, a, f.unit, f.members, f.matrix)
	return f.path.run(graphs)
}

// reservations are what readers of the results must know.
func (f *findings) reservations(a *Analysis) (all []error) {
	calls := uint64(0)
	for _, t := range f.calls {
		calls += t.calls
	}
	if f.matrix.total.messages == 0 && calls == 0 {
		all = append(all, errors.New("comm: the trace has no messages; what processors exchange through memory is a matter of the sharing analysis"))
	}
	if calls > 0 && a.Collectives == Apart {
		all = append(all, fmt.Errorf("comm: calls of collectives are counted apart (%d), not as messages; --collectives says what messages they stand for", calls))
	}
	if n := f.path.released; n > 0 {
		all = append(all, fmt.Errorf("comm: on the critical path, receives, waits and collectives without their partners do not wait (%d)", n))
	}
	if n, _ := f.path.post.Unmatched(); n > 0 {
		all = append(all, fmt.Errorf("comm: messages that nobody receives (%d)", n))
	}
	return all
}

// sortedCalls are the collectives that were called, sorted.
func sortedCalls(calls map[collective]*tally) []collective {
	return slices.SortedFunc(maps.Keys(calls), func(a, b collective) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind), cmp.Compare(a.root, b.root))
	})
}
