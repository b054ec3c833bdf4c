package replay

import (
	"fmt"

	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Barriers, locks and flags of windows have homes, and processors send them messages. A barrier and a wait take a message there and
// one back, at least. An unlock and a signal cost nothing. A fork and the end of a processor are messages to those whom they concern.

// homeOf returns the node of an object.
func (n *windowNode) homeOf(object int32) int32 {
	return int32(uint32(object) % uint32(n.hardware.Nodes))
}

// synchronize sends what p does by an event. It reports whether other processors can see the event at all.
func (n *windowNode) synchronize(p *processor, e *trace.Event) (sent bool, err error) {
	m := wwt.Message{To: n.homeOf(e.Peer), Proc: int32(p.id), Object: e.Peer, Group: e.Group, Since: p.next}
	switch e.Kind {
	case trace.Barrier:
		m.Kind, p.state = wwt.Arrive, atBarrier
	case trace.Lock:
		m.Kind, p.state = wwt.Lock, atLock
	case trace.Unlock:
		m.Kind = wwt.Unlock
	case trace.Signal:
		m.Kind = wwt.Signal
	case trace.WaitFlag:
		if e.Tag <= 0 {
			n.run.uncountedWaits++
			return true, nil
		}
		m.Kind, p.state = wwt.Await, atFlag
	case trace.Fork, trace.Join:
		if e.Peer < 0 { // not in the trace
			return true, nil
		}
		if int(e.Peer) >= len(n.run.procs) || e.Kind == trace.Join && e.Peer == int32(p.id) {
			return true, p.eventError(e, "is about processor %d, of %d", e.Peer, len(n.run.procs))
		}
		if m.Kind, m.To = wwt.Fork, e.Peer; e.Kind == trace.Join {
			m.Kind, p.state = wwt.Join, atJoin
		}
	default:
		return false, nil
	}
	n.hardware.Send(p.next, m)
	return true, nil
}

// synchronized handles a message of another processor's event.
func (n *windowNode) synchronized(m *wwt.Message) error {
	switch q := n.run.procs[m.Proc]; m.Kind {
	case wwt.Arrive:
		n.arrived(m, q)
	case wwt.Lock:
		return n.requested(m, q)
	case wwt.Unlock:
		return n.released(m, q)
	case wwt.Signal:
		n.signalled(m)
	case wwt.Await:
		if f := n.run.flagOf(m.Object); f.signals < int64(q.rows[q.event-1].Tag) {
			f.waiting = append(f.waiting, q)
		} else {
			n.resumeAt(m.At, q, f.last.Proc, f.last.Since)
		}
	case wwt.Fork:
		if n.proc.state != notForked {
			return fmt.Errorf("processor %d starts it, but it runs already", m.Proc)
		}
		n.run.resume(n.proc, m.At, q, m.Since)
	case wwt.Join:
		if n.proc.state == finished {
			n.answerJoin(m)
		} else {
			n.joins = append(n.joins, *m)
		}
	case wwt.Resume:
		atBarrier := n.proc.state == atBarrier
		n.run.resume(n.proc, m.At, q, m.Since)
		if atBarrier {
			n.run.endPhase(n.proc)
		}
	}
	return nil
}

// resumeAt tells q that its wait has ended at a time, because of what another processor did.
func (n *windowNode) resumeAt(at unit.Picos, q *processor, by int32, since unit.Picos) {
	n.hardware.Send(at, wwt.Message{Kind: wwt.Resume, To: int32(q.id), Proc: by, Since: since})
}

// answerJoin tells a processor that the node's own has ended.
func (n *windowNode) answerJoin(m *wwt.Message) {
	n.resumeAt(max(m.At, n.proc.ended), n.run.procs[m.Proc], int32(n.proc.id), n.proc.ended)
}

// arrived makes q wait at a barrier. If q is the last, all go on.
func (n *windowNode) arrived(m *wwt.Message, q *processor) {
	id := barrierID{m.Object, m.Group}
	there := append(n.run.barriers[id], q)
	n.run.barriers[id] = there
	if len(there) < n.run.membersOf(m.Group) {
		return
	}
	for _, r := range there {
		n.resumeAt(m.At+n.run.opt.Barrier, r, m.Proc, m.Since)
	}
	n.run.barriers[id] = there[:0]
}

// requested gives q a lock, or makes it wait.
func (n *windowNode) requested(m *wwt.Message, q *processor) error {
	l := n.run.locks[m.Object]
	if l == nil {
		l = &lock{}
		n.run.locks[m.Object] = l
	}
	switch {
	case l.holder == q:
		return fmt.Errorf("processor %d takes lock %d, which it holds already", m.Proc, m.Object)
	case l.holder == nil:
		l.holder = q
		n.resumeAt(m.At, q, m.Proc, m.Since)
	default:
		l.queue = append(l.queue, q)
	}
	return nil
}

// released gives a lock to the processor that waits longest.
func (n *windowNode) released(m *wwt.Message, q *processor) error {
	l := n.run.locks[m.Object]
	if l == nil || l.holder != q {
		return fmt.Errorf("processor %d releases lock %d, which it does not hold", m.Proc, m.Object)
	}
	l.holder = nil
	if len(l.queue) > 0 {
		l.holder = l.queue[0]
		l.queue = l.queue[:copy(l.queue, l.queue[1:])]
		n.resumeAt(m.At, l.holder, m.Proc, m.Since)
	}
	return nil
}

// signalled resumes the processors that wait for no more signals than the flag now has.
func (n *windowNode) signalled(m *wwt.Message) {
	f := n.run.flagOf(m.Object)
	f.signals++
	f.last = *m
	left := f.waiting[:0]
	for _, q := range f.waiting {
		if int64(q.rows[q.event-1].Tag) > f.signals {
			left = append(left, q)
			continue
		}
		n.resumeAt(m.At, q, m.Proc, m.Since)
	}
	f.waiting = left
}
