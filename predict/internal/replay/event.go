package replay

import (
	"fmt"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// barrierID identifies a barrier: the object and the group of an event.
type barrierID struct{ object, group int32 }

// adviceFor returns why events of kind k are not replayed here, and what to do.
func adviceFor(k trace.Kind) string {
	if k == trace.Clock {
		return "its value depends on simulated time, which a recorded trace cannot follow"
	}
	return "messages need a network; see 'predict message --help'"
}

// performNext performs the next event of p at time p.next and moves past it.
func (r *run) performNext(p *processor) error {
	e := &p.rows[p.event]
	if p.eventInstr < p.instr {
		return p.eventError(e, "is at instruction %d, but the reference before it is at instruction %d; "+
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

// synchronizes reports whether other processors may see by e what its processor has done.
func (r *run) synchronizes(e *trace.Event) bool {
	return e.Kind.Synchronizes() || r.messages != nil && isMessage(e)
}

func (r *run) perform(p *processor, e *trace.Event) error {
	if r.messages != nil && isMessage(e) {
		r.observeWork(p, p.next)
		return r.messages.handOver(p, e)
	}
	r.observeEvent(p)
	if err := r.performShared(p, e); err != nil {
		return err
	}
	if p.state == running {
		r.observeEnd(p, p.next)
	}
	return nil
}

// performShared performs an event that passes no message.
func (r *run) performShared(p *processor, e *trace.Event) error {
	if r.node != nil {
		if sent, err := r.node.synchronize(p, e); sent {
			return err
		}
	}
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
	case trace.Signal:
		r.signal(p, e.Peer)
		return nil
	case trace.WaitFlag:
		r.await(p, e)
		return nil
	case trace.Fork:
		return r.fork(p, e)
	case trace.Join:
		return r.join(p, e)
	case trace.Marker:
		return nil
	case trace.Clock:
		if r.program != nil || r.messages != nil { // the program reads it when it goes on; a trace has the recorded value
			return nil
		}
		fallthrough
	default:
		return p.eventError(e, "cannot be replayed on a shared-memory target: %s", adviceFor(e.Kind))
	}
}

// eventError returns an error about event e of p.
func (p *processor) eventError(e *trace.Event, format string, args ...any) error {
	return fmt.Errorf("event %d (%v, after %d references) %s", p.eventsDone, e.Kind, e.Refs, fmt.Sprintf(format, args...))
}

// compute adds the work of e to the time of p.
func (r *run) compute(p *processor, e *trace.Event) error {
	work := uint64(e.Work)
	switch {
	case work == 0:
		return nil
	case r.head.WorkUnit == trace.WorkInstr:
		if most := p.clock.maxInstructions(horizon - p.next); work > most {
			return p.eventError(e, "of %d instructions leads past %v, more than can be simulated", work, horizon)
		}
		p.instr += work
		p.lastEvent += work
	case r.head.WorkUnit == trace.WorkPicos:
		if unit.Picos(work) >= horizon-p.next {
			return p.eventError(e, "of %d ps leads past %v, more than can be simulated", work, horizon)
		}
		p.workTime += unit.Picos(work)
		p.stall += unit.Picos(work)
	default:
		return p.eventError(e, "has work in unit %q; a machine says how long %q and %q take",
			r.head.WorkUnit, trace.WorkInstr, trace.WorkPicos)
	}
	return nil
}

// arrive makes p wait at a barrier. If p is the last, all go on.
func (r *run) arrive(p *processor, id barrierID) {
	p.state = atBarrier
	there := append(r.barriers[id], p)
	r.barriers[id] = there
	if len(there) < r.membersOf(id.group) {
		r.look(p, touch.BarrierWord, false)
		return
	}
	since := p.next
	for _, q := range there {
		if q.looking.active {
			q.looking.pass(p, since, since+r.opt.Barrier)
			continue
		}
		r.resume(q, since+r.opt.Barrier, p, since)
		r.endPhase(q)
		if q != p {
			r.rescheduled = append(r.rescheduled, q)
		}
	}
	r.barriers[id] = there[:0]
}

// membersOf returns the number of processors that meet at barriers of a group.
func (r *run) membersOf(group int32) int {
	if group < 0 || r.members == nil {
		return len(r.procs)
	}
	return r.members[group]
}

// resume lets q go on at time at, because of what by did until since.
func (r *run) resume(q *processor, at unit.Picos, by *processor, since unit.Picos) {
	r.observeWait(q, at, by, since)
	r.resumeAfter(q, at, &q.waited.Sync)
}

// resumeAfter lets q go on at time at, and adds its wait to part.
func (r *run) resumeAfter(q *processor, at unit.Picos, part *unit.Picos) {
	*part += at - q.next
	q.stall += at - q.next
	q.next = at
	q.state = running
}
