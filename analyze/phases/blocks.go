package phases

import (
	"fmt"

	"spoor/analyze/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// blocks is shared memory that software makes of the memories of nodes with so many processors each, as in
// [du2000, sec. 4.1]: blocks of several lines are kept coherent by a directory at each block's home. A block is uncached
// (its home alone has it), shared (other nodes have copies), or exclusive (another node alone has it). Memories have room for
// everything: a node keeps what its caches push out.
//
// Uses happen in a [delayed] order, in which what the caches of a processor do not have takes an access to its node's memory, in turn on the
// node's bus, and what its node does not have a message before, with an access to the memory that it comes from; messages take their turns on the
// [wires]. So caches do not decide what is asked of others, but who is first to ask.
//
// The home of a block is the node of the processor that the trace's regions name; else that of its page, which goes to the node
// that touches it first, or to nodes in turn.
type blocks struct {
	perNode   int
	nodes     int
	size      unit.Bytes
	shift     uint
	places    *trace.HomeMap
	placement Placement
	touched   map[uint64]int32 // page -> node
	numbers   *lines.Table     // of blocks
	directory directory        // by block and node: whose copy is valid, and who may store (the home too)
	homes     []int32          // by number of the block, nobody if that is none
	underWay  []transit        // by number of the block
	within    *within
	order     *delayed
	delay     unit.Instructions
	block     message
	right     message
	net       wires
	lineBits  uint // log2 of how many lines that are used at once a block has
	procs     []asked
	window    func(done unit.Instructions) int64
	rows      *trafficRows
}

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
	queueTransfer                         // no message: instructions for which a processor waits for turns on networks and buses of others, and for blocks on their way
	recallTransfer                        // of these, those that another node than their home had alone
	rightTransfer                         // messages without a block: rights to store, and invalidations
	upgradeTransfer                       // stores to blocks that the node had, but others too
	waitTransfer                          // no message: instructions for which a processor waits for others, at locks and flags
	writebackTransfer                     // no message: of lines that misses push out
)

var transferNames = [...]string{blockTransfer: "block", claimTransfer: "claim", fetchTransfer: "fetch", missTransfer: "miss",
	queueTransfer: "queue", recallTransfer: "recall", rightTransfer: "right", upgradeTransfer: "upgrade", waitTransfer: "wait", writebackTransfer: "writeback"}

// nobody is the home of no block.
const nobody = -1

