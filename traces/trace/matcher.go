package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is where in a foreign input an event was: the number of the file, and the
// line or offset in it. In a stored trace it is the row.
type Pos struct {
	File int32
	At   int64
}

// Mismatch is an event that lacks what it needs from another rank: a send without
// a receive, a receive without a send or too small for it, a collective that other
// ranks do not call.
type Mismatch struct {
	Proc  Proc
	Pos   Pos
	Kind  Kind
	Msg   string // "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"
	Legal bool   // the program may have meant it: worth a note, not an error
}

// Matcher holds the messages, requests and collectives of all processors to each
// other. Events of one processor come in program order; processors may come one
// after the other or mixed, and what is found is the same.
//
// # Messages
//
// Sends and receives match as in MPI: the n-th receive from a rank with a tag in a
// group gets the n-th message sent so. A receive of fewer bytes than its message is
// a Mismatch (truncation), unless its bytes are 0, which also stand for unknown. A
// peer or tag of -1 makes a receive a wildcard. Which message a wildcard gets
// depends on time, and with it what later receives get that could take the same
// messages: those are only counted. What remains certain is that a receive that
// comes before every such wildcard gets its message in order, that more receives
// from one rank with one tag than messages sent so are too many, and that in
// one inbox (a rank and a group) all the messages in question and all the receives
// must be equally many. No more than this is reported. Probes take nothing.
//
// Events with Needs are a graph, whose rows may run in another order. How many
// messages and receives there are does not depend on it; which receive gets which
// message may, so that truncation is a Legal Mismatch, unless there is one message in
// the channel.
//
// # Requests
//
// A request of a processor is open from the isend, irecv or collective that names it
// until a wait for it. A test with a Count above 0 closes it too; a test without may
// have closed it, and from then on the request can be waited for, used again or left. A
// request still open at the end is a Legal Mismatch, one for each processor: the
// program may have freed it. Waits without a request (-1) are not held to anything.
//
// # Collectives
//
// The n-th collective of each member of a group must be of the same kind and root
// (-1 stands for a root that is not known), and all members must have equally many.
// Of events with Needs the first that disagrees is a Legal Mismatch instead of an error,
// if the member has as many of each kind as others have.
// Members of the world (group -1) are all processors; of another group, those that
// have a collective in it. A barrier with a Peer is one of an object in shared memory:
// nothing says which processors meet there, and it is held to nothing.
//
// # Memory
//
// What waits for its partner takes 24 bytes for each series of equal sizes whose
// places are equally far apart, and some 100 for each sender, receiver, tag and group.
// Collectives take a byte or two each, once for all members.
type Matcher struct {
	parties map[Proc]*party
	latest  *party
	flows   flows
	boxes   map[inbox]*box
	doubts  map[channel]Mismatch // of truncation, in graphs
	groups  map[int32]*collectives
	found   findings
	counts  MatchCounts
}

// MatchCounts is what a Matcher has seen, and after Finish also what it has found.
type MatchCounts struct {
	Sends, Receives uint64
	Messages        uint64 // that have both a send and a receive
	Wildcards       uint64 // receives that name no rank or no tag
	Requests        uint64 // that were opened
	Open            uint64 // of these, never closed
	Collectives     uint64 // calls by all members
	Groups          int    // that have collectives
	Mismatches      uint64 // those that are not Legal, also the ones that Finish leaves out
}

// NewMatcher has seen nothing.
func NewMatcher() *Matcher {
	return &Matcher{parties: map[Proc]*party{}, doubts: map[channel]Mismatch{}, boxes: map[inbox]*box{}, groups: map[int32]*collectives{}}
}

// Counts is what has been seen so far.
func (m *Matcher) Counts() MatchCounts { return m.counts }

// party is what a processor has going.
type party struct {
	proc   Proc
	open   map[int32]request
	calls  map[int32]*member // by group
	recent *member           // the one of the latest call
	group  int32             // of recent
	last   Pos
	lastOf Kind
}

func (m *Matcher) party(p Proc) *party {
	if m.latest != nil && m.latest.proc == p {
		return m.latest
	}
	who := m.parties[p]
	if who == nil {
		who = &party{proc: p, open: map[int32]request{}, calls: map[int32]*member{}}
		m.parties[p] = who
	}
	m.latest = who
	return who
}

// Event takes the next event of p. The error is about e itself: a wait for a
// request that is not open, a request that is used twice, a collective that is
// another one than the same collective of an earlier processor.
func (m *Matcher) Event(p Proc, e *Event, at Pos) error {
	who := m.party(p)
	who.last, who.lastOf = at, e.Kind
	switch e.Kind {
	case Send, Isend:
		if e.Peer < 0 {
			return fmt.Errorf("%s to rank %d", e.Kind, e.Peer)
		}
		m.send(p, e, at)
	case Recv, Irecv:
		m.receive(p, e, at)
	case Wait:
		return who.wait(e)
	case Test:
		who.test(e)
		return nil
	case Barrier, Bcast, Reduce, AllReduce, Scan, Gather, AllGather, Scatter, AllToAll:
		if err := m.collective(who, e, at); err != nil {
			return err
		}
	default:
		return nil
	}
	if e.Request < 0 || e.Kind == Send || e.Kind == Recv {
		return nil
	}
	m.counts.Requests++
	return who.start(e, at)
}

// Finish is called when every event has come, and lists what has no partner, in
// the order of processors and places, those that are Legal after all others. Of more
// than a thousand it lists the first, and says so in the last.
func (m *Matcher) Finish(procs int) []Mismatch {
	m.decide()
	m.unmatched(procs)
	for _, who := range m.parties {
		m.leftOpen(who)
	}
	m.uneven(procs)
	m.counts.Mismatches = m.found.errors
	return m.found.list()
}

// maxListed is how many findings are kept.
const maxListed = 1000

// findings are the first of those that were added, by processor and place.
type findings struct {
	kept   []Mismatch
	errors uint64
	left   uint64 // out
}

// add keeps a finding that stands for n events. say is asked for the text only if
// the finding may be among the first.
func (f *findings) add(m Mismatch, n uint64, say func() string) {
	if !m.Legal {
		f.errors += n
	}
	if len(f.kept) == 2*maxListed {
		f.trim()
	}
	if len(f.kept) >= maxListed && order(m, f.kept[maxListed-1]) > 0 && f.left > 0 {
		f.left++
		return
	}
	m.Msg = say()
	f.kept = append(f.kept, m)
}

func (f *findings) trim() {
	slices.SortStableFunc(f.kept, order)
	if len(f.kept) > maxListed {
		f.left += uint64(len(f.kept) - maxListed)
		f.kept = f.kept[:maxListed]
	}
}

func (f *findings) list() []Mismatch {
	f.trim()
	if f.left > 0 {
		f.kept[maxListed-1].Msg += fmt.Sprintf(" (and %d more mismatches)", f.left)
	}
	return f.kept
}

// order is that of processors and places; what is legal comes after all else.
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
