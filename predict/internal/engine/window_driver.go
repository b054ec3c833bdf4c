package engine

import (
	"spoor/predict/internal/engine/calendarqueue"
	"spoor/predict/internal/engine/prefetch"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/traces/unit"
)

// windowDriver lets all ranks that act in a window of time act in any order. A window is no longer than the
// lookahead, so their effects come in the next window or later.
type windowDriver struct {
	*calendarqueue.Queue
	activeWindows int64 // windows in which ranks acted
}

const (
	leastWidth      = unit.Picos(16) // shorter windows are not worth it
	noWindow        = calendarqueue.None
	noFurtherWindow = calendarqueue.NoFurther
)

func newWindows(width unit.Picos) *windowDriver {
	return &windowDriver{Queue: calendarqueue.New(width)}
}

func (d *windowDriver) add(r *rank) {
	r.window = noWindow
	d.put(r)
}

// put enters a rank in the window of its next action. The rank may still be in lists of other windows; r.window says
// which one counts.
func (d *windowDriver) put(r *rank) {
	if r.next >= cost.Horizon {
		r.window = noWindow
		return
	}
	if w := d.Window(r.next); w != r.window {
		r.window = w
		d.Add(r.id, r.next, w)
	}
}

func (d *windowDriver) sooner(_ *engine, r *rank) { d.put(r) }

func (d *windowDriver) run(e *engine) error { return d.upTo(e, noFurtherWindow) }

// upTo lets ranks act in all windows before one.
func (d *windowDriver) upTo(e *engine, end int64) error {
	for d.Advance(end) {
		if err := e.checkpoint(); err != nil {
			return err
		}
		limit := min(unit.Picos(d.Now+1)*d.Width, cost.Horizon)
		list, acted := d.List(), int64(0)
		for k := -2 * prefetchDistance; k < 0; k++ {
			prefetchRanks(e, list, k)
		}
		for k, id := range list {
			prefetchRanks(e, list, k)
			r := &e.ranks[id]
			if r.window != d.Now {
				continue
			}
			r.window, e.active, e.limit, acted = noWindow, id, limit, 1
			if r.run(); r.main.phase != fetching {
				d.put(r)
			}
		}
		e.runSegments(limit)
		d.activeWindows += acted
		if d.Clear(); e.failed != nil && limit > e.failed.at {
			break
		}
	}
	return nil
}

// Memory is slower than a processor. So ranks that act later are prefetched while others act: first the rank itself,
// then, when it is there, what it points to. Each prefetch is prefetchDistance ranks ahead.
const (
	prefetchDistance = 8
	lineBytes        = 64
	rankLines        = (int(hot)-1)/lineBytes + 1
	prefetchedOps    = 6 // of each rank
	// cache lines that they take, wherever they begin
	opLines = (prefetchedOps*int(unsafe.Sizeof(program.Packed{}))-1)/lineBytes + 2
)

// prefetchRanks prefetches ranks that act after the k-th of a list.
func prefetchRanks(e *engine, ids []int32, k int) {
	if k += prefetchDistance; k >= 0 && k < len(ids) {
		e.ranks[ids[k]].prefetchTargets()
	}
	if k += prefetchDistance; k < len(ids) {
		prefetch.Lines(unsafe.Pointer(&e.ranks[ids[k]]), rankLines)
	}
}

// prefetchTargets prefetches what r points to.
func (r *rank) prefetchTargets() {
	e := r.e
	if at := r.at - 1; uint(at) < uint(len(r.ops)) {
		prefetch.Lines(unsafe.Pointer(&r.ops[at]), opLines)
	}
	if len(r.arrivals) > 0 {
		prefetch.Lines(unsafe.Pointer(&e.packets.Items[r.arrivals[0].packet]), 1)
	}
	if on := r.main.pending; on > 0 {
		prefetch.Lines(unsafe.Pointer(&e.pendingOps.Items[on]), 1)
	}
	if slots := r.inbox.slots; len(slots) > leastSlots {
		prefetch.Lines(unsafe.Pointer(&slots[0]), 2)
	}
	if slots := r.requests.Slots; len(slots) > table.Least {
		prefetch.Lines(unsafe.Pointer(&slots[0]), 1)
	}
}

// first returns the first window in which a rank acts, or noFurtherWindow.
func (d *windowDriver) first(e *engine) int64 {
	return d.First(func(rank int32, window int64) bool { return e.ranks[rank].window == window })
}
