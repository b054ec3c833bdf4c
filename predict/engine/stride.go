package engine

import "spoor/traces/unit"

// strides is whether stride goes on with the program.
func (r *rank) strides() bool {
	s := &r.main
	return r.e.ahead > 0 && (s.phase == starting || s.phase == collecting) && r.ops[r.at-1].plain() && s.t < Horizon && !r.dead
}

// stride does one operation after the other, whatever comes: see freely. It stops at one that waits, that works, or that is special, which
// is not begun then. What glide asks before each is asked when it stops.
func (r *rank) stride() {
	e, s := r.e, &r.main
	ops, at, t, on := r.ops, r.at, s.t, s.on
	op := &ops[at-1]
	if s.phase == starting {
		on = 0
	}
	for e.ahead > 0 {
		e.ahead--
		if e.now = t; on == 0 {
			if t, on = r.embark(op, t); on == special {
				break
			}
			e.ops++
		}
		if on > 0 {
			p := &e.pendings.items[on]
			if p.done == undone {
				r.stand(at, t)
				s.phase, s.on, p.waiter = blocked, on, mainNumber
				return
			}
			e.now = max(t, p.done)
			t = r.collectPlain(on, 0, e.now)
			on = 0
		}
		if at == len(ops) {
			r.stand(at, t)
			r.advance(s, t)
			return
		}
		op = &ops[at]
		if at++; op.work != 0 || !op.plain() || t >= Horizon || r.dead {
			r.stand(at, t)
			r.ready(s)
			return
		}
	}
	r.stand(at, t)
}

// stand has r be before the operation whose number is one less, at a time.
func (r *rank) stand(at int, t unit.Picos) {
	s := &r.main
	s.row += int64(at - r.at)
	r.at = at
	s.op, s.t, s.phase, s.on = r.op(at-1), t, starting, 0
}

// special is that an operation has not begun.
const special int32 = -2

// embark begins an operation whose message, if it sends one, is not long. It is until when the processor is busy, and the pending operation to end then, or none.
func (r *rank) embark(op *packed, now unit.Picos) (unit.Picos, int32) {
	switch op.kind {
	case Compute:
	case Isend, Send:
		if uint(op.peer) >= uint(len(r.e.ranks)) || op.peer == r.id {
			return now, special
		}
		if op.kind == Send {
			return r.sendPlain(op, r.stall(now, 0, op.peer)), 0
		}
		now = r.sendPlain(op, now)
		if !r.requests.put(op.request, over) {
			r.request(op.request, over)
		}
	case Irecv:
		n := r.offer(op.peer, op.tag, int32(op.group), int64(op.bytes), now)
		if !r.requests.put(op.request, n) {
			r.request(op.request, n)
		}
	case Wait:
		switch n := r.requests.close(op.request); n {
		case 0:
			return now, special
		case over:
		default:
			return now, n
		}
	case Recv:
		return now, r.offer(op.peer, op.tag, int32(op.group), int64(op.bytes), now)
	default:
		return now, special
	}
	return now, 0
}
