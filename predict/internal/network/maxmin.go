package network

import (
	"math"

	"spoor/analyze/comm"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// solver finds max-min fair rates by progressive filling [bertsekas1992, sec. 6.5.2]. It takes the link with the
// least bandwidth for each of its messages without a known rate, gives these messages that rate, and repeats.
//
// When messages begin or end, the rates of others change, but often not of all. So a part of the messages is solved,
// with the rates of the others fixed. The part begins with the messages whose bottleneck is a link of a message that
// begins or ends. Then other messages on the links of the part are examined. Such a message joins the part if its
// rate is no longer fair, or if it keeps one of the part below its own rate. This is repeated until no message joins.
// Then every message crosses a saturated link on which none is faster. So the rates are those of a solution of all
// messages together.
type solver struct {
	capacity float64 // of a link, in bytes per picosecond
	solves   uint64
	fills    uint64
	part     []int32 // flows
	links    []*fluidLink
	// lower bounds on the bandwidth that a link has for each of its messages without a known rate
	heap heap.Heap[float64, comm.Link, uint8, *fluidLink]
}

// rateTolerance is the relative difference of rates that are equal except for rounding. Below endTolerance, a flow
// keeps its end.
const rateTolerance, endTolerance = 1e-9, 1e-12

// solve computes the rates of all messages, after some have begun or ended.
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

// join adds a flow to the part.
func (f *Fluid) join(id int32) {
	if n := &f.flows[id]; n.part != f.solver.solves {
		n.part = f.solver.solves
		f.solver.part = append(f.solver.part, id)
		f.detach(id)
	}
}

// joinBottlenecked adds the flows to the part whose bottleneck is a link.
func (f *Fluid) joinBottlenecked(l *fluidLink) {
	for i := 0; l.bottlenecked > 0 && i < len(l.on); i++ {
		if p := l.on[i]; f.flows[p.flow].bottleneck == p.hop {
			f.join(p.flow)
		}
	}
}

// detach removes the rate of a flow from its links.
func (f *Fluid) detach(id int32) {
	n := &f.flows[id]
	for _, l := range n.route {
		l.sum -= n.rate
	}
	n.route[n.bottleneck].bottlenecked--
}

// addToLinks notes new flows of the part on their links.
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

// fill computes the rates of the part.
func (f *Fluid) fill() {
	s := &f.solver
	s.fills++
	s.heap = s.heap[:0]
	for _, l := range s.links {
		l.unknown, l.spare, l.maxRate, l.fairRate = len(l.inPart), max(0, s.capacity-l.sum), 0, math.Inf(1)
		s.heap = append(s.heap, heap.Item[float64, comm.Link, uint8, *fluidLink]{Key: l.spare / float64(l.unknown), Tie: l.link, Value: l})
	}
	s.heap.Init()
	for unknown := len(s.part); unknown > 0; {
		least := s.heap[0]
		if l := least.Value; l.unknown > 0 {
			if share := l.spare / float64(l.unknown); share > least.Key {
				least.Key = share
				s.heap.ReplaceFirst(least)
				continue
			}
			unknown -= l.unknown
			f.freeze(l, least.Key)
		}
		s.heap.Pop()
	}
}

// freeze gives a share to all flows whose bottleneck is a link.
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

// extendPart adds flows on a link of the part whose rates are not fair compared with those of the part. These are
// flows whose bottleneck is the link, if it is no longer saturated or others are faster on it. They are also flows
// that are faster than those of the part whose bottleneck it is.
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

// setRate puts a flow of the part on its links at its new rate, and computes its end.
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
		f.schedule(id)
	}
	for _, l := range n.route {
		l.sum += n.rate
	}
}

// roundingOffset rounds durations. It is not one half, because shares of two and four messages end there, and tiny
// differences in rates would then change the result.
const roundingOffset = 0.3766

// roundTime rounds a duration to whole picoseconds, at most the Horizon.
func roundTime(p float64) unit.Picos {
	if p < float64(Horizon) {
		return unit.Picos(p + roundingOffset)
	}
	return Horizon
}
