package phases

import (
	"fmt"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// blocks is shared memory that software makes of the memories of nodes with so many processors each, as in
// [du2000, sec. 4.1]: blocks of several lines are kept coherent by a directory at each block's home. A block is uncached
// (its home alone has it), shared (other nodes have copies), or exclusive (another node alone has it). Memories have room for
// everything: what is counted does not depend on caches, as a node keeps what its caches push out.
//
// The home of a block is the node of the processor that the trace's regions name; else that of its page, which goes to the node
// that touches it first, or to nodes in turn.
type blocks struct {
	size      unit.Bytes
	perNode   int
	nodes     int
	shift     uint
	places    *trace.Places
	placement Placement
	touched   map[uint64]int32 // page -> node
	directory directory        // by block and node: whose copy is valid, and who may store (the home too)
	homes     []int32          // by number of the block
	known     [][]bucket       // as in simulation
	tallies   []map[traffic]uint64
}

// Placement says which node's memory holds a page that the program does not place itself.
type Placement string

// The placements, as machine files call them.
const (
	FirstTouch  Placement = "first-touch"
	Interleaved Placement = "interleaved"
)

// Placements lists them.
var Placements = []Placement{FirstTouch, Interleaved}

// Page is what is placed as a whole. No block is larger.
const Page = unit.Bytes(4 << 10)

// traffic is what a node asks of others, or a message.
type traffic struct {
	kind     transfer
	from, to int32 // nodes, -1 where there is none
}

// transfer says what traffic counts. The order is that of the names.
type transfer uint8

const (
	blockTransfer   transfer = 1 + iota // messages with a block
	fetchTransfer                       // accesses to blocks that the node had not, from the home
	recallTransfer                      // of these, those that another node than their home had alone
	rightTransfer                       // messages without a block: rights to store, and invalidations
	upgradeTransfer                     // stores to blocks that the node had, but others too
)

var transferNames = [...]string{blockTransfer: "block", fetchTransfer: "fetch", recallTransfer: "recall",
	rightTransfer: "right", upgradeTransfer: "upgrade"}

func newBlocks(h trace.Header, size unit.Bytes, perNode int, placement Placement) *blocks {
	nodes := (h.Procs + perNode - 1) / perNode
	b := &blocks{size: size, perNode: perNode, nodes: nodes, placement: placement, shift: size.Shift(), places: trace.NewPlaces(h), touched: map[uint64]int32{},
		directory: newDirectory(nodes), known: make([][]bucket, h.Procs), tallies: make([]map[traffic]uint64, h.Procs)}
	for p := range b.tallies {
		b.known[p], b.tallies[p] = make([]bucket, knownLines), map[traffic]uint64{}
	}
	return b
}

// refs simulates references of the processors in of.
func (b *blocks) refs(of []trace.Proc, r *trace.Refs) error {
	for i, addr := range r.Addr {
		op := r.Op[i]
		if !op.Data() {
			continue
		}
		first, last := addr>>b.shift, (addr+uint64(r.Size[i])-1)>>b.shift
		for number := first; ; number++ {
			if err := b.use(of[i], number, op == trace.Store); err != nil {
				return err
			}
			if number == last {
				break
			}
		}
	}
	return nil
}

// use is one load or store of a block.
func (b *blocks) use(p trace.Proc, number uint64, isStore bool) error {
	n := trace.Proc(int(p) / b.perNode)
	k := &b.known[p][number%knownLines]
	if k.line != number || k.tag == 0 {
		id, err := b.find(number, n)
		if err != nil {
			return fmt.Errorf("blocks of %v: %w", b.size, err)
		}
		*k = bucket{number, id + 1}
	}
	id := k.tag - 1
	if b.directory.owner[id] == n || !isStore && b.directory.state(id, n) == foundValid {
		return nil
	}
	b.acquire(p, n, id, isStore)
	return nil
}

// find is the index of a block, which its home has if it is new.
func (b *blocks) find(number uint64, toucher trace.Proc) (uint32, error) {
	id, err := b.directory.find(number)
	if err == nil && int(id) == len(b.homes) {
		home := b.home(number, toucher)
		b.homes = append(b.homes, int32(home))
		b.directory.store(id, home)
	}
	return id, err
}

func (b *blocks) home(number uint64, toucher trace.Proc) trace.Proc {
	addr := number << b.shift
	if p, ok := b.places.Of(addr, addr+1<<b.shift-1); ok {
		return trace.Proc(int(p) / b.perNode)
	}
	page := addr >> Page.Shift()
	if b.placement == Interleaved {
		return trace.Proc(page % uint64(b.nodes))
	}
	home, ok := b.touched[page]
	if !ok {
		home = int32(toucher)
		b.touched[page] = home
	}
	return trace.Proc(home)
}

// acquire gets node n, of processor p, what it may not do with a block yet.
func (b *blocks) acquire(p, n trace.Proc, id uint32, isStore bool) {
	home, owner, had := trace.Proc(b.homes[id]), b.directory.owner[id], b.directory.state(id, n) == foundValid
	count := func(kind transfer, from, to trace.Proc) { b.tallies[p][traffic{kind, int32(from), int32(to)}]++ }
	if had {
		count(upgradeTransfer, home, n)
	} else {
		count(fetchTransfer, home, n)
	}
	if owner >= 0 && owner != home {
		count(recallTransfer, owner, n)
		count(blockTransfer, owner, home)
		b.directory.load(id, home)
	}
	if isStore {
		b.others(id, n, func(q trace.Proc) {
			if q != home && q != owner {
				count(rightTransfer, home, q)
			}
		})
	}
	switch {
	case n == home:
	case had:
		count(rightTransfer, home, n)
	default:
		count(blockTransfer, home, n)
	}
	if isStore {
		b.directory.store(id, n)
	} else {
		b.directory.owner[id] = -1
		b.directory.load(id, n)
	}
}

// others calls do for all nodes but n that have a block.
func (b *blocks) others(id uint32, n trace.Proc, do func(trace.Proc)) {
	for w, word := range b.directory.valid(id) {
		for bit := trace.Proc(0); word != 0; bit, word = bit+1, word>>1 {
			if q := trace.Proc(64*w) + bit; word&1 != 0 && q != n {
				do(q)
			}
		}
	}
}

// flush turns what p asked for into rows, and forgets it.
func (b *blocks) flush(p trace.Proc, k key, out *trafficRows) {
	for t, n := range b.tallies[p] { // rows are sorted in the end
		*out = append(*out, trafficRow{proc: k.proc, phase: k.phase, window: k.window, block: int64(b.size), perNode: int64(b.perNode), traffic: t, count: n})
	}
	clear(b.tallies[p])
}
