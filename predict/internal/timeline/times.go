package timeline

import (
	"iter"

	"spoor/predict/internal/engine/observe"
	"spoor/traces/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Times is an observer that records when the events of a trace begin and end, and which receive gets which message.
type Times struct {
	observe.NopObserver
	ranks []observedRank
}

// observedRank is the record of one rank.
type observedRank struct {
	items   []item
	itemOf  []int32  // indices in items, of events by row
	open    int32    // index of the event that began last, if it has not ended; or noIndex
	busy    interval // the last overhead, if it belongs to no event that ended
	periods []statePeriod
	matches []match
	ends    []unit.Picos // of the events of Source
}

// item is an event, or a computation.
type item struct {
	at, end unit.Picos
	row     int64 // of the event; noIndex for a computation
	// With graphs, the processor is busy with the event from at until sendDone, and from receiveStart until end.
	sendDone, receiveStart unit.Picos
}

// interval is a time from and to.
type interval struct{ from, to unit.Picos }

// statePeriod is what a processor did since the end of the period before it. There are no gaps.
type statePeriod struct {
	to   unit.Picos
	what observe.Part
}

// match is a receive that gets the next message of a sender.
type match struct {
	row              int64
	from, tag, group int32
}

// NewTimes returns an observer of ranks.
func NewTimes(ranks int) *Times {
	t := &Times{ranks: make([]observedRank, ranks)}
	for i := range t.ranks {
		t.ranks[i].open = noIndex
	}
	return t
}

// Span implements observe.Observer.
func (t *Times) Span(rank int32, what observe.Part, from, to unit.Picos) {
	r := &t.ranks[rank]
	if what == observe.MemoryLatency || what == observe.MemoryContention { // too many for a viewer
		what = observe.Computing
	}
	if all := r.periods; len(all) > 0 && all[len(all)-1].what == what {
		all[len(all)-1].to = to
	} else {
		r.periods = append(all, statePeriod{to, what})
	}
	switch what {
	case observe.Overhead:
		r.busy = interval{from, to}
		if r.open != noIndex && r.items[r.open].at == from {
			r.items[r.open].sendDone = to
		}
	case observe.Computing:
		if n := len(r.items); n > 0 && r.items[n-1].row < 0 && r.items[n-1].end == from {
			r.items[n-1].end = to
			return
		}
		r.items = append(r.items, item{at: from, end: to, row: int64(noIndex)})
	}
}

// Began implements observe.Observer.
func (t *Times) Began(rank int32, row int64, at unit.Picos) {
	r := &t.ranks[rank]
	for len(r.itemOf) <= int(row) {
		r.itemOf = append(r.itemOf, noIndex)
	}
	r.open = int32(len(r.items))
	r.itemOf[row] = r.open
	r.items = append(r.items, item{at: at, end: at, row: row, sendDone: at, receiveStart: at})
}

// Ended implements observe.Observer.
func (t *Times) Ended(rank int32, row int64, at unit.Picos) {
	r := &t.ranks[rank]
	it := &r.items[r.itemOf[row]]
	it.end, it.receiveStart = at, at
	if r.busy.to == at {
		it.receiveStart = r.busy.from
	}
	r.busy, r.open = interval{}, noIndex
}

// Matched implements observe.Observer.
func (t *Times) Matched(rank int32, row int64, from, tag, group int32) {
	r := &t.ranks[rank]
	r.matches = append(r.matches, match{row, from, tag, group})
}

// visible returns the interval in which an event is shown. It is the whole event, or for a graph the time of its
// processor.
func (it *item) visible(k trace.Kind, graph bool) interval {
	switch {
	case !graph:
		return interval{it.at, it.end}
	case k == trace.Send || k == trace.Isend:
		return interval{it.at, it.sendDone}
	}
	return interval{it.receiveStart, it.end}
}

// states maps parts to the states of viewers. Waiting for the memory is part of computing.
var states = [...]format.State{observe.Computing: format.StateCompute, observe.Overhead: format.StateOverhead, observe.Latency: format.StateLatency,
	observe.Contention: format.StateContention, observe.Waiting: format.StateWait, observe.Sync: format.StateWait}

// StateIntervals returns the states of a processor from time 0 on without gaps.
func (t *Times) StateIntervals(p trace.Proc) iter.Seq[format.StateInterval] {
	return func(yield func(format.StateInterval) bool) {
		begin := unit.Picos(0)
		for _, s := range t.ranks[p].periods {
			if !yield(format.StateInterval{State: states[s.what], Begin: int64(begin), End: int64(s.to)}) {
				return
			}
			begin = s.to
		}
	}
}

// end returns when a processor ended.
func (t *Times) end(p trace.Proc) unit.Picos {
	if all := t.ranks[p].periods; len(all) > 0 {
		return all[len(all)-1].to
	}
	return 0
}
