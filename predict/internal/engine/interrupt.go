package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/traces/unit"
)

// interrupt lets a message that comes now interrupt the processor of r: see cost.Arrivals.
func (r *rank) interrupt(m *packet, now unit.Picos) {
	e, end := r.e, r.cpu
	if !e.Interrupts || end <= now || end >= cost.Horizon || m.from == r.id || e.Node != nil && e.Node(m.from) == e.Node(r.id) {
		return
	}
	at, long := end, e.InterruptTime(m.bytes)
	if r.computed == end {
		at, r.computed = now, end+long
	}
	r.cpu += long
	if r.account.Parts[observe.Overhead] += long; e.obs != nil && long > 0 {
		e.obs.Span(r.id, observe.Overhead, at, at+long)
	}
	switch s := &r.main; {
	case r.tasks != nil:
		r.tasks.delay(r, end)
	case s.phase < blocked:
		s.t = max(s.t, r.cpu)
	}
}

// delay lets tasks that would go on from the end of what the processor does on go on when it is free.
func (m *taskQueue) delay(r *rank, end unit.Picos) {
	for _, s := range append(m.all, &r.main) {
		if s.t >= end {
			s.t = max(s.t, r.cpu)
		}
	}
	for _, w := range m.ready {
		for i := range w {
			if w[i].Key >= end {
				w[i].Key, w[i].Tie = max(w[i].Key, r.cpu), max(w[i].Tie, r.cpu)
			}
		}
		w.Init()
	}
}
