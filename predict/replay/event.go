package replay

import (
	"fmt"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// barrierID tells barriers apart: the object and the group of an event.
type barrierID struct{ object, group int32 }

// lock is a lock that has been taken at least once.
type lock struct {
	holder *processor
	queue  []*processor // in the order they came
}

// adviceFor says why events of kind k are not replayed here, and what to do.
func adviceFor(k trace.Kind) string {
	switch k {
	case trace.Clock:
		return "its value depends on simulated time, which a recorded trace cannot follow"
	case trace.Fork, trace.Join, trace.Signal, trace.WaitFlag:
		return "record the program with all its processors from the start, with barriers and locks"
	default:
		return "messages need a network; see 'predict message --help'"
	}
}

// act performs the next event of p at time p.next and moves past it.
func (r *run) act(p *processor) error {
	e := &p.rows[p.event]
	if p.eventInstr < p.instr {
		return p.problem(e, "is at instruction %d, but the reference before it is at instruction %d; "+
			"the refs and events files do not belong together", p.eventInstr, p.instr)
	}
	p.lastEvent = p.eventInstr
	if err := r.perform(p, e); err != nil {
		return err
	}
	p.event++
	p.eventsDone++
	if p.event < len(p.rows) {
		p.eventInstr = p.lastEvent + uint64(p.rows[p.event].Instr)
	}
	return nil
}

func (r *run) perform(p *processor, e *trace.Event) error {
	switch e.Kind {
	case trace.Compute:
		return r.compute(p, e)
	case trace.Barrier:
		r.arrive(p, barrierID{e.Peer, e.Group})
		return nil
	case trace.Lock:
		return r.acquire(p, e)
	case trace.Unlock:
		return r.release(p, e)
	case trace.Marker:
		return nil
	default:
		return p.problem(e, "cannot be replayed on a shared-memory target: %s", adviceFor(e.Kind))
	}
}

// problem is an error about event e of p.
func (p *processor) problem(e *trace.Event, format string, args ...any) error {
	return fmt.Errorf("event %d (%v, after %d references) %s", p.eventsDone, e.Kind, e.Refs, fmt.Sprintf(format, args...))
}

// compute adds the work of e to the time of p.
func (r *run) compute(p *processor, e *trace.Event) error {
	work := uint64(e.Work)
	switch {
	case work == 0:
		return nil
	case r.head.WorkUnit == trace.WorkInstr:
		if most := r.clock.most(end - p.next); work > most {
			return p.problem(e, "of %d instructions leads past %v, more than can be simulated", work, end)
		}
		p.instr += work
		p.lastEvent += work
	case r.head.WorkUnit == trace.WorkPicos:
		if unit.Picos(work) >= end-p.next {
			return p.problem(e, "of %d ps leads past %v, more than can be simulated", work, end)
		}
		p.worked += unit.Picos(work)
		p.late += unit.Picos(work)
	default:
		return p.problem(e, "has work in unit %q; a machine says how long %q and %q take",
			r.head.WorkUnit, trace.WorkInstr, trace.WorkPicos)
	}
	return nil
}

// arrive lets p wait at a barrier, or ends the waiting of all if it is the last.
func (r *run) arrive(p *processor, id barrierID) {
	p.state = atBarrier
	there := append(r.barriers[id], p)
	r.barriers[id] = there
	if len(there) < len(r.procs) {
		return
	}
	at := p.next + r.opt.Barrier
	for _, q := range there {
		r.resume(q, at)
		r.endPhase(q)
		if q != p {
			r.stirred = append(r.stirred, q)
		}
	}
	r.barriers[id] = there[:0]
}

// resume lets q go on at time at.
func (r *run) resume(q *processor, at unit.Picos) {
	q.waited.Sync += at - q.next
	q.late += at - q.next
	q.next = at
	q.state = running
}

func (r *run) acquire(p *processor, e *trace.Event) error {
	l := r.locks[e.Peer]
	if l == nil {
		l = &lock{}
		r.locks[e.Peer] = l
	}
	switch {
	case l.holder == p:
		return p.problem(e, "takes lock %d, which the processor holds already", e.Peer)
	case l.holder == nil:
		l.holder = p
	default:
		p.state = atLock
		l.queue = append(l.queue, p)
	}
	return nil
}

// release hands the lock to the processor that waits longest.
func (r *run) release(p *processor, e *trace.Event) error {
	l := r.locks[e.Peer]
	if l == nil || l.holder != p {
		return p.problem(e, "releases lock %d, which the processor does not hold", e.Peer)
	}
	l.holder = nil
	if len(l.queue) > 0 {
		l.holder = l.queue[0]
		l.queue = l.queue[1:]
		r.resume(l.holder, p.next)
		r.stirred = append(r.stirred, l.holder)
	}
	return nil
}
