// Package comm measures the messages between processors, the critical path of the program, and the
// load of messages on networks.
//
// # Messages
//
// A message is a send, counted for its sender and for the receiver that it names. A recorded
// collective is not a message. An Algorithm replaces it by messages, unless it is Apart. Barriers,
// locks and flags in shared memory are not messages.
//
// # The critical path
//
// The critical path is the longest chain of events in which each event depends on the one before.
// The dependences are:
//
//   - program order (or Needs);
//   - a message that the processor received;
//   - a collective, on the members whose data it needs;
//   - a flag that other processors signalled;
//   - a barrier in shared memory, where all processors synchronize.
//
// An event is weighted by the work before it, Instr, and by the work of Computes. If work is not in
// instructions and the trace has any, only that work counts. A message adds Costs. Without costs,
// the total work divided by the length is the parallelism on a machine with as many processors and
// free communication. Sends never wait. Of equally long paths, the one with fewer messages is
// reported, and of these the one with fewer bytes.
//
// Messages and receives match as in trace.MatchQueue. A receive from any rank or with any tag
// depends on time. Here it gets the message that was sent first on a nominal clock, on which work
// and messages take what they add to the path. Probes do not wait; the receive that follows does.
// Locks are ignored, because nothing determines who gets them first. A receive or collective
// without its partners is released when nothing else can continue, and counted.
//
// A member of a collective continues when the messages that it needs have arrived.
//
// Differs: before the last member has arrived, a member continues only if each member needs data of
// exactly one other. That holds in broadcasts except with Ring, in scans that are chains or counted
// apart, and in scatters that are stars or counted apart. In other collectives, a member that needs
// data of others continues when the last member has arrived, at the time at which it had its
// messages. If the last member waits for that member before, it is released and counted.
//
// # Networks
//
// For each topology, every message between two processors is routed, and the messages on each link
// are counted, separately for each direction. Processor p is node p. Links are directed: two
// neighbours have one in each direction. The bus is one link for all. Every route is a shortest one
// and depends only on its two ends. The networks are those of [sivasubramaniam1995] (full,
// hypercube, 2-D mesh), and the bus, the torus and the fat tree. Machine files can have others:
// [Topologies]. With M messages of B bytes in total
// between P processors:
//
//	hops           mean number of links of a route
//	neighbours     share of messages with the shortest possible route between two processors
//	busiest        the most messages, and the most bytes, on one link
//	traffic gap    busiest/(M/P) messages                        [sivasubramaniam1995, sec. 7: future work]
//	bisection gap  P/(links across the bisection) messages       [sivasubramaniam1995, sec. 5]
//
// The gap g of LogP is that many times the time of a message on a link. For the paper's networks,
// with 32 bytes and 20 MB/s: 3.2/P us (full), 1.6 us (hypercube), 0.8 us times the columns (mesh).
// In seconds, the bytes of the busiest link, or of the mean message for the bisection, are divided
// by the bandwidth of a link.
package comm

import (
	"cmp"
	"fmt"

	"spoor/analyze/analysis"
	"spoor/traces/smallmap"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis measures messages, the critical path and networks.
type Analysis struct {
	Events      trace.Source // the analysed trace, whose events are read again; nil if it is not available
	Collectives Algorithm
	Costs       Costs
	Bandwidth   unit.BytesPerSecond // of a link
	Meta        []trace.Arg         // for the tables

	head trace.Header
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "comm".
func (a *Analysis) Name() string { return "comm" }

// NewShard returns a shard for each program order. It needs only events.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	a.head = h
	if p == trace.Interleaved {
		return nil
	}
	return &shard{proc: p, procs: h.Procs}
}

// collective identifies collectives of the same group, kind and root.
type collective struct {
	group int32
	kind  trace.Kind
	root  int32 // or -1
}

func (c collective) compare(d collective) int {
	return cmp.Or(cmp.Compare(c.group, d.group), cmp.Compare(c.kind, d.kind), cmp.Compare(c.root, d.root))
}

// tally counts the calls of a collective, for all members or for one.
type tally struct {
	members, calls, bytes uint64
}

// shard holds the messages of one processor, and all other counts that need only this processor.
type shard struct {
	proc        trace.Proc
	procs       int
	matrix      matrix
	calls       smallmap.Map[collective, tally]
	events      uint64
	receives    uint64
	instr, work uint64
	graph       bool
}

// EventsOnly reports that references are not needed.
func (s *shard) EventsOnly() bool { return true }

// Add counts the next event.
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
	t := s.calls.Of(c)
	t.members = 1
	t.calls++
	t.bytes = min(overflown, t.bytes+uint64(e.Bytes))
}

// End releases the memory that further events would use.
func (s *shard) End() error {
	s.matrix.compact()
	s.calls.Compact()
	return nil
}
