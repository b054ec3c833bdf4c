package phases

import (
	"spoor/analyze/internal/lines"
	"spoor/analyze/phases/internal/order"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// softwareMemory simulates shared memory in software over the memories of nodes, as in [du2000, sec. 4.1].
// Blocks of several lines are kept coherent by a directory at each block's home. A block is uncached (only
// its home has it), shared (other nodes have copies), or exclusive (one other node has it). Memories have
// unlimited capacity: a node keeps the lines that its caches evict.
//
// Uses happen in a [delayedOrder]. A line that is not in the processor's cache takes an access to the node's
// memory, in turn on the node's bus. A block that is not in the node first takes a message and an access to
// the memory of its source. Messages take turns on the [interconnect]. So caches do not determine the
// requests to other nodes directly, but the order of requests.
//
// The home of a block is the node of the processor that the trace's regions name. Otherwise it is the home of
// its page. The page belongs to the node that uses it first, or pages are distributed to nodes in turn.
type softwareMemory struct {
	perNode   int
	nodes     int
	size      unit.Bytes
	shift     uint
	places    *trace.HomeMap
	placement Placement
	touched   map[uint64]int32 // page -> node
	numbers   *lines.Table     // of blocks
	directory directory        // by block and node: valid copies, and the node that may store (also if it is the home)
	homes     []int32          // by number of the block; noHome if it has none
	transits  []transit        // by number of the block
	caches    *nodeSystem      // without a [Node]
	order     *order.Delayed
	delay     unit.Instructions
	block     message
	right     message
	network   interconnect
	lineBits  uint // log2 of the number of access units of a block
	procs     []requests
	window    func(done unit.Instructions) int64
	rows      *trafficRows

	// With a [Node]:
	ticks      uint64           // of an instruction; otherwise 1
	timed      *timedCaches     // of timedNode or timedNodes
	timedNode  *timedNode       // one node
	timedNodes *timedNodes      // or several
	processors []timedProcessor // by processor
	access     func(p trace.Proc, u *order.Use, now unit.Instructions) (cost, error)
}

// transit is the last destination of a block, and its arrival time.
type transit struct {
	to    trace.Proc
	until unit.Instructions
}

// newSoftwareMemory returns empty memories of nodes. Requests are added to rows, in windows of phases.
func newSoftwareMemory(h trace.Header, a *Analysis, all *order.Queues, perNode int, placement Placement, network Network, delay unit.Instructions, window func(unit.Instructions) int64, rows *trafficRows) *softwareMemory {
	nodes := (h.Procs + perNode - 1) / perNode
	b := &softwareMemory{size: a.Block, perNode: perNode, nodes: nodes, placement: placement, delay: delay, network: newInterconnect(network, nodes), shift: a.Block.Shift(), places: trace.NewHomeMap(h),
		touched: map[uint64]int32{}, numbers: lines.NewScattering(), directory: newDirectory(nodes), caches: newNodeSystem(a.NodeCaches, h.Procs, perNode), procs: make([]requests, h.Procs), window: window, rows: rows}
	b.lineBits = b.shift - all.Shift
	b.block, b.right = a.messages(delay)
	b.ticks = 1
	switch {
	case a.Node != nil:
		b.setNode(a.Node, h.Procs, all)
	case nodes == 1:
		b.order = order.NewDelayed(all, a.NodeCaches.Miss, b.useSingleNode)
	default:
		b.order = order.NewDelayed(all, delay, b.use)
	}
	for _, p := range a.Forked {
		b.order.Forked(p)
	}
	b.order.Sync.OnWait = b.addWait
	for p := range b.procs {
		b.procs[p].tallies = map[traffic]uint64{}
	}
	return b
}

// setNode makes the order that of a machine.
func (b *softwareMemory) setNode(n *Node, procs int, all *order.Queues) {
	b.ticks, b.processors = ticks, newTimedProcessors(n, procs)
	for _, m := range []*message{&b.block, &b.right} {
		m.time, m.held = m.time*ticks, m.held*ticks
	}
	if b.nodes == 1 {
		b.timedNode, b.access = newTimedNode(n, procs), b.accessNode
		b.timed = b.timedNode.timedCaches
	} else {
		b.timedNodes, b.access = newTimedNodes(n, procs, b.perNode), b.accessNodes
		b.timed = b.timedNodes.timedCaches
	}
	b.order = order.NewDelayed(all, ticks, b.useTimed)
	b.order.Drain = b.drain
}

// run simulates the new uses, as far as their order is known.
func (b *softwareMemory) run() error {
	if err := b.order.Receive(); err != nil {
		return err
	}
	return b.order.Run(false)
}

// use simulates a load or store of a line by p from now on. It returns its duration.
func (b *softwareMemory) use(p trace.Proc, u *order.Use, now unit.Instructions) (long unit.Instructions, done bool, err error) {
	if b.caches.hit(p, u.Number, u.Store) {
		return 0, true, nil
	}
	number, n := u.Number>>b.lineBits, trace.Proc(int(p)/b.perNode)
	id, err := b.lookup(number, n)
	if err != nil {
		return 0, false, err
	}
	b.caches.discardBefore(now)
	b.network.discardBefore(now)
	from, idle := b.obtain(p, n, id, number, u, now)
	if b.delay > 0 {
		b.addTime(queueTransfer, p, u, from-now-idle)
	}
	access := b.caches.fetch(p, u.Number, u.Store)
	return b.caches.busEnd(n, access, from) - now, true, nil
}

// obtain returns the time from which node n of processor p may do u with a block, and how long that takes if no other
// node uses the network or a bus. If the block is in transit to the node, it waits for its arrival.
func (b *softwareMemory) obtain(p, n trace.Proc, id uint32, number uint64, u *order.Use, now unit.Instructions) (until, idle unit.Instructions) {
	last := &b.transits[id]
	permitted := b.directory.owner[id] == n || !u.Store && b.directory.state(id, n) == validLine
	if permitted && last.to != n {
		return now, 0
	}
	arrival := now
	if b.delay > 0 {
		arrival = max(now, last.until)
	}
	if permitted {
		return arrival, 0
	}
	b.startWindow(p, u.Done)
	until, idle = b.acquire(p, n, id, number, u.Store, arrival)
	if until > now {
		*last = transit{n, until}
	}
	return until, idle
}

// useSingleNode simulates a load or store of a line by p if all processors are in one node. It returns its
// duration.
func (b *softwareMemory) useSingleNode(p trace.Proc, u *order.Use, now unit.Instructions) (long unit.Instructions, done bool, err error) {
	if b.caches.hit(p, u.Number, u.Store) {
		return 0, true, nil
	}
	access := b.caches.fetch(p, u.Number, u.Store)
	b.caches.discardBefore(now)
	b.startWindow(p, u.Done)
	count := func(kind transfer) { b.procs[p].own[kind]++ }
	if access.miss {
		count(missTransfer)
	}
	if access.claim {
		count(claimTransfer)
	}
	if access.writeback {
		count(writebackTransfer)
	}
	return b.caches.busEnd(0, access, now) - now, true, nil
}

// acquire gets node n of processor p the missing rights on a block, from now on. It returns the end of the
// request, and its duration if no other node uses the network or a bus. Caches lose what their nodes lose.
func (b *softwareMemory) acquire(p, n trace.Proc, id uint32, number uint64, isStore bool, now unit.Instructions) (until, idle unit.Instructions) {
	home, owner, had := trace.Proc(b.homes[id]), b.directory.owner[id], b.directory.state(id, n) == validLine
	if had {
		b.count(p, upgradeTransfer, home, n)
	} else {
		b.count(p, fetchTransfer, home, n)
	}
	if owner >= 0 {
		b.eachLine(number, func(line uint64) { b.caches.downgradeNode(owner, line) })
	}
	if owner >= 0 && owner != home {
		b.count(p, recallTransfer, owner, n)
		now = b.send(p, b.caches.memoryAccess(owner, now), blockTransfer, owner, home, b.block)
		b.directory.load(id, home)
		idle = b.caches.Miss + b.delay
	}
	until = now
	if isStore {
		until = b.invalidate(p, n, id, number, now)
	}
	switch {
	case had:
		idle += b.caches.Miss + b.right.time
	case n != home:
		idle += b.caches.Miss + b.delay
	}
	switch {
	case n == home:
	case had:
		until = max(until, b.send(p, b.caches.memoryAccess(home, now), rightTransfer, home, n, b.right))
	default:
		until = max(until, b.send(p, b.caches.memoryAccess(home, now), blockTransfer, home, n, b.block))
	}
	if isStore {
		b.directory.store(id, n)
	} else {
		b.directory.owner[id] = -1
		b.directory.load(id, n)
	}
	return until, idle
}

// invalidate removes a block from all nodes except n of processor p, which stores to it. It returns the time
// when the last node has received the invalidation. The recall has already invalidated the owner.
func (b *softwareMemory) invalidate(p, n trace.Proc, id uint32, number uint64, now unit.Instructions) (until unit.Instructions) {
	home, owner := trace.Proc(b.homes[id]), b.directory.owner[id]
	until = now
	b.eachOther(id, n, func(q trace.Proc) {
		b.eachLine(number, func(line uint64) { b.caches.invalidateNode(q, line) })
		if q != home && q != owner {
			until = max(until, b.caches.memoryAccess(q, b.send(p, now, rightTransfer, home, q, b.right)))
		}
	})
	return until
}

// send counts a message that processor p causes, and returns its arrival time.
func (b *softwareMemory) send(p trace.Proc, at unit.Instructions, kind transfer, from, to trace.Proc, m message) unit.Instructions {
	b.count(p, kind, from, to)
	return b.network.send(at, from, to, m)
}

// eachLine calls do for all lines of a block.
func (b *softwareMemory) eachLine(number uint64, do func(line uint64)) {
	for line := number << b.lineBits; line < (number+1)<<b.lineBits; line++ {
		do(line)
	}
}

// eachOther calls do for all nodes except n that have a block.
func (b *softwareMemory) eachOther(id uint32, n trace.Proc, do func(trace.Proc)) {
	for w, word := range b.directory.valid(id) {
		for bit := trace.Proc(0); word != 0; bit, word = bit+1, word>>1 {
			if q := trace.Proc(64*w) + bit; word&1 != 0 && q != n {
				do(q)
			}
		}
	}
}

// endPhase ends the phase of p. All processors have reached its end.
func (b *softwareMemory) endPhase(p trace.Proc) error {
	if err := b.order.Receive(); err != nil {
		return err
	}
	err := b.order.EndPhase()
	b.flush(p)
	b.procs[p].phase, b.procs[p].first = b.procs[p].phase+1, 0
	return err
}
