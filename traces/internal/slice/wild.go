package slice

import (
	"cmp"
	"maps"
	"slices"

	"spoor/traces/trace"
)

// quotas are the numbers of sends and receives that a part keeps if receives take any
// sender or tag. The trace does not record which message such a receive took. The part
// therefore has as many of both as can match: the first sends of each flow, and the last
// receives of each taker.
//
// The last receives cannot deadlock. When the t-th of the last n receives of a taker
// completed in the whole trace, n-t were still to come, so that t of the n messages in the
// part had arrived. If the part kept the first receives instead, they could wait for
// messages that are sent only after a later event of the receiver.
//
// This counts messages. Unlike trace.MatchQueue, it does not say which receive gets which.
type quotas struct {
	sends, receives map[flow]int64
	others          map[taker]int64 // receives that are not kept
}

// taker identifies receives of one box that take any sender, any tag, or both (trace.None).
type taker struct {
	box
	from trace.Proc
	tag  int32
}

// takerOf returns the taker of a receive of p; false means that the receive has no wildcard.
func takerOf(p trace.Proc, e *trace.Event) (taker, bool) {
	return taker{box{p, e.Group}, trace.Proc(e.Peer), e.Tag}, e.Peer == trace.None || e.Tag == trace.None
}

// takes reports whether receives of t can take messages of f.
func (t taker) takes(f flow) bool {
	return (t.from == trace.Proc(trace.None) || t.from == f.from) && (t.tag == trace.None || t.tag == f.tag)
}

// share finds the quotas of all boxes with wildcards. Receives without a wildcard get their
// messages first.
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

// boxShare matches the messages of one box that receives without wildcards leave with the
// receives with wildcards.
type boxShare struct {
	takers []takerShare
	flows  []flowShare
}

type takerShare struct {
	taker
	wants, has int64
	next       int // flows before it have no free message for the taker
	seen       bool
}

type flowShare struct {
	flow
	free, used int64
	by         map[int]int64 // messages that each taker has, by its number
}

// match assigns as many messages as possible to takers: a maximum matching, by augmenting
// paths.
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

// give assigns up to most more messages to taker i, and returns their number. They are free
// messages, or those of another taker that can get other messages instead.
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

// move adds n messages of f to a taker; n may be negative.
func (f *flowShare) move(n int64, taker int) {
	if f.by == nil {
		f.by = map[int]int64{}
	}
	if f.by[taker] += n; f.by[taker] == 0 {
		delete(f.by, taker)
	}
}

// clone returns a copy of the quotas, which a keeper counts down.
func (q quotas) clone() quotas {
	return quotas{maps.Clone(q.sends), maps.Clone(q.receives), maps.Clone(q.others)}
}

// take takes one of key, and reports whether there was one left.
func take[K comparable](left map[K]int64, key K) bool {
	if left[key] == 0 {
		return false
	}
	left[key]--
	return true
}
