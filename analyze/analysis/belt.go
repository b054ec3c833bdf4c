package analysis

import (
	"slices"
	"sync"
	"sync/atomic"

	"spoor/traces/trace"
)

// belt carries the pieces of the interleaved order, which are short, to shards that look at
// them on goroutines of their own, many pieces at a time.
type belt struct {
	lanes   []chan *bundle // by shard
	shards  []Shard
	errs    []error
	at      []uint64 // by shard: the number of the piece of its error
	free    chan *bundle
	next    *bundle
	pieces  uint64 // sent so far
	failed  atomic.Bool
	whole   bool // nothing failed, and all has been sent
	workers sync.WaitGroup
}

// bundle is pieces that shards look at. The last of them gives it back.
type bundle struct {
	space
	pieces []Piece
	events []trace.Event // of the pieces
	sheets []sheet       // likewise
	first  uint64        // number of the first piece
	left   atomic.Int32  // shards that have not seen it
}

const (
	bundles      = 4
	bundleRows   = 16 * beltRows
	bundlePieces = 256
)

func newBelt(shards []Shard, hasPC bool) *belt {
	b := &belt{shards: shards, errs: make([]error, len(shards)), at: make([]uint64, len(shards)), free: make(chan *bundle, bundles)}
	for range bundles {
		b.free <- &bundle{space: newSpace(bundleRows, hasPC), pieces: make([]Piece, 0, bundlePieces), events: make([]trace.Event, 0, bundlePieces), sheets: make([]sheet, bundlePieces)}
	}
	b.next = <-b.free
	for i := range shards {
		lane := make(chan *bundle, bundles)
		b.lanes = append(b.lanes, lane)
		b.workers.Go(func() { b.work(i, lane) })
	}
	return b
}

// add puts on a piece whose references are in the space of the next bundle, and sends that
// if it is full: then the merger goes on in another space.
func (b *belt) add(m *merger, p *Piece) {
	n := b.next
	n.pieces = append(n.pieces, *p)
	if p.sheet != nil {
		own := &n.sheets[len(n.pieces)-1]
		own.numbers = p.sheet.numbers
		own.reset()
		n.pieces[len(n.pieces)-1].sheet = own
	}
	if p.Event != nil {
		n.events = append(n.events, *p.Event)
		e := &n.events[len(n.events)-1]
		e.Needs = slices.Clone(e.Needs)
		n.pieces[len(n.pieces)-1].Event = e
	}
	if len(n.pieces) == bundlePieces || m.merged+beltRows > bundleRows {
		b.send()
		b.next = <-b.free
		m.use(b.next.space)
	}
}

func (b *belt) send() {
	n := b.next
	n.first = b.pieces
	b.pieces += uint64(len(n.pieces))
	n.left.Store(int32(len(b.lanes)))
	for _, lane := range b.lanes {
		lane <- n
	}
}

// work has a shard look at all pieces, and ends it.
func (b *belt) work(i int, lane <-chan *bundle) {
	s := b.shards[i]
	for n := range lane {
		for j := range n.pieces {
			if b.errs[i] != nil {
				break
			}
			if b.errs[i] = s.Add(&n.pieces[j]); b.errs[i] != nil {
				b.at[i] = n.first + uint64(j)
				b.failed.Store(true)
			}
		}
		if n.left.Add(-1) == 0 {
			n.pieces, n.events = n.pieces[:0], n.events[:0]
			b.free <- n
		}
	}
	if b.whole && !b.failed.Load() {
		b.errs[i] = s.End()
	}
}

// end sends what is left, and waits until all shards have ended, as they do if all is whole.
// The error is that of the earliest piece, and of the first shard that fails there.
func (b *belt) end(whole bool) error {
	b.send()
	b.whole = whole
	for _, lane := range b.lanes {
		close(lane)
	}
	b.workers.Wait()
	first := -1
	for i, err := range b.errs {
		if err != nil && (first < 0 || b.at[i] < b.at[first]) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	return b.errs[first]
}
