package timeline

import (
	"iter"

	"spoor/predict/engine"
	"spoor/traces/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Times observes when the events of a trace begin and end, and which receive gets which message.
type Times struct {
	engine.NopObserver
	ranks []observedRank
}

// observedRank is what is observed of one.
type observedRank struct {
	items   []item
	places  []int32 // among items, of events by row
	began   int32   // place of the event that began last, if it has not ended; or none
	busy    span    // the overhead that no event that ended has had yet
	spells  []spell
	matches []match
	ends    []unit.Picos // of the events of Of
}

// item is an event, or a computation.
type item struct {
	at, end unit.Picos
	row     int64 // of the event; of a computation none
	// When the processor was busy with it, if that is from at on or until end, as of operations of graphs: until handed, and from taken.
	handed, taken unit.Picos
}

// span is a time.
type span struct{ from, to unit.Picos }

// spell is what a processor did since the one before it: there are no gaps.
type spell struct {
	to   unit.Picos
	what engine.Part
}

// match is a receive that gets the next message of a sender.
type match struct {
	row              int64
	from, tag, group int32
}

// NewTimes observes so many ranks.
func NewTimes(ranks int) *Times {
	t := &Times{ranks: make([]observedRank, ranks)}
	for i := range t.ranks {
		t.ranks[i].began = none
	}
	return t
}

// Span implements engine.Observer.
func (t *Times) Span(rank int32, what engine.Part, from, to unit.Picos) {
	r := &t.ranks[rank]
	if all := r.spells; len(all) > 0 && all[len(all)-1].what == what {
		all[len(all)-1].to = to
	} else {
		r.spells = append(all, spell{to, what})
	}
	switch what {
	case engine.Overhead:
		r.busy = span{from, to}
		if r.began != none && r.items[r.began].at == from {
			r.items[r.began].handed = to
		}
	case engine.Computing:
		if n := len(r.items); n > 0 && r.items[n-1].row < 0 && r.items[n-1].end == from {
			r.items[n-1].end = to
			return
		}
		r.items = append(r.items, item{at: from, end: to, row: int64(none)})
	}
}

// Began implements engine.Observer.
func (t *Times) Began(rank int32, row int64, at unit.Picos) {
	r := &t.ranks[rank]
	for len(r.places) <= int(row) {
		r.places = append(r.places, none)
	}
	r.began = int32(len(r.items))
	r.places[row] = r.began
	r.items = append(r.items, item{at: at, end: at, row: row, handed: at, taken: at})
}

// Ended implements engine.Observer.
func (t *Times) Ended(rank int32, row int64, at unit.Picos) {
	r := &t.ranks[rank]
	it := &r.items[r.places[row]]
	it.end, it.taken = at, at
	if r.busy.to == at {
		it.taken = r.busy.from
	}
	r.busy, r.began = span{}, none
}

// Matched implements engine.Observer.
func (t *Times) Matched(rank int32, row int64, from, tag, group int32) {
	r := &t.ranks[rank]
	r.matches = append(r.matches, match{row, from, tag, group})
}

// shown is when an event is to be seen: all of it, or of a graph what its processor does for it.
func (it *item) shown(k trace.Kind, graph bool) span {
	switch {
	case !graph:
		return span{it.at, it.end}
	case k == trace.Send || k == trace.Isend:
		return span{it.at, it.handed}
	}
	return span{it.taken, it.end}
}

// states are those of viewers.
var states = [...]format.State{engine.Computing: format.StateCompute, engine.Overhead: format.StateOverhead, engine.Latency: format.StateLatency,
	engine.Contention: format.StateContention, engine.Waiting: format.StateWait}

// StateIntervals is what a processor spent its time on, from 0 on without gaps.
func (t *Times) StateIntervals(p trace.Proc) iter.Seq[format.StateInterval] {
	return func(yield func(format.StateInterval) bool) {
		begin := unit.Picos(0)
		for _, s := range t.ranks[p].spells {
			if !yield(format.StateInterval{State: states[s.what], Begin: int64(begin), End: int64(s.to)}) {
				return
			}
			begin = s.to
		}
	}
}

// end is when a processor ended.
func (t *Times) end(p trace.Proc) unit.Picos {
	if all := t.ranks[p].spells; len(all) > 0 {
		return all[len(all)-1].to
	}
	return 0
}
