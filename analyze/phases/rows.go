package phases

import (
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Distances of uses that miss at every associativity.
const (
	cold        = -1 // the processor's first use of the line
	invalidated = -2 // another processor has stored the line since the last use, or it was flushed
)

// event is the event that a row counts. Events are ordered by name.
type event uint8

const (
	aloneMinusEvent event = 1 + iota
	alonePlusEvent
	instrEvent
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

var eventNames = [...]string{aloneMinusEvent: "alone_minus", alonePlusEvent: "alone_plus", instrEvent: "instr", loadEvent: "load", reuseLoadEvent: "reuse_load",
	reuseStoreEvent: "reuse_store", storeEvent: "store", supplyPlusEvent: "supply_plus",
	upgradeMinusEvent: "upgrade_minus", upgradePlusEvent: "upgrade_plus",
	writebackMinusEvent: "writeback_minus", writebackPlusEvent: "writeback_plus"}

// shape is the shape of the caches of a row. Sets is 0 for events that do not depend on the number of sets.
type shape struct{ line, sets int64 }

// shapes returns the shapes of an analysis in the order of rows. For each line size, the one without sets
// comes first, then each number of sets.
func (a *Analysis) shapes() (all []shape) {
	for _, line := range a.Lines {
		all = append(all, shape{int64(line), 0})
		for _, sets := range a.Sets {
			all = append(all, shape{int64(line), sets})
		}
	}
	return all
}

// rowKey identifies a row of a window: the index of a shape, an event, and a distance. Keys have the order of
// rows.
type rowKey uint32

const (
	distanceBits = 5
	eventBits    = 4
	shapeBits    = distanceBits + eventBits
)

func keyOf(shape int, e event, distance int) rowKey {
	return rowKey(shape<<shapeBits | int(e)<<distanceBits | (distance - invalidated))
}

func (s rowKey) shape() int    { return int(s >> shapeBits) }
func (s rowKey) event() event  { return event(s >> distanceBits & (1<<eventBits - 1)) }
func (s rowKey) distance() int { return int(s&(1<<distanceBits-1)) + invalidated }

// countedRow is a row without its window.
type countedRow struct {
	key   rowKey
	count uint64
}

// rows holds the rows of one processor, window by window.
type rows struct {
	windows []windowRange
	all     []countedRow // rows of a window are adjacent, by key
}

// windowRange is the range of rows of a window.
type windowRange struct {
	phase, window int64
	end           int // index in all; the range starts at the end of the window before
}

// add adds a row to the current window unless its count is 0. It always adds instr rows, so that every phase
// has rows.
func (r *rows) add(s rowKey, count uint64) {
	if count > 0 || s.event() == instrEvent {
		if len(r.all) == cap(r.all) {
			r.all = slices.Grow(r.all, max(1<<10, len(r.all))) // append would copy a long slice more often
		}
		r.all = append(r.all, countedRow{s, count})
	}
}

// end ends the current window. Windows must not descend.
func (r *rows) end(phase, window int64) {
	r.windows = append(r.windows, windowRange{phase, window, len(r.all)})
}

// mergeWindows merges equal windows, which are neighbours.
func (r *rows) mergeWindows() {
	var both []countedRow
	windows, start, from, to := r.windows[:0], 0, 0, 0 // of the last window, of the unread rows, and of the merged rows
	for _, w := range r.windows {
		next := r.all[from:w.end]
		from = w.end
		if last := len(windows) - 1; last >= 0 && windows[last].phase == w.phase && windows[last].window == w.window {
			both = mergeRows(both[:0], r.all[start:to], next)
			next, windows = both, windows[:last]
		} else {
			start = to
		}
		to = start + copy(r.all[start:], next)
		windows = append(windows, windowRange{w.phase, w.window, to})
	}
	r.windows, r.all = windows, r.all[:to]
}

// mergeRows appends the rows of two windows to out. It adds the counts of equal keys.
func mergeRows(out, a, b []countedRow) []countedRow {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.key < y.key:
			out, a = append(out, x), a[1:]
		case x.key > y.key:
			out, b = append(out, y), b[1:]
		default:
			out, a, b = append(out, countedRow{x.key, x.count + y.count}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// total returns the sums over all windows, by key.
func (r *rows) total(shapes int) []uint64 {
	sums := make([]uint64, shapes<<shapeBits)
	for _, x := range r.all {
		sums[x.key] += x.count
	}
	return sums
}

// columns has the columns of the table phases.
type columns struct {
	proc                                []int32
	phase, window, line, sets, distance []int64
	events                              []string
	count                               []uint64
}

// tableOf returns the table of the rows of all processors.
func tableOf(procs []rows, shapes []shape, meta []trace.Arg) *store.Table {
	n := 0
	for i := range procs {
		n += len(procs[i].all)
	}
	ints := func() []int64 { return make([]int64, 0, n) }
	c := columns{make([]int32, 0, n), ints(), ints(), ints(), ints(), ints(), make([]string, 0, n), make([]uint64, 0, n)}
	for p := range procs {
		from := 0
		for _, w := range procs[p].windows {
			for _, x := range procs[p].all[from:w.end] {
				c.add(int32(p), w, shapes[x.key.shape()], x)
			}
			from = w.end
		}
	}
	return &store.Table{Name: "phases", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: c.proc},
		{Name: "phase", Data: c.phase},
		{Name: "window", Data: c.window},
		{Name: "line", Unit: "B", Data: c.line},
		{Name: "sets", Data: c.sets},
		{Name: "event", Data: c.events},
		{Name: "distance", Unit: "lines", Data: c.distance},
		{Name: "count", Data: c.count},
	}}
}

func (c *columns) add(proc int32, w windowRange, of shape, x countedRow) {
	c.proc = append(c.proc, proc)
	c.phase = append(c.phase, w.phase)
	c.window = append(c.window, w.window)
	c.line = append(c.line, of.line)
	c.sets = append(c.sets, of.sets)
	c.events = append(c.events, eventNames[x.key.event()])
	c.distance = append(c.distance, int64(x.key.distance()))
	c.count = append(c.count, x.count)
}
