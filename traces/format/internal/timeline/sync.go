package timeline

import (
	"math/bits"

	"spoor/traces/trace"
)

// collectiveKey identifies a series of collectives; object is a barrier in shared memory.
type collectiveKey struct {
	group, object int32
	round         int
}

// collectiveState is a collective that not all members have left.
type collectiveState struct {
	came  int
	end   int64
	over  bool
	tasks []*task
	later []*pending
}

// joinCollective waits for all members of a collective.
func (n *nominal) joinCollective(s *nominalProc, t *task) error {
	e := t.event
	async, members := e.Request != trace.None, n.members[e.Group]
	key := collectiveKey{group: e.Group, object: trace.None}
	if e.Kind == trace.Barrier {
		key.object = e.Peer
	}
	key.round = s.rounds[key]
	s.rounds[collectiveKey{key.group, key.object, 0}]++
	p := n.collectives[key]
	if p == nil {
		p = &collectiveState{}
		n.collectives[key] = p
	}
	p.came++
	p.end = max(p.end, afterPicos(t.begin, float64(e.Bytes)*n.byte+n.operation(e)))
	if async {
		later := &pending{collective: p}
		s.requests[e.Request] = later
		p.later = append(p.later, later)
	} else {
		p.tasks = append(p.tasks, t.keep())
	}
	if p.came == members {
		delete(n.collectives, key)
		if err := n.endCollective(p, members); err != nil {
			return err
		}
	}
	if async {
		return n.finish(t, t.begin)
	}
	return nil
}

// operation returns the time of the work of a reduction.
func (n *nominal) operation(e *trace.Event) float64 {
	switch n.unit {
	case trace.WorkInstr:
		return float64(e.Work) * n.instr
	case trace.WorkFlop:
		return float64(e.Work) * n.flop
	}
	return float64(e.Work)
}

// endCollective ends a collective that all members have joined.
func (n *nominal) endCollective(p *collectiveState, members int) error {
	p.end, p.over = afterPicos(p.end, n.latency*float64(bits.Len(uint(members-1)))), true
	for _, t := range p.tasks {
		if err := n.finish(t, p.end); err != nil {
			return err
		}
	}
	for _, q := range p.later {
		if q.wait != nil {
			if err := n.finish(q.wait, max(q.wait.begin, p.end)); err != nil {
				return err
			}
		}
	}
	return nil
}

// nominalLock is a lock that a processor holds.
type nominalLock struct {
	free  bool
	queue []*task
}

func (n *nominal) lock(t *task) error {
	l := n.locks[t.event.Peer]
	if l == nil {
		l = &nominalLock{free: true}
		n.locks[t.event.Peer] = l
	}
	switch {
	case t.event.Kind == trace.Unlock && len(l.queue) > 0:
		next := l.queue[0]
		l.queue = l.queue[1:]
		if err := n.finish(next, max(next.begin, t.begin)); err != nil {
			return err
		}
	case t.event.Kind == trace.Unlock:
		l.free = true
	case !l.free:
		l.queue = append(l.queue, t.keep())
		return nil
	default:
		l.free = false
	}
	return n.finish(t, t.begin)
}

// nominalFlag counts signals.
type nominalFlag struct {
	signals int32
	waiting []*task
}

func (n *nominal) flag(t *task) error {
	f := n.flags[t.event.Peer]
	if f == nil {
		f = &nominalFlag{}
		n.flags[t.event.Peer] = f
	}
	if t.event.Kind == trace.WaitFlag {
		if f.signals < t.event.Tag {
			f.waiting = append(f.waiting, t.keep())
			return nil
		}
		return n.finish(t, t.begin)
	}
	f.signals++
	waiting := f.waiting
	f.waiting = nil
	for _, w := range waiting {
		if f.signals < w.event.Tag {
			f.waiting = append(f.waiting, w)
		} else if err := n.finish(w, max(w.begin, t.begin)); err != nil {
			return err
		}
	}
	return n.finish(t, t.begin)
}
