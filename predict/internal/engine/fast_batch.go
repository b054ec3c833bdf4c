package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// canBatch reports whether runBatch can continue the program.
func (r *rank) canBatch() bool {
	s := &r.main
	return r.e.aheadLeft > 0 && (s.phase == starting || s.phase == collecting) && r.ops[r.at-1].IsCommon() && s.t < cost.Horizon && !r.failed
}

// runBatch does one operation after the other, whatever arrives: see mayRunAhead. It stops at an operation that
// blocks, that has work, or that is special; it does not begin the latter two. The checks that runProgramFast makes
// before each operation are made once, when it stops.
func (r *rank) runBatch() {
	e, s := r.e, &r.main
	ops, at, t, on := r.ops, r.at, s.t, s.pending
	op := &ops[at-1]
	if s.phase == starting {
		on = 0
	}
	for e.aheadLeft > 0 {
		e.aheadLeft--
		if e.now = t; on == 0 {
			if t, on = r.issueFast(op, t); on == notStarted {
				break
			}
			e.ops++
		}
		if on > 0 {
			p := &e.pendingOps.Items[on]
			if p.done == unfinished {
				r.commitBatch(at, t)
				s.phase, s.pending, p.waiter = blocked, on, mainNumber
				return
			}
			e.now = max(t, p.done)
			t = r.collectFast(on, 0, e.now)
			on = 0
		}
		if at == len(ops) {
			r.commitBatch(at, t)
			r.advance(s, t)
			return
		}
		op = &ops[at]
		if at++; op.Work != 0 || !op.IsCommon() || t >= cost.Horizon || r.failed {
			r.commitBatch(at, t)
			r.beginOp(s)
			return
		}
	}
	r.commitBatch(at, t)
}

// commitBatch sets the state of r to before the operation at-1, at a time.
func (r *rank) commitBatch(at int, t unit.Picos) {
	s := &r.main
	s.row += int64(at - r.at)
	r.at = at
	s.op, s.t, s.phase, s.pending = r.op(at-1), t, starting, 0
}

// notStarted means that an operation has not begun.
const notStarted int32 = -2

// issueFast begins an operation. Its message, if it sends one, must not be a rendezvous message. It returns until
// when the processor is busy, and the pending operation that ends then, 0 or notStarted.
func (r *rank) issueFast(op *program.Packed, now unit.Picos) (unit.Picos, int32) {
	switch op.Kind {
	case program.Compute:
	case program.Isend, program.Send:
		if uint(op.Peer) >= uint(len(r.e.ranks)) || op.Peer == r.id {
			return now, notStarted
		}
		if op.Kind == program.Send {
			return r.sendFast(op, r.waitForPort(now, 0, op.Peer)), 0
		}
		now = r.sendFast(op, now)
		if !r.requests.TryOpen(op.Request, completed) {
			r.openRequest(op.Request, completed)
		}
	case program.Irecv:
		n := r.postReceive(op.Peer, op.Tag, int32(op.Group), int64(op.Bytes), now)
		if !r.requests.TryOpen(op.Request, n) {
			r.openRequest(op.Request, n)
		}
	case program.Wait:
		switch n := r.requests.Close(op.Request); n {
		case 0:
			return now, notStarted
		case completed:
		default:
			return now, n
		}
	case program.Recv:
		return now, r.postReceive(op.Peer, op.Tag, int32(op.Group), int64(op.Bytes), now)
	default:
		return now, notStarted
	}
	return now, 0
}
