package network

import "spoor/traces/heap"

// smpiRates finds the shares of messages by progressive filling with weights and bounds. The link that would be full
// first gives its messages their shares: to those below it that reach a bound, their bounds; if there are none, to all.
//
// When messages begin or end, only the shares change of messages that have a link in common with them, directly or by
// way of others.
type smpiRates struct {
	solves uint64
	part   []int32 // messages that are solved
	links  []*smpiLink
	// lower bounds on the share per weight at which a link is full; ties go to the link that was found first
	heap heap.Heap[float64, uint32, uint8, *smpiLink]
}

// solve computes the shares of all messages of the part that contains some links.
func (s *smpiRates) solve(flows []smpiFlow, from []*smpiLink) {
	s.findPart(flows, from)
	s.heap = s.heap[:0]
	for i, l := range s.links {
		if l.usage > 0 {
			s.heap = append(s.heap, heap.Item[float64, uint32, uint8, *smpiLink]{Key: l.spare / l.usage, Tie: uint32(i), Value: l})
		}
	}
	s.heap.Init()
	for unknown := len(s.part); unknown > 0; {
		first := s.heap[0]
		l := first.Value
		switch level := l.spare / l.usage; {
		case l.unknown == 0:
			s.heap.Pop()
		case level > first.Key:
			first.Key = level
			s.heap.ReplaceFirst(first)
		default:
			unknown -= l.fill(flows, level)
		}
	}
}

// findPart finds the messages of the part, and their links.
func (s *smpiRates) findPart(flows []smpiFlow, from []*smpiLink) {
	s.solves++
	s.part, s.links = s.part[:0], s.links[:0]
	add := func(l *smpiLink) {
		if l.solve != s.solves {
			l.solve, l.spare, l.usage, l.unknown = s.solves, l.capacity, 0, 0
			s.links = append(s.links, l)
		}
	}
	for _, l := range from {
		add(l)
	}
	for i := 0; i < len(s.links); i++ {
		for _, p := range s.links[i].on {
			n := &flows[p.flow]
			if n.solve != s.solves {
				n.solve, n.known = s.solves, false
				s.part = append(s.part, p.flow)
				for _, h := range n.hops {
					add(h.smpiLink)
					h.usage += h.use / n.penalty
					h.unknown++
				}
			}
		}
	}
}

// fill gives shares to messages of a link that is full at a level. It returns to how many.
func (l *smpiLink) fill(flows []smpiFlow, level float64) (known int) {
	least := level
	for _, p := range l.on {
		if n := &flows[p.flow]; !n.known {
			least = min(least, n.bound*n.penalty)
		}
	}
	for _, p := range l.on {
		n := &flows[p.flow]
		if n.known || least < level && n.bound*n.penalty > least {
			continue
		}
		known++
		n.known, n.share = true, max(least/n.penalty, n.bound*endTolerance)
		for _, h := range n.hops {
			h.spare = max(0, h.spare-h.use*n.share)
			h.usage -= h.use / n.penalty
			h.unknown--
		}
	}
	return known
}
