package network

import "math"

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
	links    []*stream
	heap     []*stream
}

// near is the relative difference of rates that are the same but for rounding, steady that of those that need no new end.
const near, steady = 1e-9, 1e-12

// solve gives all messages their rates, after some have begun or ended.
func (f *Fluid) solve() {
	s := &f.solver
	s.solves++
	s.part = s.part[:0]
	for _, id := range f.entering {
		f.join(id)
	}
	for _, l := range f.touched {
		for _, p := range l.on {
			if n := &f.flows[p.flow]; n.neck == p.hop {
				f.join(p.flow)
			}
		}
	}
	for begin := -1; begin < len(s.part); {
		begin = len(s.part)
		f.fill()
		f.widen()
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
	}
}

// fill finds the rates of the part.
func (f *Fluid) fill() {
	s := &f.solver
	s.fills++
	s.links = s.links[:0]
	for _, id := range s.part {
		for _, l := range f.flows[id].way {
			if l.fill != s.fills {
				l.fill = s.fills
				f.open(l)
				s.links = append(s.links, l)
			}
		}
	}
	q := append(s.heap[:0], s.links...)
	s.heap = q
	for i := len(q)/2 - 1; i >= 0; i-- {
		down(q, i)
	}
	for unknown := len(s.part); unknown > 0; {
		l := q[0]
		if l.open > 0 {
			if share := l.room / float64(l.open); share > l.share {
				l.share = share
				down(q, 0)
				continue
			}
			unknown -= l.open
			f.freeze(l)
		}
		q[0] = q[len(q)-1]
		if q = q[:len(q)-1]; len(q) > 0 {
			down(q, 0)
		}
	}
}

// open finds what a link has for those of the part.
func (f *Fluid) open(l *stream) {
	l.room, l.open = f.solver.capacity, 0
	for _, p := range l.on {
		if n := &f.flows[p.flow]; n.part == f.solver.solves {
			l.open++
		} else {
			l.room -= n.rate
		}
	}
	l.room = max(0, l.room)
	l.share = l.room / float64(l.open)
}

// freeze gives its share to all that a link holds up.
func (f *Fluid) freeze(l *stream) {
	s := &f.solver
	for _, p := range l.on {
		n := &f.flows[p.flow]
		if n.part != s.solves || n.known == s.fills {
			continue
		}
		n.known, n.next, n.neck = s.fills, l.share, p.hop
		for _, k := range n.way {
			k.room = max(0, k.room-l.share)
			k.open--
		}
	}
}

// down moves the link at i of a heap behind those with less for each of their messages.
func down(q []*stream, i int) {
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

func (l *stream) before(k *stream) bool {
	return l.share < k.share || l.share == k.share && l.link < k.link
}

// widen has those join the part whose rates are not fair beside its own.
func (f *Fluid) widen() {
	for _, l := range f.solver.links {
		f.check(l)
	}
	for _, l := range f.touched {
		f.check(l)
	}
}

// check looks at those on a link that are not of the part.
func (f *Fluid) check(l *stream) {
	s := &f.solver
	if l.checked == s.fills {
		return
	}
	l.checked = s.fills
	sum, most, fair := 0.0, 0.0, math.Inf(1)
	for _, p := range l.on {
		n := &f.flows[p.flow]
		rate := n.rate
		if n.part == s.solves {
			if rate = n.next; n.neck == p.hop {
				fair = rate
			}
		}
		sum, most = sum+rate, max(most, rate)
	}
	for _, p := range l.on {
		n := &f.flows[p.flow]
		if n.part == s.solves {
			continue
		}
		holds := n.neck != p.hop || sum >= s.capacity*(1-near) && n.rate >= most*(1-near)
		if !holds || n.rate > fair*(1+near) {
			f.join(p.flow)
		}
	}
}

// setRate finds when a message ends at its new rate.
func (f *Fluid) setRate(id int32) {
	n := &f.flows[id]
	if math.Abs(n.next-n.rate) <= steady*n.rate {
		return
	}
	n.left -= n.rate * float64(f.now-n.since)
	n.rate, n.since = n.next, f.now
	n.event = min(f.now+picos(max(0, n.left)/n.rate), Horizon)
	if n.spot == nowhere {
		f.agenda.add(f, id)
	} else {
		f.agenda.moved(f, id)
	}
}
