package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
)

// A program on the fast path depends on messages only through the times at which its receives end. The match of
// messages and receives does not depend on which of the two comes first. Both sides are ordered, and each side takes
// the first that it selects from the other. Sent messages use neither the port nor the time of received messages. So
// a program may run ahead of the time up to which its rank knows all messages, until it waits for or probes for an
// unknown message. It may not send to its own rank: such a message is there at once, after other arrivals at that
// time. If the program waits for several messages before it does anything else, it affects no other rank before the
// last of them has come. With both rules, ranks act less often and do more at once.

// maxAhead is the number of operations that a rank may run ahead at once. Its sent messages are stored until the
// receivers reach their time.
const maxAhead = 256

// runsAhead reports whether ranks may run ahead. Rendezvous messages prevent it: their answer depends on the receives
// posted at that time, and their data leaves through the port at the time of the answer. A co-simulator prevents it
// too, because it needs ranks to act in order of time.
func (e *engine) runsAhead() bool { return e.fast && e.EagerLimit < 0 && e.opt.CoSimulator == nil }

// mayRunAhead reports whether the program may go on whatever arrives. It does not run ahead into work, because
// messages sent after work would be stored for long.
func (r *rank) mayRunAhead() bool {
	e, s := r.e, &r.main
	if e.aheadLeft == 0 || s.t >= cost.Horizon || r.failed {
		return false
	}
	switch s.phase {
	case collecting:
		if s.op.Kind == program.Collective {
			return false
		}
	case starting:
		if s.op.Kind > program.Wait || s.op.Peer == r.id && (s.op.Kind == program.Send || s.op.Kind == program.Isend) {
			return false
		}
	default:
		return false
	}
	e.aheadLeft--
	return true
}

// maxWaitScan is the number of consecutive waits among which the last is searched.
const maxWaitScan = 32

// lastAwaited returns the pending operation for which r, which waits, waits last before it does anything but wait. It
// searches up to maxWaitScan waits. In a collective it is the operation of the present round.
func (r *rank) lastAwaited() int32 {
	on := r.main.pending
	if !r.e.runsAhead() || r.main.op.Kind == program.Collective { // a collective sends in its later rounds
		return on
	}
	next := r.ops[r.at:min(r.at+maxWaitScan, len(r.ops))]
	for i := range next {
		if next[i].Kind != program.Wait || next[i].Work != 0 {
			break
		}
		n := r.requests.Find(next[i].Request)
		if n <= 0 {
			break
		}
		if p := &r.e.pendingOps.Items[n]; p.done == unfinished && p.from >= 0 {
			on = n
		}
	}
	return on
}

// drainBlocked takes up the messages of ranks that wait for a message that does not come.
func (c *workers) drainBlocked() error {
	for _, e := range c.engines {
		for i := e.first; i < e.end; i++ {
			if r := &e.ranks[i]; r.tasks == nil && len(r.arrivals) > 0 {
				e.active, e.limit = r.id, cost.Horizon
				r.run()
			}
		}
	}
	return nil
}
