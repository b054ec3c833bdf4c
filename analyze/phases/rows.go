package phases

import (
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

// shape is what caches look like whose events a row counts. Sets is 0 for what does not depend on them.
type shape struct{ line, sets int64 }

// shapes are those of an analysis, in the order of rows: first what does not depend on the sets of a line size, then each number of sets.
func (a *Analysis) shapes() (all []shape) {
	for _, line := range a.Lines {
		all = append(all, shape{int64(line), 0})
		for _, sets := range a.Sets {
			all = append(all, shape{int64(line), sets})
		}
	}
	return all
}

// subject is what a row of a window counts: the number of a shape, an event, and a distance. Their order is that of rows.
type subject uint32

const (
	distanceBits = 5
	eventBits    = 4
	shapeBits    = distanceBits + eventBits
)

func subjectOf(shape int, e event, distance int) subject {
	return subject(shape<<shapeBits | int(e)<<distanceBits | (distance - Invalidated))
}

func (s subject) shape() int    { return int(s >> shapeBits) }
func (s subject) event() event  { return event(s >> distanceBits & (1<<eventBits - 1)) }
func (s subject) distance() int { return int(s&(1<<distanceBits-1)) + Invalidated }

// tallied is a row without the window that it is of.
type tallied struct {
	subject subject
	count   uint64
}

// rows is what one processor did, window by window.
type rows struct {
	windows []stretch
	all     []tallied // those of a window lie together, by subject
}

// stretch is the rows of a window.
type stretch struct {
	phase, window int64
	end           int // in all; they begin where those of the window before end
}

// add appends a row to the window that will end next, unless it counts nothing; instr rows are always there, so that every phase is.
func (r *rows) add(s subject, count uint64) {
	if count > 0 || s.event() == instrEvent {
		if len(r.all) == cap(r.all) {
			r.all = slices.Grow(r.all, max(1<<10, len(r.all))) // append would copy a long slice more often
		}
		r.all = append(r.all, tallied{s, count})
	}
}

// end ends a window, which is not before the last one.
func (r *rows) end(phase, window int64) {
	r.windows = append(r.windows, stretch{phase, window, len(r.all)})
}

// join makes one of windows that are the same, and so neighbours.
func (r *rows) join() {
	var both []tallied
	windows, start, from, to := r.windows[:0], 0, 0, 0 // of the last window, of those not yet seen, and of those joined
	for _, w := range r.windows {
		next := r.all[from:w.end]
		from = w.end
		if last := len(windows) - 1; last >= 0 && windows[last].phase == w.phase && windows[last].window == w.window {
			both = merged(both[:0], r.all[start:to], next)
			next, windows = both, windows[:last]
		} else {
			start = to
		}
		to = start + copy(r.all[start:], next)
		windows = append(windows, stretch{w.phase, w.window, to})
	}
	r.windows, r.all = windows, r.all[:to]
}

// merged appends rows of two windows, of which those of the same subject count together.
func merged(out, a, b []tallied) []tallied {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.subject < y.subject:
			out, a = append(out, x), a[1:]
		case x.subject > y.subject:
			out, b = append(out, y), b[1:]
		default:
			out, a, b = append(out, tallied{x.subject, x.count + y.count}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// total adds up what counts the same in all windows: by subject.
func (r *rows) total(shapes int) []uint64 {
	sums := make([]uint64, shapes<<shapeBits)
	for _, x := range r.all {
		sums[x.subject] += x.count
	}
	return sums
}

// columns are those of the table phases.
type columns struct {
	proc                                []int32
	phase, window, line, sets, distance []int64
	events                              []string
	count                               []uint64
}

// tableOf makes one table of the rows of all processors.
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
				c.add(int32(p), w, shapes[x.subject.shape()], x)
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

func (c *columns) add(proc int32, w stretch, of shape, x tallied) {
	c.proc = append(c.proc, proc)
	c.phase = append(c.phase, w.phase)
	c.window = append(c.window, w.window)
	c.line = append(c.line, of.line)
	c.sets = append(c.sets, of.sets)
	c.events = append(c.events, eventNames[x.subject.event()])
	c.distance = append(c.distance, int64(x.subject.distance()))
	c.count = append(c.count, x.count)
}
