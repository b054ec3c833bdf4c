package timeline

import (
	"iter"
	"slices"

	"spoor/traces/trace"
)

// Source returns the events of src at their simulated times, and computations between them. Events are in order of
// time, without needs and references. End returns their ends.
//
// Operations of a graph wait concurrently. So a receive of a graph is shown while its processor takes up the message,
// and a send while it hands the message over.
func (t *Times) Source(src trace.Source) trace.Source { return &timedSource{src, t} }

type timedSource struct {
	trace.Source
	*Times
}

// Header implements trace.Source.
func (t *timedSource) Header() trace.Header {
	h := t.Source.Header()
	h.HasTime, h.WorkUnit, h.Rule = true, trace.WorkPicos, ""
	return h
}

// Refs implements trace.Source: there are none.
func (t *timedSource) Refs(...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(func(*trace.Refs, error) bool) {}
}

// Events implements trace.Source.
func (t *timedSource) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	if len(procs) == 0 {
		for p := range t.Header().Procs {
			procs = append(procs, trace.Proc(p))
		}
	}
	return func(yield func(*trace.Events, error) bool) {
		for _, p := range procs {
			b, err := t.events(p)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// visibleItem is the visible interval of an item.
type visibleItem struct {
	interval
	row int64
}

// events returns the events of a processor.
func (t *timedSource) events(p trace.Proc) (*trace.Events, error) {
	rows, graph, err := rowsOf(t.Source, p)
	if err != nil {
		return nil, err
	}
	r := &t.ranks[p]
	var all []visibleItem
	for _, it := range r.items {
		switch {
		case it.row < 0:
			all = append(all, visibleItem{interval{it.at, it.end}, it.row})
		case rows[it.row].Kind != trace.Compute: // the computation of a Compute is an item of its own
			all = append(all, visibleItem{it.visible(rows[it.row].Kind, graph), it.row})
		}
	}
	slices.SortStableFunc(all, func(a, b visibleItem) int { return int(min(1, max(-1, a.from-b.from))) })
	out := &trace.Events{Proc: p}
	r.ends = r.ends[:0]
	for _, s := range all {
		e := trace.NewEvent(trace.Compute)
		if s.row >= 0 {
			e = rows[s.row]
			e.Work = 0
		} else {
			e.Work = int64(s.to - s.from)
		}
		e.Instr, e.Refs, e.Needs, e.Time = 0, 0, nil, int64(s.from)
		out.Rows, r.ends = append(out.Rows, e), append(r.ends, s.to)
	}
	last := trace.NewEvent(trace.Compute)
	last.Time = int64(t.end(p))
	out.Rows, r.ends = append(out.Rows, last), append(r.ends, t.end(p))
	return out, nil
}

// rowsOf returns the events of a processor, and whether they are a graph.
func rowsOf(src trace.Source, p trace.Proc) (rows []trace.Event, graph bool, err error) {
	for b, err := range src.Events(p) {
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, b.Rows...)
	}
	return rows, slices.ContainsFunc(rows, func(e trace.Event) bool { return e.Needs != nil }), nil
}

// End returns when an event of Source ended, by its number on its processor. The caller must have read the
// processor's events before.
func (t *Times) End(p trace.Proc, row int64) int64 { return int64(t.ranks[p].ends[row]) }
