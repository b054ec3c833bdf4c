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
	proc              int32
	phase, line, sets int64
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
		*r = append(*r, row{k, distance, count, e})
	}
}

func (r rows) sort() {
	slices.SortFunc(r, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.phase, b.phase), cmp.Compare(a.line, b.line),
			cmp.Compare(a.sets, b.sets), cmp.Compare(a.event, b.event), cmp.Compare(a.distance, b.distance))
	})
}

func (r rows) table(meta []trace.Arg) *store.Table {
	proc, count, events := make([]int32, len(r)), make([]uint64, len(r)), make([]string, len(r))
	phase, line, sets, distance := make([]int64, len(r)), make([]int64, len(r)), make([]int64, len(r)), make([]int64, len(r))
	for i, x := range r {
		proc[i], phase[i], line[i], sets[i] = x.proc, x.phase, x.line, x.sets
		events[i], distance[i], count[i] = eventNames[x.event], x.distance, x.count
	}
	return &store.Table{Name: "phases", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: proc}, {Name: "phase", Data: phase}, {Name: "line", Unit: "B", Data: line},
		{Name: "sets", Data: sets}, {Name: "event", Data: events},
		{Name: "distance", Unit: "lines", Data: distance}, {Name: "count", Data: count},
	}}
}
