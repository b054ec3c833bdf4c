package phases

import (
	"fmt"
	"math"

	"spoor/analyze/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// blocks is shared memory that software makes of the memories of nodes with so many processors each, as in
// [du2000, sec. 4.1]: blocks of several lines are kept coherent by a directory at each block's home. A block is uncached
// (its home alone has it), shared (other nodes have copies), or exclusive (another node alone has it). Memories have room for
// everything: what is counted does not depend on caches, as a node keeps what its caches push out.
//
// Uses happen in a [delayed] order, and messages take their turns on the [wires].
//
// The home of a block is the node of the processor that the trace's regions name; else that of its page, which goes to the node
// that touches it first, or to nodes in turn.
type blocks struct {
	perNode   int
	nodes     int
	size      unit.Bytes
	shift     uint
	places    *trace.Places
	placement Placement
	touched   map[uint64]int32 // page -> node
	numbers   *lines.Table     // of blocks
	directory directory        // by block and node: whose copy is valid, and who may store (the home too)
	homes     []int32          // by number of the block, nobody if that is none
	underWay  []transit        // by number of the block
	known     [][]known        // by processor: blocks that it has used lately, by the low bits of their numbers
	order     *delayed
	delay     unit.Instructions
	right     unit.Instructions // delay of a message without a block
	net       wires
	within    *within // of one node alone, else nil
	lineBits  uint    // log2 of how many lines that are used at once a block has
	procs     []asked
	window    func(done unit.Instructions) int64
	rows      *trafficRows
}

// known is what a processor may do with a block, until another node asks for it: nothing if that is not known.
type known struct {
	number uint64
	id     uint32 // as the directory numbers it; 0: none
	may    right
	until  unit.Instructions // which it has to wait for the block
}

// right is what a node may do with a block.
type right uint8

const (
	mayLoad right = 1 + iota
	mayStore
)

// transit is where a block went last, and when it is there.
type transit struct {
	to    trace.Proc
	until unit.Instructions
}

// asked is what a processor asked for in one window.
type asked struct {
	phase   int64
	first   unit.Instructions // a position in the window
	tallies map[traffic]uint64
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
	blockTransfer     transfer = 1 + iota // messages with a block
	claimTransfer                         // no message: stores to lines that a processor had, but perhaps others of its node too
	fetchTransfer                         // accesses to blocks that the node had not, from the home
	missTransfer                          // no message: of a processor's cache
	recallTransfer                        // of these, those that another node than their home had alone
	rightTransfer                         // messages without a block: rights to store, and invalidations
	upgradeTransfer                       // stores to blocks that the node had, but others too
	waitTransfer                          // no message: instructions for which a processor waits for others, at locks and flags
	writebackTransfer                     // no message: of lines that misses push out
)

var transferNames = [...]string{blockTransfer: "block", claimTransfer: "claim", fetchTransfer: "fetch", missTransfer: "miss",
	recallTransfer: "recall", rightTransfer: "right", upgradeTransfer: "upgrade", waitTransfer: "wait", writebackTransfer: "writeback"}

// knownBlocks is how many blocks a processor remembers: that spares most looks at the directory.
const knownBlocks = 256

// nobody is the home of no block.
const nobody = -1

// newBlocks is the memories of nodes with nothing in them; rows take what is asked for, in windows of phases.
func newBlocks(h trace.Header, a *Analysis, all *uses, perNode int, placement Placement, network Network, delay unit.Instructions, window func(unit.Instructions) int64, rows *trafficRows) *blocks {
	nodes := (h.Procs + perNode - 1) / perNode
	b := &blocks{size: a.Block, perNode: perNode, nodes: nodes, placement: placement, delay: delay, net: newWires(network, nodes), right: unit.Instructions(math.Round(a.Right * float64(delay))), shift: a.Block.Shift(), places: trace.NewPlaces(h),
		touched: map[uint64]int32{}, numbers: lines.NewTable(), directory: newDirectory(nodes), known: make([][]known, h.Procs), procs: make([]asked, h.Procs), window: window, rows: rows}
	b.lineBits = b.shift - all.shift
	b.order = newDelayed(all, delay, b.use)
	if nodes == 1 {
		b.within = newWithin(a.Within, h.Procs)
		b.order = newDelayed(all, a.Within.Miss, b.alone)
	}
	b.order.crossing.waited = b.waited
	for p := range b.procs {
		b.known[p], b.procs[p].tallies = make([]known, knownBlocks), map[traffic]uint64{}
	}
	return b
}

// run lets uses happen, of those that are new, too.
func (b *blocks) run() error {
	if err := b.order.hear(); err != nil {
		return err
	}
	return b.order.run(false)
}

// use is one load or store of a block by p, who waits for so long. Who wants a block that is on its way to a node waits until it is
// there, too.
func (b *blocks) use(p trace.Proc, u *use, now unit.Instructions) (wait unit.Instructions, err error) {
	number := u.number >> b.lineBits
	k := &b.known[p][number%knownBlocks]
	if k.number != number || k.may < needs(u.store) {
		return b.look(k, number, p, u, now)
	}
	if k.until > now {
		wait = k.until - now
	}
	return wait, nil
}

// needs is what one has to have the right to.
func needs(isStore bool) right {
	if isStore {
		return mayStore
	}
	return mayLoad
}

// look is a use of which it is not known whether p may do it, which k knows then.
func (b *blocks) look(k *known, number uint64, p trace.Proc, u *use, now unit.Instructions) (wait unit.Instructions, err error) {
	n := trace.Proc(int(p) / b.perNode)
	if k.number != number || k.id == 0 {
		id, err := b.find(number, n)
		if err != nil {
			return 0, fmt.Errorf("blocks of %v: %w", b.size, err)
		}
		*k = known{number: number, id: id}
	}
	id := k.id
	way := &b.underWay[id]
	if way.until > now && b.delay > 0 {
		wait = way.until - now
	}
	if b.directory.owner[id] != n && (u.store || b.directory.state(id, n) != foundValid) {
		b.turn(p, u.done)
		b.unknow(way.to, number)
		if until := b.acquire(p, n, id, number, u.store, now+wait); until > now {
			wait = until - now
			*way = transit{n, until}
		}
	} else if way.to != n {
		wait = 0
	}
	if k.may, k.until = mayLoad, 0; b.directory.owner[id] == n {
		k.may = mayStore
	}
	if way.to == n && b.delay > 0 {
		k.until = way.until
	}
	return wait, nil
}

// alone is a use of a line by p, all of whose processors are in one node, and how long it takes.
func (b *blocks) alone(p trace.Proc, u *use, now unit.Instructions) (long unit.Instructions, err error) {
	number, err := b.numbers.Place(u.number)
	if err != nil {
		return 0, fmt.Errorf("lines of %v: %w", b.within.Line, err)
	}
	did, long := b.within.use(p, u.number, number, u.store, now)
	if did == (access{}) {
		return 0, nil
	}
	b.turn(p, u.done)
	count := func(kind transfer) { b.procs[p].tallies[traffic{kind, 0, 0}]++ }
	if did.miss {
		count(missTransfer)
	}
	if did.claim {
		count(claimTransfer)
	}
	if did.writeback {
		count(writebackTransfer)
	}
	return long, nil
}

// unknow lets the processors of a node look again.
func (b *blocks) unknow(n trace.Proc, number uint64) {
	for p := int(n) * b.perNode; p < min(len(b.known), (int(n)+1)*b.perNode); p++ {
		if k := &b.known[p][number%knownBlocks]; k.number == number {
			k.may = 0
		}
	}
}

// turn ends the window of p if it is over.
func (b *blocks) turn(p trace.Proc, done unit.Instructions) {
	if q := &b.procs[p]; b.window(done) != b.window(q.first) {
		b.flush(p)
		q.first = done
	}
}

// waited takes how long p has waited for others.
func (b *blocks) waited(p trace.Proc, u *use, long unit.Instructions) {
	b.turn(p, u.done)
	node := int32(int(p) / b.perNode)
	b.procs[p].tallies[traffic{waitTransfer, node, node}] += uint64(long)
}

// find is the number of a block, which its home has if it is new.
func (b *blocks) find(number uint64, toucher trace.Proc) (uint32, error) {
	id, err := b.numbers.Place(number)
	if err != nil {
		return 0, err
	}
	n := b.numbers.Places()
	b.directory.reach(n)
	for len(b.homes) < n {
		b.homes, b.underWay = append(b.homes, nobody), append(b.underWay, transit{})
	}
	if b.homes[id] == nobody {
		home := b.home(number, toucher)
		b.homes[id], b.underWay[id] = int32(home), transit{to: home}
		b.directory.store(id, home)
	}
	return id, nil
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

// acquire gets node n, of processor p, what it may not do with a block yet, from now on: until when it has that. What the nodes
// that lose something know is forgotten.
func (b *blocks) acquire(p, n trace.Proc, id uint32, number uint64, isStore bool, now unit.Instructions) (until unit.Instructions) {
	home, owner, had := trace.Proc(b.homes[id]), b.directory.owner[id], b.directory.state(id, n) == foundValid
	count := func(kind transfer, from, to trace.Proc) { b.procs[p].tallies[traffic{kind, int32(from), int32(to)}]++ }
	send := func(kind transfer, from, to trace.Proc, long unit.Instructions) unit.Instructions {
		count(kind, from, to)
		return b.net.send(now, from, to, long)
	}
	if had {
		count(upgradeTransfer, home, n)
	} else {
		count(fetchTransfer, home, n)
	}
	b.unknow(n, number)
	if owner >= 0 {
		b.unknow(owner, number)
	}
	if owner >= 0 && owner != home {
		count(recallTransfer, owner, n)
		now = send(blockTransfer, owner, home, b.delay)
		b.directory.load(id, home)
	}
	until = now
	if isStore {
		b.others(id, n, func(q trace.Proc) {
			b.unknow(q, number)
			if q != home && q != owner {
				until = max(until, send(rightTransfer, home, q, b.right))
			}
		})
	}
	switch {
	case n == home:
	case had:
		until = max(until, send(rightTransfer, home, n, b.right))
	default:
		until = max(until, send(blockTransfer, home, n, b.delay))
	}
	if isStore {
		b.directory.store(id, n)
	} else {
		b.directory.owner[id] = -1
		b.directory.load(id, n)
	}
	return until
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

// endPhase ends the phase of p. All processors have come to its end.
func (b *blocks) endPhase(p trace.Proc) error {
	if err := b.order.hear(); err != nil {
		return err
	}
	err := b.order.endPhase()
	b.flush(p)
	b.procs[p].phase, b.procs[p].first = b.procs[p].phase+1, 0
	return err
}

// flush turns what p asked for in its window into rows, and forgets it.
func (b *blocks) flush(p trace.Proc) {
	q := &b.procs[p]
	for t, n := range q.tallies { // rows are sorted in the end
		*b.rows = append(*b.rows, trafficRow{proc: int32(p), phase: q.phase, window: b.window(q.first), perNode: int64(b.perNode),
			placement: b.placement, network: b.net.kind, delay: b.delay, traffic: t, count: n})
	}
	clear(q.tallies)
}
