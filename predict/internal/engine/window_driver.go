package engine

import (
	"math"
	"math/bits"
	"spoor/predict/internal/engine/prefetch"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// windowDriver lets all ranks that act in a window of time act in any order. A window is no longer than the
// lookahead, so their effects come in the next window or later. Ranks that act in one of the next windows are in a
// ring of lists. The others are in a heap.
type windowDriver struct {
	width         unit.Picos
	inverse       uint64 // see windowOf
	shift         uint8
	now           int64 // window
	ring          [ringSize][]int32
	filled        [ringSize / 64]uint64                          // which lists of the ring have, or had, ranks
	spare         [][]int32                                      // emptied lists, for reuse; the last one is still in a cache
	far           heap.Heap[unit.Picos, uint8, uint32, struct{}] // by next and rank
	activeWindows int64                                          // windows in which ranks acted
}

const (
	ringSize        = 1 << 10
	leastWidth      = unit.Picos(16) // shorter windows are not worth it
	noWindow        = int64(-1)
	noFurtherWindow = int64(math.MaxInt64)
)

func newWindows(width unit.Picos) *windowDriver {
	d := &windowDriver{width: width, now: noWindow}
	if width > 2 {
		n := bits.Len64(uint64(width - 1))
		d.inverse, _ = bits.Div64(1<<n>>2, 0, uint64(width))
		d.inverse, d.shift = d.inverse+1, uint8(n-2)
	}
	return d
}

// windowOf returns the window of a time before Horizon. It multiplies by the reciprocal of the width, because a
// division takes longer than the rest. The result is exact: the product of the reciprocal and the width, of L bits,
// is at most 2^L more than 2^(62+L).
func (d *windowDriver) windowOf(t unit.Picos) int64 {
	if d.inverse == 0 {
		return int64(t / d.width)
	}
	product, _ := bits.Mul64(uint64(t), d.inverse)
	return int64(product >> d.shift)
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
	w := d.windowOf(r.next)
	if w == r.window {
		return
	}
	r.window = w
	if w-d.now >= ringSize {
		d.far.Push(heap.Item[unit.Picos, uint8, uint32, struct{}]{Key: r.next, Turn: uint32(r.id)})
		return
	}
	i := w % ringSize
	d.enter(i, r.id)
	d.filled[i/64] |= 1 << (i % 64)
}

// enter puts a rank into the i-th list. A new list reuses an emptied one.
func (d *windowDriver) enter(i int64, id int32) {
	if n := len(d.spare); n > 0 && d.ring[i] == nil {
		d.ring[i], d.spare = d.spare[n-1], d.spare[:n-1]
	}
	d.ring[i] = append(d.ring[i], id)
}

func (d *windowDriver) sooner(_ *engine, r *rank) { d.put(r) }

func (d *windowDriver) run(e *engine) error { return d.upTo(e, noFurtherWindow) }

// upTo lets ranks act in all windows before one.
func (d *windowDriver) upTo(e *engine, end int64) error {
	for d.advance(end) {
		if err := e.checkpoint(); err != nil {
			return err
		}
		limit := min(unit.Picos(d.now+1)*d.width, cost.Horizon)
		i, acted := d.now%ringSize, int64(0)
		list := d.ring[i]
		for k := -2 * prefetchDistance; k < 0; k++ {
			prefetchRanks(e, list, k)
		}
		for k, id := range list {
			prefetchRanks(e, list, k)
			r := &e.ranks[id]
			if r.window != d.now {
				continue
			}
			r.window, e.active, e.limit, acted = noWindow, id, limit, 1
			r.run()
			d.put(r)
		}
		d.activeWindows += acted
		if d.ring[i], d.spare = nil, append(d.spare, list[:0]); e.failed != nil && limit > e.failed.at {
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

// advance goes to the next window in which a rank acts, and reports false if it is not before end. It moves the ranks
// of that window from the heap to its list.
func (d *windowDriver) advance(end int64) bool {
	i := (d.now + 1) % ringSize
	next := d.now + 1 + d.gap(i)
	if next > d.now+ringSize {
		next = noFurtherWindow // the ring has none
	}
	if len(d.far) > 0 {
		next = min(next, int64(d.far[0].Key/d.width))
	}
	if next >= end {
		return false
	}
	d.now = next
	i = d.now % ringSize
	d.filled[i/64] &^= 1 << (i % 64)
	for len(d.far) > 0 && int64(d.far[0].Key/d.width) == d.now {
		d.enter(i, int32(d.far.Pop().Turn))
	}
	return true
}

// first returns the first window in which a rank acts, or noFurtherWindow.
func (d *windowDriver) first(e *engine) int64 {
	next, ring := noFurtherWindow, d.now+1+ringSize
	if len(d.far) > 0 {
		next = int64(d.far[0].Key / d.width)
	}
	for w := d.now + 1; w < min(next, ring); w++ {
		if w += d.gap(w % ringSize); w >= min(next, ring) {
			break
		}
		i := w % ringSize
		for _, id := range d.ring[i] {
			if e.ranks[id].window == w {
				return w
			}
		}
		d.ring[i] = d.ring[i][:0]
		d.filled[i/64] &^= 1 << (i % 64)
	}
	return next
}

// gap returns how many lists of the ring have no ranks, from the i-th on.
func (d *windowDriver) gap(i int64) int64 {
	for n := int64(0); n < ringSize+64; {
		word := d.filled[(i+n)%ringSize/64] >> ((i + n) % 64)
		if word != 0 {
			return n + int64(bits.TrailingZeros64(word))
		}
		n += 64 - (i+n)%64
	}
	return ringSize
}
