package timeline

import (
	"iter"
	"slices"

	"spoor/predict/engine"
	"spoor/traces/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Times observes when the events of a trace begin.
type Times struct {
	engine.Quiet
	ranks  [][]item
	spells [][]spell
}

// spell is what a processor did since the one before it: there are no gaps.
type spell struct {
	to   unit.Picos
	what engine.Part
}

// item is an event that began, or a computation.
type item struct {
	at   unit.Picos
	long unit.Picos // of a computation
	row  int64      // of the event; of a computation none
}

// NewTimes observes so many ranks.
func NewTimes(ranks int) *Times {
	return &Times{ranks: make([][]item, ranks), spells: make([][]spell, ranks)}
}

// Span implements engine.Observer.
func (t *Times) Span(rank int32, what engine.Part, from, to unit.Picos) {
	if all := t.spells[rank]; len(all) > 0 && all[len(all)-1].what == what {
		all[len(all)-1].to = to
	} else {
		t.spells[rank] = append(all, spell{to, what})
	}
	if what != engine.Computing {
		return
	}
	all := t.ranks[rank]
	if n := len(all); n > 0 && all[n-1].row < 0 && all[n-1].at+all[n-1].long == from {
		all[n-1].long += to - from
		return
	}
	t.ranks[rank] = append(all, item{from, to - from, int64(none)})
}

// Began implements engine.Observer.
func (t *Times) Began(rank int32, row int64, at unit.Picos) {
	t.ranks[rank] = append(t.ranks[rank], item{at: at, row: row})
}

// states are those of viewers.
var states = [...]format.State{engine.Computing: format.StateCompute, engine.Overhead: format.StateOverhead, engine.Latency: format.StateLatency,
	engine.Contention: format.StateContention, engine.Waiting: format.StateWait}

// Spells is what a processor spent its time on, from 0 on without gaps.
func (t *Times) Spells(p trace.Proc) iter.Seq[format.Spell] {
	return func(yield func(format.Spell) bool) {
		begin := unit.Picos(0)
		for _, s := range t.spells[p] {
			if !yield(format.Spell{State: states[s.what], Begin: int64(begin), End: int64(s.to)}) {
				return
			}
			begin = s.to
		}
	}
}

// end is when a processor ended.
func (t *Times) end(p trace.Proc) unit.Picos {
	if all := t.spells[p]; len(all) > 0 {
		return all[len(all)-1].to
	}
	return 0
}

// Of is the events of src at their simulated times, and as computations what is between them. They
// come in the order of time, without needs and references. What a receive from any source got is
// not among what was observed: viewers match it with what was sent first.
func (t *Times) Of(src trace.Source) trace.Source { return &timed{src, t} }

type timed struct {
	trace.Source
	*Times
}

// Header implements trace.Source.
func (t *timed) Header() trace.Header {
	h := t.Source.Header()
	h.HasTime, h.WorkUnit, h.Rule = true, trace.WorkPicos, ""
	return h
}

// Refs implements trace.Source: there are none.
func (t *timed) Refs(...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(func(*trace.Refs, error) bool) {}
}

// Events implements trace.Source.
func (t *timed) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
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

// events are those of a processor.
func (t *timed) events(p trace.Proc) (*trace.Events, error) {
	var rows []trace.Event
	for b, err := range t.Source.Events(p) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, b.Rows...)
	}
	items := slices.Clone(t.ranks[p])
	slices.SortStableFunc(items, func(a, b item) int { return int(min(1, max(-1, a.at-b.at))) })
	out := &trace.Events{Proc: p}
	for _, it := range items {
		e := trace.NewEvent(trace.Compute)
		if it.row >= 0 {
			e = rows[it.row]
		}
		if e.Kind == trace.Compute && it.row >= 0 {
			continue // what it computed is an item of its own
		}
		e.Instr, e.Refs, e.Needs = 0, 0, nil
		e.Time, e.Work = int64(it.at), int64(it.long)
		out.Rows = append(out.Rows, e)
	}
	last := trace.NewEvent(trace.Compute) // until which the event before it lasts
	last.Time = int64(t.end(p))
	out.Rows = append(out.Rows, last)
	return out, nil
}
