package trace

import (
	"fmt"
	"maps"
	"slices"
)

// lockUse is what is known of a lock after some processors.
type lockUse struct {
	users  int // processors that take it
	keeps  bool
	keeper Proc // does not release it at its end
	row    int64
}

// takes checks the Lock event e.
func (w *procValidator) takes(e *Event) error {
	if row, holds := w.held[e.Peer]; holds {
		return fmt.Errorf("of lock %d, which the processor holds since event %d", e.Peer, row)
	}
	w.held[e.Peer] = w.events
	if !w.used[e.Peer] {
		w.used[e.Peer] = true
		use := w.c.locks[e.Peer]
		use.users++
		w.c.locks[e.Peer] = use
	}
	return nil
}

// keepsLocks records the locks that the processor holds at its end.
func (w *procValidator) keepsLocks() {
	for lock, row := range w.held {
		if use := w.c.locks[lock]; !use.keeps {
			use.keeps, use.keeper, use.row = true, w.p, row
			w.c.locks[lock] = use
		}
	}
}

// keptLocks adds a note for each lock that a processor never releases and others take. Whether these wait forever depends on
// time, and a part of a sound trace may end there.
func (c *validator) keptLocks() {
	for _, lock := range slices.Sorted(maps.Keys(c.locks)) {
		if use := c.locks[lock]; use.keeps && use.users > 1 {
			c.report.Notes = append(c.report.Notes, RowError{Proc: use.keeper, Row: use.row, Kind: Lock,
				Msg: fmt.Sprintf("of lock %d, which the processor never releases; others that take it later wait forever", lock)})
		}
	}
}
