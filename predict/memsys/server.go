package memsys

import (
	"slices"
	"sort"

	"spoor/traces/unit"
)

// server does one thing at a time, such as the memory of a node. What it is asked for comes in the
// order of transactions, not of the times when they reach it: each takes the earliest time that is
// left, between others if it fits there.
type server struct {
	taken []span     // in order and apart
	busy  unit.Picos // of all that was taken
	end   unit.Picos // of the last
}

// span is a time from which and a time until which a server is taken.
type span struct{ from, to unit.Picos }

// take holds the server for so long, not before at, and says from when. Nothing will be asked about times before
// settled: they may be forgotten.
func (s *server) take(at, hold, settled unit.Picos) (start unit.Picos) {
	i := len(s.taken)
	if i > 0 && s.taken[i-1].to > at {
		i = sort.Search(i, func(i int) bool { return s.taken[i].to > at })
	}
	for ; i < len(s.taken) && s.taken[i].from < at+max(1, hold); i++ {
		at = max(at, s.taken[i].to)
	}
	if hold == 0 {
		return at
	}
	s.busy += hold
	s.end = max(s.end, at+hold)
	s.insert(i, span{at, at + hold}, settled)
	return at
}

// insert puts a span before the i-th, and makes one of those that touch.
func (s *server) insert(i int, new span, settled unit.Picos) {
	before, after := i > 0 && s.taken[i-1].to == new.from, i < len(s.taken) && s.taken[i].from == new.to
	switch {
	case before && after:
		s.taken[i-1].to = s.taken[i].to
		s.taken = slices.Delete(s.taken, i, i+1)
	case before:
		s.taken[i-1].to = new.to
	case after:
		s.taken[i].from = new.from
	default:
		if len(s.taken) == cap(s.taken) {
			i -= s.forget(settled)
		}
		s.taken = slices.Insert(s.taken, i, new)
	}
}

// forget drops the spans that end by settled and says how many. There is room for as many as are left then, so
// that moving them costs each a constant on average.
func (s *server) forget(settled unit.Picos) int {
	n := sort.Search(len(s.taken), func(i int) bool { return s.taken[i].to > settled })
	s.taken = slices.Delete(s.taken, 0, n)
	s.taken = slices.Grow(s.taken, len(s.taken)+1)
	return n
}
