package phases

import (
	"cmp"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// The distances of uses that miss whatever the associativity.
const (
	Cold        = -1 // the processor's first use of the line
	Invalidated = -2 // another processor has stored the line since the last use
)

// event says what a row counts. The order is that of the names.
type event uint8

const (
	instrEvent event = 1 + iota
	loadEvent
	reuseLoadEvent
	reuseStoreEvent
	storeEvent
	supplyPlusEvent
	upgradeMinusEvent
	upgradePlusEvent
	writebackMinusEvent
	writebackPlusEvent
)

var eventNames = [...]string{instrEvent: "instr", loadEvent: "load", reuseLoadEvent: "reuse_load",
	reuseStoreEvent: "reuse_store", storeEvent: "store", supplyPlusEvent: "supply_plus",
	upgradeMinusEvent: "upgrade_minus", upgradePlusEvent: "upgrade_plus",
	writebackMinusEvent: "writeback_minus", writebackPlusEvent: "writeback_plus"}

// key is what rows belong to. Sets is 0 for what does not depend on them.
type key struct {
	proc                      int32
	phase, window, line, sets int64
}

type row struct {
	key
	distance int64
	count    uint64
	event    event
}

type rows []row

// add appends a row, unless it counts nothing; instr rows are always there, so that every phase is.
func (r *rows) add(k key, e event, distance int64, count uint64) {
	if count > 0 || e == instrEvent {
		if len(*r) == cap(*r) {
			*r = slices.Grow(*r, max(1<<10, len(*r))) // append would copy a long slice more often
		}
		*r = append(*r, row{k, distance, count, e})
	}
}

// compare goes on only as far as it must, which cmp.Or does not.
func (x row) compare(y row) int {
	switch {
	case x.proc != y.proc:
		return cmp.Compare(x.proc, y.proc)
	case x.phase != y.phase:
		return cmp.Compare(x.phase, y.phase)
	case x.window != y.window:
		return cmp.Compare(x.window, y.window)
	case x.line != y.line:
		return cmp.Compare(x.line, y.line)
	case x.sets != y.sets:
		return cmp.Compare(x.sets, y.sets)
	case x.event != y.event:
		return cmp.Compare(x.event, y.event)
	}
	return cmp.Compare(x.distance, y.distance)
}

// join sorts rows and adds up those that count the same.
func (r rows) join() rows {
	slices.SortFunc(r, row.compare)
	out := r[:0]
	for _, x := range r {
		if last := len(out) - 1; last >= 0 && out[last].key == x.key && out[last].event == x.event && out[last].distance == x.distance {
			out[last].count += x.count
			continue
		}
		out = append(out, x)
	}
	return out
}

// windows is the number of windows of all processors in joined rows.
func (r rows) windows() int {
	n := 0
	for i, x := range r {
		if i == 0 || x.window != r[i-1].window || x.phase != r[i-1].phase || x.proc != r[i-1].proc {
			n++
		}
	}
	return n
}

func (r rows) table(meta []trace.Arg) *store.Table {
	proc, count, events := make([]int32, len(r)), make([]uint64, len(r)), make([]string, len(r))
	column := func(of func(*row) int64) []int64 {
		out := make([]int64, len(r))
		for i := range r {
			out[i] = of(&r[i])
		}
		return out
	}
	for i, x := range r {
		proc[i], events[i], count[i] = x.proc, eventNames[x.event], x.count
	}
	return &store.Table{Name: "phases", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: proc},
		{Name: "phase", Data: column(func(x *row) int64 { return x.phase })},
		{Name: "window", Data: column(func(x *row) int64 { return x.window })},
		{Name: "line", Unit: "B", Data: column(func(x *row) int64 { return x.line })},
		{Name: "sets", Data: column(func(x *row) int64 { return x.sets })},
		{Name: "event", Data: events},
		{Name: "distance", Unit: "lines", Data: column(func(x *row) int64 { return x.distance })},
		{Name: "count", Data: count},
	}}
}