// newBlocks is the memories of nodes with nothing in them; rows take what is asked for, in windows of phases.
func newBlocks(h trace.Header, a *Analysis, all *uses, perNode int, placement Placement, network Network, delay unit.Instructions, window func(unit.Instructions) int64, rows *trafficRows) *blocks {
	nodes := (h.Procs + perNode - 1) / perNode
	b := &blocks{size: a.Block, perNode: perNode, nodes: nodes, placement: placement, delay: delay, net: newWires(network, nodes), shift: a.Block.Shift(), places: trace.NewHomeMap(h),
		touched: map[uint64]int32{}, numbers: lines.NewScattering(), directory: newDirectory(nodes), within: newWithin(a.Within, h.Procs, perNode), procs: make([]asked, h.Procs), window: window, rows: rows}
	b.lineBits = b.shift - all.shift
	b.block, b.right = a.messages(delay)
	b.order = newDelayed(all, delay, b.use)
	if nodes == 1 {
		b.order = newDelayed(all, a.Within.Miss, b.alone)
	}
	b.order.crossing.waited = b.waited
	for p := range b.procs {
		b.procs[p].tallies = map[traffic]uint64{}
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

// use is one load or store of a line by p, from now on, and how long it takes.
func (b *blocks) use(p trace.Proc, u *use, now unit.Instructions) (long unit.Instructions, err error) {
	if b.within.hit(p, u.number, u.store) {
		return 0, nil
	}
	number, n := u.number>>b.lineBits, trace.Proc(int(p)/b.perNode)
	id, err := b.find(number, n)
	if err != nil {
		return 0, fmt.Errorf("blocks of %v: %w", b.size, err)
	}
	b.within.settle(now)
	b.net.settle(now)
	from := b.obtain(p, n, id, number, u, now)
	did := b.within.take(p, u.number, u.store)
	return b.within.local(n, did, from) - now, nil
}

// obtain is when node n of p, who wants to do u from now on, may do that with a block: who wants one that is on its way to a node waits until it is there.
func (b *blocks) obtain(p, n trace.Proc, id uint32, number uint64, u *use, now unit.Instructions) unit.Instructions {
	way := &b.underWay[id]
	may := b.directory.owner[id] == n || !u.store && b.directory.state(id, n) == foundValid
	if may && way.to != n {
		return now
	}
	there := now
	if b.delay > 0 {
		there = max(now, way.until)
	}
	until, idle := there, unit.Instructions(0)
	if !may {
		b.turn(p, u.done)
		until, idle = b.acquire(p, n, id, number, u.store, there)
		if until > now {
			*way = transit{n, until}
		}
	}
	if b.delay > 0 {
		b.spent(queueTransfer, p, n, u, until-now-idle)
	}
	return until
}

// alone is a use of a line by p, all of whose processors are in one node, and how long it takes.
func (b *blocks) alone(p trace.Proc, u *use, now unit.Instructions) (long unit.Instructions, err error) {
	if b.within.hit(p, u.number, u.store) {
		return 0, nil
	}
	did := b.within.take(p, u.number, u.store)
	b.within.settle(now)
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
	return b.within.local(0, did, now) - now, nil
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
	b.spent(waitTransfer, p, trace.Proc(int(p)/b.perNode), u, long)
}

// spent counts how long p of a node waited.
func (b *blocks) spent(kind transfer, p, node trace.Proc, u *use, long unit.Instructions) {
	if long > 0 {
		b.turn(p, u.done)
		b.procs[p].tallies[traffic{kind, int32(node), int32(node)}] += uint64(long)
	}
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

// acquire gets node n, of processor p, what it may not do with a block yet, from now on: until when it has that, and how long that takes if nobody
// else wants the network or a bus. Caches lose what their nodes lose.
func (b *blocks) acquire(p, n trace.Proc, id uint32, number uint64, isStore bool, now unit.Instructions) (until, idle unit.Instructions) {
	home, owner, had := trace.Proc(b.homes[id]), b.directory.owner[id], b.directory.state(id, n) == foundValid
	if had {
		b.count(p, upgradeTransfer, home, n)
	} else {
		b.count(p, fetchTransfer, home, n)
	}
	if owner >= 0 {
		b.each(number, func(line uint64) { b.within.weaken(owner, line) })
	}
	if owner >= 0 && owner != home {
		b.count(p, recallTransfer, owner, n)
		now = b.send(p, b.within.access(owner, now), blockTransfer, owner, home, b.block)
		b.directory.load(id, home)
		idle = b.within.Miss + b.delay
	}
	until = now
	if isStore {
		until = b.invalidate(p, n, id, number, now)
	}
	switch {
	case had:
		idle += b.within.Miss + b.right.time
	case n != home:
		idle += b.within.Miss + b.delay
	}
	switch {
	case n == home:
	case had:
		until = max(until, b.send(p, b.within.access(home, now), rightTransfer, home, n, b.right))
	default:
		until = max(until, b.send(p, b.within.access(home, now), blockTransfer, home, n, b.block))
	}
	if isStore {
		b.directory.store(id, n)
	} else {
		b.directory.owner[id] = -1
		b.directory.load(id, n)
	}
	return until, idle
}

// invalidate takes a block from all nodes but n, of processor p, which stores to it: until when all have been told. The owner has been, with
// the recall.
func (b *blocks) invalidate(p, n trace.Proc, id uint32, number uint64, now unit.Instructions) (until unit.Instructions) {
	home, owner := trace.Proc(b.homes[id]), b.directory.owner[id]
	until = now
	b.others(id, n, func(q trace.Proc) {
		b.each(number, func(line uint64) { b.within.strip(q, line) })
		if q != home && q != owner {
			until = max(until, b.within.access(q, b.send(p, now, rightTransfer, home, q, b.right)))
		}
	})
	return until
}

// count adds a transfer that processor p causes.
func (b *blocks) count(p trace.Proc, kind transfer, from, to trace.Proc) {
	b.procs[p].tallies[traffic{kind, int32(from), int32(to)}]++
}

// send counts a message that processor p causes, and says when it has come.
func (b *blocks) send(p trace.Proc, at unit.Instructions, kind transfer, from, to trace.Proc, m message) unit.Instructions {
	b.count(p, kind, from, to)
	return b.net.send(at, from, to, m)
}

// each calls do for all lines of a block.
func (b *blocks) each(number uint64, do func(line uint64)) {
	for line := number << b.lineBits; line < (number+1)<<b.lineBits; line++ {
		do(line)
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
