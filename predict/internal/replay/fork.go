package replay

import (
	"fmt"

	"spoor/traces/trace"
)

// markChildren marks the processors that others fork. They wait for the fork from the start. It also counts the members of
// groups with barriers.
func (r *run) markChildren(src trace.Source) error {
	for b, err := range src.Events() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			e := &b.Rows[i]
			if e.Kind == trace.Barrier && e.Group >= 0 && r.members == nil {
				var err error
				if r.members, err = trace.BarrierMembers(src); err != nil {
					return err
				}
			}
			if e.Kind != trace.Fork || e.Peer < 0 {
				continue
			}
			if int(e.Peer) >= len(r.procs) {
				return fmt.Errorf("processor %d forks processor %d, but there are only %d", b.Proc, e.Peer, len(r.procs))
			}
			child := r.procs[e.Peer]
			if child.id == b.Proc || child.state == notForked {
				return fmt.Errorf("processor %d forks processor %d, which is the same processor or was already forked", b.Proc, e.Peer)
			}
			child.state = notForked
		}
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
