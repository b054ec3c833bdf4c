package main

import (
	"cmp"
	"maps"
	"slices"

	"spoor/traces/trace"
)

// quotas are how many sends and receives of a part are kept where receives take any
// sender or tag. Nothing says which message such a receive took, so the part has as
// many of both as can go together: the first of each flow, and the last of each taker. When
// the t-th of the last n receives of a taker was done in the whole, n-t were still to come, so
// that t of the n messages in the part were there; were the first kept, they could wait for
// messages that come only after what is behind them.
type quotas struct {
	sends, receives map[flow]int64
	others          map[taker]int64 // receives that are not kept
}

// taker is receives of one box that take any sender, or any tag, or both (trace.None).
type taker struct {
	box
	from trace.Proc
	tag  int32
}

// takerOf is what a receive of p is one of, if it takes any sender or tag.
func takerOf(p trace.Proc, e *trace.Event) (taker, bool) {
	return taker{box{p, e.Group}, trace.Proc(e.Peer), e.Tag}, e.Peer == trace.None || e.Tag == trace.None
}

// takes reports whether a message of f can be received so.
func (t taker) takes(f flow) bool {
	return (t.from == trace.Proc(trace.None) || t.from == f.from) && (t.tag == trace.None || t.tag == f.tag)
}

// share finds the quotas of all boxes with wildcards. Receives that name their message
// come first.
func (s *slicing) share() {
	s.quotas = quotas{map[flow]int64{}, map[flow]int64{}, map[taker]int64{}}
	shares := map[box]*boxShare{}
	for b := range s.wild {
		shares[b] = new(boxShare)
	}
	for f, in := range s.sends {
		if share := shares[box{f.to, f.group}]; share != nil {
			named := min(in.len(), s.receives[f].len())
			s.quotas.sends[f], s.quotas.receives[f] = named, named
			share.flows = append(share.flows, flowShare{flow: f, free: in.len() - named})
		}
	}
	for t, n := range s.takers {
		shares[t.box].takers = append(shares[t.box].takers, takerShare{taker: t, wants: n})
	}
	for _, share := range shares {
		share.match()
		for _, t := range share.takers {
			s.quotas.others[t.taker] = t.wants - t.has
		}
		for _, f := range share.flows {
			s.quotas.sends[f.flow] += f.used
		}
	}
}

// boxShare is the messages of one box that no receive names, and who takes them.
type boxShare struct {
	takers []takerShare
	flows  []flowShare
}

type takerShare struct {
	taker
	wants, has int64
	next       int // flows before it have nothing free for it
	seen       bool
}

type flowShare struct {
	flow
	free, used int64
	by         map[int]int64 // number of a taker: messages that it has
}

// match gives takers as many messages as can be given: a maximum matching, by
// augmenting paths.
func (s *boxShare) match() {
	slices.SortFunc(s.takers, func(a, b takerShare) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.tag, b.tag)) })
	slices.SortFunc(s.flows, func(a, b flowShare) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.tag, b.tag)) })
	for i := range s.takers {
		t := &s.takers[i]
		for t.has < t.wants {
			for j := range s.takers {
				s.takers[j].seen = false
			}
			n := s.give(i, t.wants-t.has)
			if n == 0 {
				break
			}
			t.has += n
		}
	}
}

// give gives taker i up to most messages more, and returns how many: free ones, or
// those of another taker who can be given others.
func (s *boxShare) give(i int, most int64) int64 {
	t := &s.takers[i]
	t.seen = true
	for ; t.next < len(s.flows); t.next++ {
		if f := &s.flows[t.next]; f.free > 0 && t.takes(f.flow) {
			n := min(most, f.free)
			f.free, f.used = f.free-n, f.used+n
			f.move(n, i)
			return n
		}
	}
	for j := range s.flows {
		f := &s.flows[j]
		if !t.takes(f.flow) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(f.by)) {
			if s.takers[other].seen {
				continue
			}
			if n := s.give(other, min(most, f.by[other])); n > 0 {
				f.move(-n, other)
				f.move(n, i)
				return n
			}
		}
	}
	return 0
}

// move gives a taker n messages more, or fewer.
func (f *flowShare) move(n int64, taker int) {
	if f.by == nil {
		f.by = map[int]int64{}
	}
	if f.by[taker] += n; f.by[taker] == 0 {
		delete(f.by, taker)
	}
}

// clone is the quotas before anything is kept.
func (q quotas) clone() quotas {
	return quotas{maps.Clone(q.sends), maps.Clone(q.receives), maps.Clone(q.others)}
}

// take takes one of key, if there is one left.
func take[K comparable](left map[K]int64, key K) bool {
	if left[key] == 0 {
		return false
	}
	left[key]--
	return true
}
