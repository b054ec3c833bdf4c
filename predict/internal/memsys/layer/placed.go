package layer

import (
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// placed is a system whose processors have other numbers for the caller.
type placed struct {
	touch.System
	slots  []trace.Proc // of the system, by processor of the caller
	callee []trace.Proc // processor of the caller, by slot
}

// WithPlaces returns s for a caller whose processor p is slots[p] of s. No two processors have one slot.
func WithPlaces(s touch.System, slots []trace.Proc, processors int) touch.System {
	w := &placed{System: s, slots: slots, callee: make([]trace.Proc, processors)}
	for p, slot := range slots {
		w.callee[slot] = trace.Proc(p)
	}
	return w
}

// Access implements touch.System.
func (w *placed) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	return w.System.Access(now, w.slots[p], line, store)
}

// Flush implements touch.System.
func (w *placed) Flush(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	return w.System.Flush(now, w.slots[p], line)
}

// Drain implements touch.System.
func (w *placed) Drain(now unit.Picos, p trace.Proc) touch.Cost {
	return w.System.Drain(now, w.slots[p])
}

// Lookahead implements touch.System.
func (w *placed) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	return w.System.Lookahead(w.slots[p], b, from, to)
}

// Commit implements touch.System.
func (w *placed) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	return w.System.Commit(w.slots[p], b, from)
}

// Counts implements touch.System.
func (w *placed) Counts(p trace.Proc) touch.Counts { return w.System.Counts(w.slots[p]) }

// OnInvalidate implements touch.System.
func (w *placed) OnInvalidate(onInvalidate touch.InvalidateFunc) {
	w.System.OnInvalidate(func(q trace.Proc, c touch.Invalidation) {
		c.By = w.callee[c.By]
		onInvalidate(w.callee[q], c)
	})
}
