package network

import (
	"math"

	"spoor/traces/unit"
)

// solver finds max-min fair rates by progressive filling: of all links the one with the least bandwidth for each of its messages
// whose rate is not known yet gives them that, and so on [bertsekas1992, sec. 6.5.2].
//
// When messages begin or end, the rates of others change, but often not of all. So a part of the messages is solved, with the rates of the others
// as they are, beginning with those that share a link which holds them up with one that begins or ends. Then whoever is not in the part, and shares
// a link with those that are, is looked at: it joins the part if its rate is no longer fair, or if it keeps one of the part below its own. That is
// so until nobody joins. Then every message crosses a full link on which none is faster, so that the rates are those of all messages solved
// together.
type solver struct {
	capacity float64 // of a link, in bytes per picosecond
	solves   uint64
	fills    uint64
	part     []int32 // flows
	links    []*fluidLink
	heap     []linkShare
}

// offer is what a link has for each of its messages whose rate is not known, or had.
type linkShare struct {
	share float64
	of    *fluidLink
}

// near is the relative difference of rates that are the same but for rounding, steady that of those that need no new end.
const rateTolerance, endTolerance = 1e-9, 1e-12

// solve gives all messages their rates, after some have begun or ended.
func (f *Fluid) solve() {
	s := &f.solver
	s.solves++
	s.part = s.part[:0]
	for _, id := range f.entering {
		f.flows[id].part = s.solves
		s.part = append(s.part, id)
	}
	for _, l := range f.touched {
		f.joinBottlenecked(l)
	}
	s.links = s.links[:0]
	for known := -1; known < len(s.part); {
		f.addToLinks(s.part[max(0, known):])
		known = len(s.part)
		f.fill()
		for _, l := range s.links {
			f.extendPart(l)
		}
	}
	for _, id := range s.part {
		f.setRate(id)
	}
}

// join makes a flow one of the part.
func (f *Fluid) join(id int32) {
	if n := &f.flows[id]; n.part != f.solver.solves {
		n.part = f.solver.solves
		f.solver.part = append(f.solver.part, id)
		f.detach(id)
	}
}

// joinHeld has those join the part that a link holds up.
func (f *Fluid) joinBottlenecked(l *fluidLink) {
	for i := 0; l.bottlenecked > 0 && i < len(l.on); i++ {
		if p := l.on[i]; f.flows[p.flow].bottleneck == p.hop {
			f.join(p.flow)
		}
	}
}

// apart takes the rate of a flow off its links.
func (f *Fluid) detach(id int32) {
	n := &f.flows[id]
	for _, l := range n.route {
		l.sum -= n.rate
	}
	n.route[n.bottleneck].bottlenecked--
}

// place notes those of the part, which are new, on their links.
func (f *Fluid) addToLinks(all []int32) {
	s := &f.solver
	for _, id := range all {
		for hop, l := range f.flows[id].route {
			if l.part != s.solves {
				l.part, l.inPart = s.solves, l.inPart[:0]
				s.links = append(s.links, l)
			}
			l.inPart = append(l.inPart, hopRef{id, int32(hop)})
		}
	}
}

// fill finds the rates of the part.
func (f *Fluid) fill() {
	s := &f.solver
	s.fills++
	s.heap = s.heap[:0]
	for _, l := range s.links {
		l.unknown, l.spare, l.maxRate, l.fairRate = len(l.inPart), max(0, s.capacity-l.sum), 0, math.Inf(1)
		s.heap = append(s.heap, linkShare{l.spare / float64(l.unknown), l})
	}
	f.fillByShare(s.heap)
}

// offers gives the part its rates, by the links of a heap.
func (f *Fluid) fillByShare(q []linkShare) {
	for i := len(q)/2 - 1; i >= 0; i-- {
		down(q, i)
	}
	for unknown := len(f.solver.part); unknown > 0; {
		least := q[0].share
		if l := q[0].of; l.unknown > 0 {
			if share := l.spare / float64(l.unknown); share > least {
				q[0].share = share
				down(q, 0)
				continue
			}
			unknown -= l.unknown
			f.freeze(l, least)
		}
		q[0] = q[len(q)-1]
		if q = q[:len(q)-1]; len(q) > 0 {
			down(q, 0)
		}
	}
}

// freeze gives a share to all that a link holds up.
func (f *Fluid) freeze(l *fluidLink, share float64) {
	s := &f.solver
	l.fairRate = share
	for _, p := range l.inPart {
		n := &f.flows[p.flow]
		if n.known == s.fills {
			continue
		}
		n.known, n.newRate, n.newBottleneck = s.fills, share, p.hop
		for _, k := range n.route {
			k.spare = max(0, k.spare-share)
			k.maxRate = max(k.maxRate, share)
			k.unknown--
		}
	}
}

// down moves the link at i of a heap behind those with less for each of their messages.
func down(q []linkShare, i int) {
	l := q[i]
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(l) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = l
}

func (o linkShare) before(p linkShare) bool {
	return o.share < p.share || o.share == p.share && o.of.link < p.of.link
}

// widen has those on a link of the part join it whose rates are not fair beside its own: those that the link holds up, if it is not full now or
// others are faster on it; and those that are faster than the part's that it holds up.
func (f *Fluid) extendPart(l *fluidLink) {
	if l.bottlenecked > 0 && (l.spare > rateTolerance*f.solver.capacity || l.bottleneckRate < l.maxRate*(1-rateTolerance)) {
		f.joinBottlenecked(l)
	}
	if math.IsInf(l.fairRate, 1) || len(l.on) == len(l.inPart) {
		return
	}
	for _, p := range l.on {
		if n := &f.flows[p.flow]; n.part != f.solver.solves && n.rate > l.fairRate*(1+rateTolerance) {
			f.join(p.flow)
		}
	}
}

// setRate puts a flow of the part on its links at its new rate, and finds when it ends.
func (f *Fluid) setRate(id int32) {
	n := &f.flows[id]
	n.bottleneck = n.newBottleneck
	neck := n.route[n.bottleneck]
	neck.bottlenecked++
	neck.bottleneckRate = n.newRate
	if math.Abs(n.newRate-n.rate) > endTolerance*n.rate {
		n.remaining -= n.rate * float64(f.now-n.since)
		n.rate, n.since = n.newRate, f.now
		n.event = min(f.now+roundTime(max(0, n.remaining)/n.rate), Horizon)
		if n.heapIndex == notInHeap {
			f.events.add(f, id)
		} else {
			f.events.update(f, id)
		}
	}
	for _, l := range n.route {
		l.sum += n.rate
	}
}

// odd is what rounds durations: not half, as shares of two and four messages end there, and the least that differs in their rates would count.
const roundingOffset = 0.3766

// later is a duration in whole picoseconds, at most until the Horizon.
func roundTime(p float64) unit.Picos {
	if p < float64(Horizon) {
		return unit.Picos(p + roundingOffset)
	}
	return Horizon
}
