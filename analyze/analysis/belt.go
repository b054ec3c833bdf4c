package analysis

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"spoor/traces/trace"
)

// belt carries the pieces of the interleaved order, which are short, to shards that look at
// them on goroutines of their own, many pieces at a time. That of a lone processor is its program order too, and who looks at that
// is fed by the same belt.
type belt struct {
	lanes   []chan *bundle // by shard
	shards  []Shard        // those of the program order first
	program int            // how many those are
	rows    int            // of a bundle
	longest int            // piece that a bundle begins with
	errs    []error
	at      []uint64 // by shard: the number of the piece of its error
	free    chan *bundle
	next    *bundle
	pieces  uint64 // sent so far
	failed  atomic.Bool
	workers sync.WaitGroup
}

// bundle is pieces that shards look at. The last of them gives it back.
type bundle struct {
	space
	pieces  []Piece
	program []Piece       // those of program order, if any shard looks at that
	events  []trace.Event // of the pieces
	sheets  []sheet       // of pieces that have references
	sheeted int           // how many those are
	first   uint64        // number of the first piece
	left    atomic.Int32  // shards that have not seen it
}

// How much a bundle holds. A lone processor's pieces are long ones: shards have to come back to what they keep of lines less often.
const (
	bundles      = 4
	bundleRows   = 16 * beltRows
	loneRows     = 64 * beltRows
	bundlePieces = 256
)

// newBelt is a belt for shards of the interleaved order, and of the program order if there is but one processor.
func newBelt(h trace.Header, interleaved, program []Shard) *belt {
	shards := slices.Concat(program, interleaved)
	b := &belt{shards: shards, program: len(program), rows: bundleRows, longest: beltRows,
		errs: make([]error, len(shards)), at: make([]uint64, len(shards)), free: make(chan *bundle, bundles)}
	if h.Procs == 1 {
		b.rows, b.longest = loneRows, loneRows
	}
	for range bundles {
		b.free <- &bundle{space: newSpace(b.rows, h.HasPC), pieces: make([]Piece, 0, bundlePieces), events: make([]trace.Event, 0, bundlePieces), sheets: make([]sheet, bundlePieces)}
	}
	for i := range shards {
		lane := make(chan *bundle, bundles)
		b.lanes = append(b.lanes, lane)
		b.workers.Go(func() { b.work(i, lane) })
	}
	return b
}

// begin has the merger go on in the space of the next bundle. Its first references may be a long piece; the others are not, so that
// what is kept of each in turn stays small.
func (b *belt) begin(m *merger) {
	b.next = <-b.free
	m.use(b.next.space)
	m.rows = b.longest
}

// add puts on a piece whose references are in the space of the next bundle, and sends that
// if it is full: then the merger goes on in another space.
func (b *belt) add(m *merger, p *Piece) {
	n := b.next
	n.pieces = append(n.pieces, *p)
	own := &n.pieces[len(n.pieces)-1]
	if p.sheet != nil {
		own.sheet = &n.sheets[n.sheeted]
		own.sheet.numbers = p.sheet.numbers
		own.sheet.reset()
		n.sheeted++
		m.rows = beltRows
	}
	if p.Event != nil {
		n.events = append(n.events, *p.Event)
		own.Event = &n.events[len(n.events)-1]
		own.Event.Needs = slices.Clone(p.Event.Needs)
	}
	if b.program > 0 {
		n.program = append(n.program, own.inProgram(m.first))
	}
	if len(n.pieces) == bundlePieces || m.merged+beltRows > b.rows {
		b.send()
		b.begin(m)
	}
}

// inProgram is the piece in the program order of the lone processor, whose first reference is said to be so many instructions after
// the one before.
func (p *Piece) inProgram(first uint32) Piece {
	own := *p
	own.Proc, own.Of, own.Refs.Proc = 0, nil, 0
	if p.Refs.Len() > 0 && p.Refs.Instr[0] != first {
		own.Refs.Instr = slices.Clone(p.Refs.Instr)
		own.Refs.Instr[0] = first
	}
	return own
}

// stops reports whether the piece merely says that a processor stops: that is none of program order.
func (p *Piece) stops() bool { return p.Event == nil && p.Refs.Len() == 0 }

func (b *belt) send() {
	n := b.next
	n.first = b.pieces
	b.pieces += uint64(len(n.pieces))
	n.left.Store(int32(len(b.lanes)))
	for _, lane := range b.lanes {
		lane <- n
	}
}

// work has a shard look at all pieces.
func (b *belt) work(i int, lane <-chan *bundle) {
	s := b.shards[i]
	for n := range lane {
		pieces, program := n.pieces, i < b.program
		if program {
			pieces = n.program
		}
		for j := range pieces {
			if b.errs[i] != nil {
				break
			}
			if program && pieces[j].stops() {
				continue
			}
			if b.errs[i] = s.Add(&pieces[j]); b.errs[i] != nil {
				b.at[i] = n.first + uint64(j)
				b.failed.Store(true)
			}
		}
		if n.left.Add(-1) == 0 {
			n.pieces, n.program, n.events, n.sheeted = n.pieces[:0], n.program[:0], n.events[:0], 0
			b.free <- n
		}
	}
}

// end sends what is left, waits until all shards have seen it, and ends them if nothing has failed and all is whole.
// The error is that of the earliest piece, and of the first shard that fails there.
func (b *belt) end(whole bool) error {
	b.send()
	for _, lane := range b.lanes {
		close(lane)
	}
	b.workers.Wait()
	if whole && !b.failed.Load() {
		InParallel(len(b.shards), runtime.GOMAXPROCS(0), func(i int) { b.errs[i] = b.shards[i].End() })
	}
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
