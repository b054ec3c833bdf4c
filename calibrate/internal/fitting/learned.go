package fitting

import (
	"fmt"

	"spoor/calibrate/internal/fit/study"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Learned reports whether the table of --train is asked for, and returns it; nil if no experiment has one.
func (r *Fitted) Learned() (t *store.Table, asked bool) { return r.learned(), len(r.options.Train) > 0 }

// learned returns the learning curves of all studies, or nil if there are none.
func (r *Fitted) learned() *store.Table {
	type row struct {
		experiment, state string
		study.Learned
	}
	var rows []row
	for _, s := range r.transfer {
		for _, l := range s.Curve {
			rows = append(rows, row{string(s.Experiment), s.State, l})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &store.Table{Name: "learning", Meta: append(r.meta(), trace.Arg{Key: "draws", Value: fmt.Sprint(study.Draws)}), Columns: []store.Column{
		store.ColumnOf(rows, "experiment", "", func(l row) string { return l.experiment }),
		store.ColumnOf(rows, "state", "", func(l row) string { return l.state }),
		store.ColumnOf(rows, "model", "", func(l row) string { return l.Model.Name }),
		store.ColumnOf(rows, "method", "", func(l row) string { return l.Method.Name }),
		store.ColumnOf(rows, "train", "", func(l row) int64 { return int64(l.Train) }),
		store.ColumnOf(rows, "solved", "", func(l row) int64 { return int64(l.Solved) }),
		store.ColumnOf(rows, "error_ratio", "", func(l row) float64 { return l.Middle }),
		store.ColumnOf(rows, "least", "", func(l row) float64 { return l.Lo }),
		store.ColumnOf(rows, "largest", "", func(l row) float64 { return l.Hi }),
		store.ColumnOf(rows, "median", "%", func(l row) float64 { return 100 * l.Relative }),
	}}
}
