package engine

import (
	"fmt"

	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// collectiveState is the progress of a task within a collective.
type collectiveState struct {
	steps    []program.Step
	from, to int // of steps, the present round
	next     int // of steps, the next action
	stage    roundStage
	pending  []int32 // pending operations of the round's steps
}

// roundStage is a stage of a round.
type roundStage uint8

const (
	postReceives    roundStage = iota // all receives
	sendMessages                      // one after the other
	awaitReceives                     // waits for the receives
	awaitDepartures                   // waits until the sent messages have left
)

// isSending reports whether the next action is to send.
func (d *collectiveState) isSending() bool { return d.stage == sendMessages }

// startCollective begins the steps. A collective with a request gets a task of its own.
func (r *rank) startCollective(s *task, now unit.Picos) {
	steps, err := r.e.opt.Steps(r.id, s.op)
	if err != nil {
		r.e.fail(fmt.Errorf("rank %d: operation %d: %w", r.id, s.row, err))
		return
	}
	c := s
	if s.op.Request >= 0 {
		if r.tasks == nil {
			r.tasks = &taskQueue{enqueues: r.e.LogGOPSim}
		}
		op := *s.op // a copy: the program may change it when it goes on
		c = r.tasks.add(s.row, &op, now)
		if c.stamp != nil {
			*c.stamp = *s.stamp
		}
		c.completes = r.e.pendingOps.Add()
		r.e.pendingOps.Items[c.completes] = pendingOp{done: unfinished, kind: program.Collective, group: s.op.Group, tag: s.op.Tag}
		r.openRequest(s.op.Request, c.completes)
	}
	if c.collective == nil {
		c.collective = &collectiveState{}
	}
	*c.collective = collectiveState{steps: steps, pending: c.collective.pending[:0]}
	c.t, c.phase = now, stepping
	c.stamp.enqueueNext(now)
	r.beginRound(c)
	if c != s {
		r.tasks.requeue(r, c)
		r.finish(s, now)
	}
}

// beginRound begins the next round, or ends the collective.
func (r *rank) beginRound(s *task) {
	d := s.collective
	d.from, d.stage = d.to, postReceives
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
func (r *rank) stepRound(s *task, now unit.Picos) {
	d := s.collective
	s.t = now
	if d.stage == postReceives {
		d.pending = d.pending[:0]
		r.e.beginPosting(s, now < r.cpu)
		for i := d.from; i < d.to; i++ {
			node := completed
			if p := d.steps[i].Peer; p < 0 || int(p) >= len(r.e.ranks) {
				r.e.fail(fmt.Errorf("rank %d: operation %d exchanges a message with rank %d, but there are only %d ranks", r.id, s.row, p, len(r.e.ranks)))
				return
			}
			if !d.steps[i].Sends() {
				s.stamp.postedReceive()
				node = r.postReceive(d.steps[i].Peer, s.op.Tag, s.op.Group, 0, now)
			}
			d.pending = append(d.pending, node)
		}
		r.e.beginPosting(nil, false)
		d.next, d.stage = d.from, sendMessages
	} else {
		m := &d.steps[d.next]
		s.t, d.pending[d.next-d.from] = r.send(now, m.Peer, s.op.Tag, s.op.Group, m.Bytes(), 0, false)
		s.stamp.began(now)
		d.next++
	}
	r.advanceRound(s)
}

// advanceRound goes to the next action.
func (r *rank) advanceRound(s *task) {
	for d := s.collective; ; d.next, d.stage = d.from, d.stage+1 {
		for ; d.next < d.to; d.next++ {
			switch n := d.pending[d.next-d.from]; {
			case d.stage == sendMessages && d.steps[d.next].Sends():
				s.phase = stepping
				return
			case d.stage != sendMessages && n != completed && d.steps[d.next].Sends() == (d.stage == awaitDepartures):
				d.next++
				r.blockOn(s, n, s.t)
				return
			}
		}
		if d.stage == awaitDepartures {
			s.stamp.enqueueNext(s.t)
			r.beginRound(s)
			return
		}
	}
}
