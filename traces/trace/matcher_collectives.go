package trace

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// call is a collective operation, and the member that called it first.
type call struct {
	kind  Kind
	root  int32
	first Proc
}

// collectives holds the sequence of collectives of one group.
type collectives struct {
	group   int32
	calls   []call // different calls
	numbers map[call]uint64
	order   []byte // the sequence: the index in calls of each, as varints
	members []*member
}

// member is the state of a processor in the sequence of a group.
type member struct {
	rank     *rank
	next     int    // offset in order
	done     uint64 // number of calls
	last     Pos    // position of the latest call
	kind     Kind
	diverged *divergence // of a graph whose rows differ from the sequence, else nil
}

// divergence describes a member whose rows are in another order than those of others.
// The graph may still execute in the common order, if both have as many calls of each kind.
type divergence struct {
	first   Mismatch
	surplus [endKind]int64 // calls of each kind that the member has more than the sequence, so far
}

// count adds one more pair of calls.
func (s *divergence) count(mine, theirs Kind) {
	s.surplus[mine]++
	s.surplus[theirs]--
}

// collective compares the next call of r with those of other members.
func (m *Matcher) collective(r *rank, e *Event, at Pos) error {
	if !e.Collective() {
		return nil
	}
	g := m.groups[e.Group]
	if g == nil {
		g = &collectives{group: e.Group, numbers: map[call]uint64{}}
		m.groups[e.Group] = g
		m.counts.Groups++
	}
	if r.recent == nil || r.group != e.Group {
		r.recent, r.group = g.member(r), e.Group
	}
	mine := r.recent
	m.counts.Collectives++
	mine.done++
	mine.last, mine.kind = at, e.Kind
	now := call{e.Kind, rootOf(e), r.proc}
	if mine.next == len(g.order) {
		g.append(now)
		mine.next = len(g.order)
		return nil
	}
	number, n := binary.Uvarint(g.order[mine.next:])
	mine.next += n
	then := g.calls[number]
	if mine.diverged != nil {
		mine.diverged.count(now.kind, then.kind)
		return nil
	}
	if then.same(now) {
		return nil
	}
	err := fmt.Errorf("rank %d collective #%d%s is %s, rank %d has %s", then.first, mine.done, inGroup(e.Group), then.text(now),
		r.proc, now.text(then))
	if e.Needs == nil {
		return err
	}
	mine.diverged = &divergence{first: Mismatch{Proc: r.proc, Pos: at, Kind: e.Kind, Msg: err.Error(), Legal: true}}
	mine.diverged.count(now.kind, then.kind)
	return nil
}

// rootOf returns the root of a collective, or None if the kind has no root.
func rootOf(e *Event) int32 {
	switch e.Kind {
	case Bcast, Reduce, Gather, Scatter:
		return max(e.Peer, None)
	}
	return None
}

func (g *collectives) member(r *rank) *member {
	mine := r.calls[g.group]
	if mine == nil {
		mine = &member{rank: r}
		r.calls[g.group] = mine
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

// text names the collective, with its root if c and d differ only in the root.
func (c call) text(d call) string {
	if c.kind != d.kind {
		return c.kind.String()
	}
	return fmt.Sprintf("%s with root %d", c.kind, c.root)
}

// at returns the n-th call, from 0.
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

// uneven finds members with fewer collectives than others.
func (m *Matcher) uneven(procs int) {
	for _, g := range m.groups {
		longest := slices.MinFunc(g.members, func(a, b *member) int {
			return cmp.Or(cmp.Compare(b.done, a.done), cmp.Compare(a.rank.proc, b.rank.proc))
		})
		for _, mine := range g.members {
			if mine.done < longest.done {
				m.fewer(g, longest, mine)
			}
			m.addDivergence(mine, longest)
		}
		if g.group == None && len(g.members) < procs {
			m.absent(g, longest, procs)
		}
	}
}

// addDivergence adds a finding if a member diverged. It is an error if no order of its calls
// is the common sequence.
func (m *Matcher) addDivergence(mine, longest *member) {
	if mine.diverged == nil {
		return
	}
	found := mine.diverged.first
	found.Legal = mine.done < longest.done || mine.diverged.surplus == [endKind]int64{}
	m.found.add(found, 1, func() string { return found.Msg })
}

// absent finds processors without any collective of the world.
func (m *Matcher) absent(g *collectives, longest *member, procs int) {
	for p := range Proc(procs) {
		switch r := m.ranks[p]; {
		case r == nil: // it has no event, and so no position
			m.fewer(g, longest, &member{rank: &rank{proc: p}, last: longest.last, kind: longest.kind})
		case r.calls[None] == nil:
			m.fewer(g, longest, &member{rank: r, last: r.last, kind: r.lastKind})
		}
	}
}

// fewer adds a finding for a member that has fewer collectives than the longest.
func (m *Matcher) fewer(g *collectives, longest, mine *member) {
	m.found.add(Mismatch{Proc: mine.rank.proc, Pos: mine.last, Kind: mine.kind}, 1, func() string {
		return fmt.Sprintf("rank %d ends after %s%s, where rank %d goes on with #%d: %s", mine.rank.proc, plural(mine.done, "collective"),
			inGroup(g.group), longest.rank.proc, mine.done+1, g.at(mine.done).kind)
	})
}

// GroupCalls counts the collectives of one group.
type GroupCalls struct {
	Group   int32
	Members int
	Calls   uint64 // calls of the member with most
	Graphs  bool   // the rows of some member are in another order, which its graph may change
}

// Calls returns the counts of every group, in the order of group numbers.
func (m *Matcher) Calls() []GroupCalls {
	var all []GroupCalls
	for number, g := range m.groups {
		n := GroupCalls{Group: number, Members: len(g.members)}
		for _, mine := range g.members {
			n.Calls = max(n.Calls, mine.done)
			n.Graphs = n.Graphs || mine.diverged != nil
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b GroupCalls) int { return cmp.Compare(a.Group, b.Group) })
	return all
}
