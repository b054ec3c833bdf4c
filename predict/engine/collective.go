package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// round is how far a strand is with the steps of a collective.
type round struct {
	steps    []Step
	from, to int // of steps, the present round
	at       int // of steps, the next thing to do
	pass     pass
	nodes    []int32 // pending operations of the round's steps
}

// pass is what a strand does with the steps of a round.
type pass uint8

const (
	posts    pass = iota // all receives
	sends                // one after the other
	receives             // waits for them
	departs              // waits until what was sent has left
)

// sends is whether the next thing is to send.
func (d *round) sends() bool { return d.pass == sends }

// startCollective begins the steps, as a strand of its own if the collective has a request.
func (r *rank) startCollective(s *strand, now unit.Picos) {
	steps, err := r.e.opt.Steps(r.id, s.op)
	if err != nil {
		r.e.fail(fmt.Errorf("rank %d: operation %d: %w", r.id, s.row, err))
		return
	}
	c := s
	if s.op.Request >= 0 {
		if r.more == nil {
			r.more = &strands{schedules: r.e.LogGOPSim}
		}
		op := *s.op // which the program may change when it goes on
		c = r.more.add(s.row, &op, now)
		if c.agenda != nil {
			*c.agenda = *s.agenda
		}
		c.own = r.e.pendings.add()
		r.e.pendings.items[c.own] = pending{done: undone, what: Collective, group: s.op.Group, tag: s.op.Tag}
		r.request(s.op.Request, c.own)
	}
	if c.round == nil {
		c.round = &round{}
	}
	*c.round = round{steps: steps, nodes: c.round.nodes[:0]}
	c.t, c.phase = now, stepping
	c.agenda.follow(now)
	r.beginRound(c)
	if c != s {
		r.more.after(r, c)
		r.finish(s, now)
	}
}

// beginRound comes to the next round, or to the end.
func (r *rank) beginRound(s *strand) {
	d := s.round
	d.from, d.pass = d.to, posts
	if d.from == len(d.steps) {
		r.finish(s, s.t)
		return
	}
	for d.to < len(d.steps) && d.steps[d.to].Round == d.steps[d.from].Round {
		d.to++
	}
	s.phase = stepping
}

// stepRound posts the receives of a round, or sends one of its messages.
func (r *rank) stepRound(s *strand, now unit.Picos) {
	d := s.round
	s.t = now
	if d.pass == posts {
		d.nodes = d.nodes[:0]
		r.e.posting(s, now < r.cpu)
		for i := d.from; i < d.to; i++ {
			node := over
			if p := d.steps[i].Peer; p < 0 || int(p) >= len(r.e.ranks) {
				r.e.fail(fmt.Errorf("rank %d: operation %d has a message with rank %d of %d", r.id, s.row, p, len(r.e.ranks)))
				return
			}
			if !d.steps[i].Send {
				s.agenda.posted()
				node = r.offer(d.steps[i].Peer, s.op.Tag, s.op.Group, 0, now)
			}
			d.nodes = append(d.nodes, node)
		}
		r.e.posting(nil, false)
		d.at, d.pass = d.from, sends
	} else {
		m := &d.steps[d.at]
		s.t, d.nodes[d.at-d.from] = r.send(now, m.Peer, s.op.Tag, s.op.Group, m.Bytes, 0)
		s.agenda.did(now)
		d.at++
	}
	r.nextOfRound(s)
}

// nextOfRound goes to the next thing to do.
func (r *rank) nextOfRound(s *strand) {
	for d := s.round; ; d.at, d.pass = d.from, d.pass+1 {
		for ; d.at < d.to; d.at++ {
			switch n := d.nodes[d.at-d.from]; {
			case d.pass == sends && d.steps[d.at].Send:
				s.phase = stepping
				return
			case d.pass != sends && n != over && d.steps[d.at].Send == (d.pass == departs):
				d.at++
				r.await(s, n, s.t)
				return
			}
		}
		if d.pass == departs {
			s.agenda.follow(s.t)
			r.beginRound(s)
			return
		}
	}
}
