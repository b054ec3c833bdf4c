package trace

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// call is a collective operation, and the member that came to it first.
type call struct {
	kind  Kind
	root  int32
	first Proc
}

// collectives is what the members of one group call, in order: each call as the
// number of its like, a varint.
type collectives struct {
	group   int32
	calls   []call
	numbers map[call]uint64
	order   []byte
	members []*member
}

// member is how far a processor is in the order.
type member struct {
	who    *party
	next   int    // offset in order
	done   uint64 // calls
	last   Pos
	kind   Kind
	strays *strays // where and how it disagreed, in a graph
}

// strays is a member whose rows are in another order than those of others. Graphs
// may lead to one order all the same, if both have as many of each kind.
type strays struct {
	first Mismatch
	more  [endKind]int64 // calls of each kind that the order has not, so far
}

// count takes one more call.
func (s *strays) count(mine, theirs Kind) {
	s.more[mine]++
	s.more[theirs]--
}

// collective holds the next call of who to those of other members.
func (m *Matcher) collective(who *party, e *Event, at Pos) error {
	if !e.Collective() {
		return nil
	}
	g := m.groups[e.Group]
	if g == nil {
		g = &collectives{group: e.Group, numbers: map[call]uint64{}}
		m.groups[e.Group] = g
		m.counts.Groups++
	}
	if who.recent == nil || who.group != e.Group {
		who.recent, who.group = g.member(who), e.Group
	}
	mine := who.recent
	m.counts.Collectives++
	mine.done++
	mine.last, mine.kind = at, e.Kind
	now := call{e.Kind, rootOf(e), who.proc}
	if mine.next == len(g.order) {
		g.append(now)
		mine.next = len(g.order)
		return nil
	}
	number, n := binary.Uvarint(g.order[mine.next:])
	mine.next += n
	then := g.calls[number]
	if mine.strays != nil {
		mine.strays.count(now.kind, then.kind)
		return nil
	}
	if then.same(now) {
		return nil
	}
	err := fmt.Errorf("rank %d collective #%d%s is %s, rank %d has %s", then.first, mine.done, inGroup(e.Group), then.text(now),
		who.proc, now.text(then))
	if e.Needs == nil {
		return err
	}
	mine.strays = &strays{first: Mismatch{Proc: who.proc, Pos: at, Kind: e.Kind, Msg: err.Error(), Legal: true}}
	mine.strays.count(now.kind, then.kind)
	return nil
}

// rootOf is the root of a collective that has one.
func rootOf(e *Event) int32 {
	switch e.Kind {
	case Bcast, Reduce, Gather, Scatter:
		return max(e.Peer, None)
	}
	return None
}

func (g *collectives) member(who *party) *member {
	mine := who.calls[g.group]
	if mine == nil {
		mine = &member{who: who}
		who.calls[g.group] = mine
		g.members = append(g.members, mine)
	}
	return mine
}

func (g *collectives) append(c call) {
	number, known := g.numbers[c]
	if !known {
		number = uint64(len(g.calls))
		g.calls = append(g.calls, c)
		g.numbers[c] = number
	}
	g.order = binary.AppendUvarint(g.order, number)
}

func (c call) same(d call) bool {
	return c.kind == d.kind && (c.root == d.root || c.root == None || d.root == None)
}

// text names the collective, with its root where that is what differs from d.
func (c call) text(d call) string {
	if c.kind != d.kind {
		return c.kind.String()
	}
	return fmt.Sprintf("%s with root %d", c.kind, c.root)
}

// at is the n-th call, from 0.
func (g *collectives) at(n uint64) call {
	var number uint64
	for i := 0; ; n-- {
		var size int
		number, size = binary.Uvarint(g.order[i:])
		if i += size; n == 0 {
			return g.calls[number]
		}
	}
}

// uneven finds members that have fewer collectives than others.
func (m *Matcher) uneven(procs int) {
	for _, g := range m.groups {
		longest := slices.MinFunc(g.members, func(a, b *member) int {
			return cmp.Or(cmp.Compare(b.done, a.done), cmp.Compare(a.who.proc, b.who.proc))
		})
		for _, mine := range g.members {
			if mine.done < longest.done {
				m.fewer(g, longest, mine)
			}
			m.strayed(mine, longest)
		}
		if g.group == None && len(g.members) < procs {
			m.absent(g, longest, procs)
		}
	}
}

// strayed adds that a member disagreed. It is an error if no order of its calls is
// that of others.
func (m *Matcher) strayed(mine, longest *member) {
	if mine.strays == nil {
		return
	}
	found := mine.strays.first
	found.Legal = mine.done < longest.done || mine.strays.more == [endKind]int64{}
	m.found.add(found, 1, func() string { return found.Msg })
}

// absent finds processors without any collective of the world.
func (m *Matcher) absent(g *collectives, longest *member, procs int) {
	for p := range Proc(procs) {
		switch who := m.parties[p]; {
		case who == nil: // it has no place of its own
			m.fewer(g, longest, &member{who: &party{proc: p}, last: longest.last, kind: longest.kind})
		case who.calls[None] == nil:
			m.fewer(g, longest, &member{who: who, last: who.last, kind: who.lastOf})
		}
	}
}

// fewer says that a member comes to an end before the one that has most.
func (m *Matcher) fewer(g *collectives, longest, mine *member) {
	m.found.add(Mismatch{Proc: mine.who.proc, Pos: mine.last, Kind: mine.kind}, 1, func() string {
		return fmt.Sprintf("rank %d ends after %s%s, where rank %d goes on with #%d: %s", mine.who.proc, plural(mine.done, "collective"),
			inGroup(g.group), longest.who.proc, mine.done+1, g.at(mine.done).kind)
	})
}

// GroupCalls counts the collectives of one group.
type GroupCalls struct {
	Group   int32
	Members int
	Calls   uint64 // of the member that has most
	Graphs  bool   // some member has them in another order, which its graph may change
}

// Calls counts the collectives of every group, in the order of their numbers.
func (m *Matcher) Calls() []GroupCalls {
	var all []GroupCalls
	for number, g := range m.groups {
		n := GroupCalls{Group: number, Members: len(g.members)}
		for _, mine := range g.members {
			n.Calls = max(n.Calls, mine.done)
			n.Graphs = n.Graphs || mine.strays != nil
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b GroupCalls) int { return cmp.Compare(a.Group, b.Group) })
	return all
}
