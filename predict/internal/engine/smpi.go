package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// sendSMPI is send with the semantics of SMPI.
func (r *rank) sendSMPI(now unit.Picos, to, tag, group int32, bytes int64, extra unit.Picos, waits bool) (unit.Picos, int32) {
	e, n, busy := r.e, completed, extra
	long := e.IsRendezvous(bytes)
	switch {
	case !waits:
		busy += cost.OverheadOf(e.SMPI.Isend, bytes)
	case !long:
		busy += cost.OverheadOf(e.SMPI.Send, bytes)
	}
	t := r.occupy(now, busy, observe.Overhead, 0, 0)
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
