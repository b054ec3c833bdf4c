package replay

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// lock is a lock that has been acquired at least once.
type lock struct {
	holder *processor
	queue  []*processor // in the order of arrival, without those that look
	by     *processor   // that released it last, at time since
	since  unit.Picos
}

func (r *run) acquire(p *processor, e *trace.Event) error {
	l := r.locks[e.Peer]
	if l == nil {
		l = &lock{}
		r.locks[e.Peer] = l
	}
	switch {
	case l.holder == p:
		return p.eventError(e, "takes lock %d, which the processor holds already", e.Peer)
	case l.holder == nil:
		l.holder = p
	default:
		p.state = atLock
		if !r.look(p, wordOf(e), true) {
			l.queue = append(l.queue, p)
		}
	}
	return nil
}

// release gives the lock to the processor that waits longest. Those that look take it later.
func (r *run) release(p *processor, e *trace.Event) error {
	l := r.locks[e.Peer]
	if l == nil || l.holder != p {
		return p.eventError(e, "releases lock %d, which the processor does not hold", e.Peer)
	}
	l.holder, l.by, l.since = nil, p, p.next
	if len(l.queue) > 0 {
		l.holder = l.queue[0]
		l.queue = l.queue[:copy(l.queue, l.queue[1:])]
		r.resume(l.holder, p.next, p, p.next)
		r.rescheduled = append(r.rescheduled, l.holder)
	}
	return nil
}
