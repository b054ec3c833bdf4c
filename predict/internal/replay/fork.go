package replay

import (
	"fmt"

	"spoor/traces/trace"
)

// markChildren marks the processors that others fork. They wait for the fork from the start.
func (r *run) markChildren(s *EventStats) error {
	r.members = s.members
	for _, f := range s.forks {
		if int(f.child) >= len(r.procs) {
			return fmt.Errorf("processor %d forks processor %d, but there are only %d", f.parent, f.child, len(r.procs))
		}
		child := r.procs[f.child]
		if child.id == f.parent || child.state == notForked {
			return fmt.Errorf("processor %d forks processor %d, which is the same processor or was already forked", f.parent, f.child)
		}
		child.state = notForked
	}
	return nil
}

// fork starts the child.
func (r *run) fork(p *processor, e *trace.Event) error {
	if e.Peer < 0 { // not in the trace
		return nil
	}
	child := r.procs[e.Peer]
	if child.state != notForked {
		return p.eventError(e, "starts processor %d, which runs already", e.Peer)
	}
	r.resume(child, p.next, p, p.next)
	r.rescheduled = append(r.rescheduled, child)
	return nil
}

// join makes p wait until the child has finished.
func (r *run) join(p *processor, e *trace.Event) error {
	switch {
	case e.Peer < 0:
	case int(e.Peer) >= len(r.procs) || e.Peer == int32(p.id):
		return p.eventError(e, "waits for the end of processor %d, of %d", e.Peer, len(r.procs))
	default:
		child := r.procs[e.Peer]
		if child.state == finished { // possibly with work that ends later
			r.resume(p, max(p.next, child.ended), child, child.ended)
			return nil
		}
		p.state = atJoin
		child.joiners = append(child.joiners, p)
	}
	return nil
}
