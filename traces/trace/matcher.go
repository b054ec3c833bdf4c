package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is the position of an event in a foreign input: the number of the file, and the
// line or offset in it. In a stored trace it is the row.
type Pos struct {
	File int32
	At   int64
}

// Mismatch is an event that does not match those of other ranks. It is a send without a
// receive, a receive without a send, or a receive that is too small for its message. It may
// also be a collective that other ranks do not call.
type Mismatch struct {
	Proc  Proc
	Pos   Pos
	Kind  Kind
	Msg   string // "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"
	Legal bool   // the program may be correct: a note, not an error
}

// Matcher checks that the messages, requests and collectives of all processors match.
// Events of one processor come in program order. Processors may come one after the
// other or mixed; the result is the same.
//
// # Messages
//
// Sends and receives match as in MPI: the n-th receive from a rank with a tag in a
// group gets the n-th message with that sender, tag and group. If the receive has
// fewer bytes than its message, that is a Mismatch (truncation). A receive of 0 bytes
// is not checked, because 0 also means that the size is unknown.
//
// A receive with a peer or tag of -1 is a wildcard. Which message it gets depends on
// time. So does the message of every later receive that could take the same messages.
// Matcher only counts these receives, and reports what is certain:
//
//   - A receive before every such wildcard gets its message in order.
//   - There must not be more receives from one rank with one tag than messages from it.
//   - In one inbox (a rank and a group), the messages that wildcards can take and the
//     receives that can take them must be equally many.
//
// Probes take no message.
//
// Events with Needs form a graph, and may execute in another order than that of their
// rows. The numbers of messages and receives do not depend on the order, but which
// receive gets which message may. Truncation is therefore a Legal Mismatch, unless the
// channel has only one message.
//
// # Requests
//
// A request of a processor is open from the isend, irecv or collective that names it
// until a wait for it. A test with a Count above 0 closes it, too. A test without a
// Count may have closed it: from then on, the processor may wait for the request, use
// it again or leave it open. Requests that are still open at the end are a Legal
// Mismatch, one for each processor, because the program may have freed them. Waits
// without a request (-1) are not checked.
//
// # Collectives
//
// The n-th collective of each member of a group must have the same kind and root. A
// root of -1 is unknown and matches any. All members must have equally many collectives.
//
// If the events have Needs, they may execute in another order. Then the first difference
// of a member is a Legal Mismatch instead of an error. The member must still have as many
// collectives of each kind as the others.
//
// The members of the world (group -1) are all processors. The members of another group
// are the processors with a collective in it. A barrier with a Peer is an object in
// shared memory. It is not checked, because its participants are not recorded.
//
// # Memory
//
// Unmatched messages and receives take 24 bytes for each series with equal sizes and
// equally distant positions, and about 100 bytes for each sender, receiver, tag and
// group. A collective takes one or two bytes, once for all members.
type Matcher struct {
	ranks  map[Proc]*rank
	latest *rank
	flows  flows
	boxes  map[inbox]*box
	doubts map[channel]Mismatch // possible truncations in graphs
	groups map[int32]*collectives
	found  findings
	counts MatchCounts
}

// MatchCounts counts the events that a Matcher has seen, and after Finish also its findings.
type MatchCounts struct {
	Sends, Receives uint64
	Messages        uint64 // pairs of a send and a receive
	Wildcards       uint64 // receives from any rank or with any tag
	Requests        uint64 // opened requests
	Open            uint64 // requests that were never closed
	Collectives     uint64 // calls, summed over members
	Groups          int    // groups with collectives
	Mismatches      uint64 // mismatches that are not Legal, including those that Finish does not list
}

// NewMatcher returns a Matcher without events.
func NewMatcher() *Matcher {
	return &Matcher{ranks: map[Proc]*rank{}, doubts: map[channel]Mismatch{}, boxes: map[inbox]*box{}, groups: map[int32]*collectives{}}
}

// Counts returns the counts so far.
func (m *Matcher) Counts() MatchCounts { return m.counts }

// rank is the state of one processor.
type rank struct {
	proc     Proc
	open     requests
	calls    map[int32]*member // by group
	recent   *member           // member of the latest collective
	group    int32             // group of recent
	last     Pos               // position of the latest event
	lastKind Kind
}

func (m *Matcher) rank(p Proc) *rank {
	if m.latest != nil && m.latest.proc == p {
		return m.latest
	}
	r := m.ranks[p]
	if r == nil {
		r = &rank{proc: p, calls: map[int32]*member{}}
		m.ranks[p] = r
	}
	m.latest = r
	return r
}

// Event adds the next event of p. It returns an error if e itself is wrong:
//
//   - it waits for a request that is not open, or opens one that is open;
//   - it is a collective that differs from the same collective of an earlier processor.
func (m *Matcher) Event(p Proc, e *Event, at Pos) error {
	r := m.rank(p)
	r.last, r.lastKind = at, e.Kind
	switch e.Kind {
	case Send, Isend:
		if e.Peer < 0 {
			return fmt.Errorf("%s to rank %d", e.Kind, e.Peer)
		}
		m.send(p, e, at)
	case Recv, Irecv:
		m.receive(p, e, at)
	case Wait:
		return r.wait(e)
	case Test:
		r.test(e)
		return nil
	case Barrier, Bcast, Reduce, AllReduce, Scan, Gather, AllGather, Scatter, AllToAll:
		if err := m.collective(r, e, at); err != nil {
			return err
		}
	default:
		return nil
	}
	if e.Request < 0 || e.Kind == Send || e.Kind == Recv {
		return nil
	}
	m.counts.Requests++
	return r.start(e, at)
}

// Finish lists the mismatches, after the last call of Event. They are in the order of
// processors and positions; those that are Legal come last. If there are more than a
// thousand, it lists only the first ones and appends the number of others to the last.
func (m *Matcher) Finish(procs int) []Mismatch {
	m.decide()
	m.unmatched(procs)
	for _, r := range m.ranks {
		m.leftOpen(r)
	}
	m.uneven(procs)
	m.counts.Mismatches = m.found.errors
	return m.found.list()
}

// maxListed is the most findings that Finish lists.
const maxListed = 1000

// findings holds the first findings by processor and position.
type findings struct {
	kept    []Mismatch
	errors  uint64
	omitted uint64
}

// add adds a finding that stands for n events. It calls say for the text only if the
// finding may be among the first.
func (f *findings) add(m Mismatch, n uint64, say func() string) {
	if !m.Legal {
		f.errors += n
	}
	if len(f.kept) == 2*maxListed {
		f.trim()
	}
	if len(f.kept) >= maxListed && order(m, f.kept[maxListed-1]) > 0 && f.omitted > 0 {
		f.omitted++
		return
	}
	m.Msg = say()
	f.kept = append(f.kept, m)
}

func (f *findings) trim() {
	slices.SortStableFunc(f.kept, order)
	if len(f.kept) > maxListed {
		f.omitted += uint64(len(f.kept) - maxListed)
		f.kept = f.kept[:maxListed]
	}
}

func (f *findings) list() []Mismatch {
	f.trim()
	if f.omitted > 0 {
		f.kept[maxListed-1].Msg += fmt.Sprintf(" (and %d more mismatches)", f.omitted)
	}
	return f.kept
}

// order compares findings by processor and position. Legal ones come last.
func order(a, b Mismatch) int {
	if a.Legal != b.Legal {
		if a.Legal {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.Proc, b.Proc), cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.At, b.Pos.At),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Msg, b.Msg))
}
