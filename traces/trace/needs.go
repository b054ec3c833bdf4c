package trace

import (
	"fmt"

	"spoor/traces/trace/internal/needs"
)

// needs checks the Needs of e, as far as that is possible before all events are known.
func (w *procValidator) needs(e *Event) error {
	for _, n := range e.Needs {
		if n < 0 || n == w.events {
			return fmt.Errorf("needs event %d", n)
		}
		if n > w.need {
			w.need, w.needBy, w.needKind = n, w.events, e.Kind
		}
		w.forward = w.forward || n > w.events
	}
	w.c.report.Needs += uint64(len(e.Needs))
	return nil
}

// checkNeeds checks the needs of later events, after all events of the processor. Needs
// that only point back cannot form a cycle.
func (w *procValidator) checkNeeds() error {
	if w.need > 0 && w.need >= w.events {
		return &RowError{Proc: w.p, Row: w.needBy, Kind: w.needKind,
			Msg: fmt.Sprintf("needs event %d, but there are %d", w.need, w.events)}
	}
	if !w.forward {
		return nil
	}
	return CheckNeeds(w.c.src, w.p)
}

// CheckNeeds checks that the needs of the events of p exist and form no cycle.
func CheckNeeds(src Source, p Proc) error {
	var g needs.Graph
	var kinds []Kind
	for b, err := range src.Events(p) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			g.Add(b.Rows[i].Needs)
			kinds = append(kinds, b.Rows[i].Kind)
		}
	}
	for i := range kinds {
		for k := int64(0); ; k++ {
			n, more := g.Need(int64(i), k)
			if !more {
				break
			}
			if n < 0 || n >= int64(len(kinds)) {
				return &RowError{Proc: p, Row: int64(i), Kind: kinds[i], Msg: fmt.Sprintf("needs event %d, but there are %d", n, len(kinds))}
			}
		}
	}
	if c := g.Cycle(); c != nil {
		return &RowError{Proc: p, Row: c[0], Kind: kinds[c[0]], Msg: "needs itself: " + needs.Text(c)}
	}
	return nil
}

// Forward reports whether e, in that row, needs itself or a later event. Only such needs
// can form a cycle.
func (e *Event) Forward(row int64) bool {
	for _, n := range e.Needs {
		if n >= row {
			return true
		}
	}
	return false
}
