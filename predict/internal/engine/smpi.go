package engine

import (
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// SMPI selects the semantics of SMPI of SimGrid [clauss2011], with Model.Shared as network:
//
//	a message begins to cross the network when it has been sent and its receive has been posted
//	the sender of at most S bytes goes on at once; that of more bytes waits until the message has arrived
//	a processor is busy for a time of its own when it sends a message for which it does not wait, and when it has
//	received such a message
//
// Messages of fewer than Early bytes do not wait for their receives. S is Model.EagerLimit.
//
// Differs: a rank may see what others do a picosecond later.
type SMPI struct {
	Early                int64
	Send, Isend, Receive func(bytes int64) unit.Picos // the overheads; nil: none
}

// overhead returns an overhead.
func overhead(of func(int64) unit.Picos, bytes int64) unit.Picos {
	if of == nil {
		return 0
	}
	return of(bytes)
}

// sendSMPI is send with the semantics of SMPI.
func (r *rank) sendSMPI(now unit.Picos, to, tag, group int32, bytes int64, extra unit.Picos, waits bool) (unit.Picos, int32) {
	e, n, cost := r.e, completed, extra
	long := e.isRendezvous(bytes)
	switch {
	case !waits:
		cost += overhead(e.SMPI.Isend, bytes)
	case !long:
		cost += overhead(e.SMPI.Send, bytes)
	}
	t := r.occupy(now, cost, observe.Overhead, 0, 0)
	e.setCause(r.id, t)
	if long {
		n = e.pendingOps.Add()
		e.pendingOps.Items[n] = pendingOp{done: unfinished, bytes: bytes, from: to, tag: tag, group: group, kind: program.Isend}
	}
	m := packet{at: t, from: r.id, seq: r.sequence(), tag: tag, group: group, bytes: bytes, pending: n, kind: rts}
	if bytes < e.SMPI.Early {
		m.kind = eager
		e.startTransfer(transfer{packet: m, to: to, ends: n}, t, bytes, true)
	} else {
		e.deliver(to, m, 0)
	}
	return t, n
}

// startMatched lets a message cross the network, whose pending receive is n.
func (r *rank) startMatched(n int32, m *packet, now unit.Picos) {
	sender := m.pending
	m.kind, m.pending = data, n
	r.e.startTransfer(transfer{packet: *m, to: r.id, ends: sender}, max(m.at, now), m.bytes, false)
}
