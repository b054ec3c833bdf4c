package forkjoin

import (
	"spoor/predict/internal/engine/cost"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// logGOP is what the semantics of LogGOPSim need besides: when the operations of the stage were enqueued, and when the last of those that
// began did so. A free processor does first what was enqueued first: see cost.Model.LogGOPSim.
type logGOP struct{ enqueued, began unit.Picos }

// beforeAll is before every time.
const beforeAll unit.Picos = -1

// runLogGOPSim simulates a rank up to a limit.
func (s *simulation) runLogGOPSim(r *rank, id int32, limit unit.Picos) {
	for {
		begins := never
		if r.at < r.end {
			if begins = r.cpu; s.ops[r.at].kind == send {
				begins = max(begins, r.outFree)
			}
		}
		takes := never
		if len(r.arrivals) > 0 {
			takes = max(r.arrivals[0].Key, r.cpu, r.inFree)
		}
		switch {
		case min(takes, begins) >= limit:
			return
		case takes < begins || takes == begins && s.isFirst(r, id):
			s.takeUp(r, id, takes)
		default:
			s.perform(r, id, begins)
		}
	}
}

// isFirst reports whether a rank takes up a message before it goes on, when it could do either.
func (s *simulation) isFirst(r *rank, id int32) bool {
	sent := r.arrivals[0].Key - s.flight
	return sent < r.enqueued || sent == r.enqueued && r.arrivals[0].Tie < id
}

// takeUp lets the processor take up the first message, whether the rank waits for it or not.
func (s *simulation) takeUp(r *rank, id int32, now unit.Picos) {
	s.done++
	m := r.arrivals.Pop()
	carry := s.carry(s.ops[m.Value.receive].bytes)
	if idle := now - r.cpu; idle > 0 {
		r.wait(idle, now-m.Key, s.model.Latency)
	}
	r.cpu = now + s.model.Receive + carry
	r.inFree = min(now+s.model.Gap+carry, cost.Horizon)
	if m.Value.receive >= r.end {
		r.early.Push(heap.Item[uint32, unit.Picos, uint8, unit.Picos]{Key: m.Value.receive})
		return
	}
	r.began = max(r.began, now)
	if r.waiting--; r.waiting == 0 && r.at == r.end {
		s.begin(r, id)
	}
}
