package engine

import (
	"spoor/predict/internal/engine/outcome"
	"spoor/traces/unit"
)

// failure is the error of a rank. The first failure in time ends a run, ties by rank.
type failure struct {
	at   unit.Picos
	rank int32
	err  error
}

func (f *failure) before(g *failure) bool {
	return g == nil || f != nil && (f.at < g.at || f.at == g.at && f.rank < g.rank)
}

// fail ends the active rank with an error.
func (e *engine) fail(err error) {
	e.ranks[e.active].failed = true
	if f := (&failure{e.now, e.active, err}); f.before(e.failed) {
		e.failed = f
	}
	e.limit = 0
}

func (f *failure) cause() error {
	if f == nil {
		return nil
	}
	return f.err
}

// noteTruncation counts a message that exceeds the capacity of its receive. The marks of directly executed programs
// are no capacities.
func (r *rank) noteTruncation(p *pendingOp, m *packet) {
	if r.e.direct == nil {
		r.e.truncations.Add(&outcome.Truncations{Receives: 1, Rank: r.id, From: m.from, Tag: m.tag, Group: m.group, Room: p.bytes, Bytes: m.bytes, Number: p.order})
	}
}
