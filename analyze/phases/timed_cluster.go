package phases

import (
	lru "spoor/analyze/cache"
	"spoor/analyze/phases/internal/order"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// timedNodes is the caches and buses of several nodes, in the time of a [Node]. A line is exclusive only in a node that may store to its
// block.
type timedNodes struct {
	*timedCaches
	buses   []timedBus
	arrival map[nodeBlock]unit.Instructions // when blocks will be at nodes with what they were requested for
}

// nodeBlock is a node and a block.
type nodeBlock struct {
	node  trace.Proc
	block uint64
}

// timedBus is the bus of one node.
type timedBus struct {
	reservations
	inOrder unit.Instructions // end of the last use in the order of requests
	last    unit.Instructions // end of the last use by a processor of the node
}

// moment is a point in the course of an access: its time, and how much of the time since the request an idle machine
// would have needed.
type moment struct{ at, idle unit.Instructions }

func (m moment) wait(until unit.Instructions) moment { return moment{max(m.at, until), m.idle} }
func (m moment) after(d unit.Instructions) moment    { return moment{m.at + d, m.idle + d} }
func (m moment) join(n moment) moment                { return moment{max(m.at, n.at), max(m.idle, n.idle)} }

func newTimedNodes(n *Node, procs, perNode int) *timedNodes {
	return &timedNodes{newTimedCaches(n, procs, perNode), make([]timedBus, (procs+perNode-1)/perNode), map[nodeBlock]unit.Instructions{}}
}

// reserve holds the bus of a node from a time on or later, and returns when that begins.
func (t *timedNodes) reserve(n trace.Proc, at, long unit.Instructions) unit.Instructions {
	bus := &t.buses[n]
	start := bus.earliest(at, long)
	bus.reserve(start, long)
	return start
}

// read is an access to the memory of n. change changes a permission there.
func (t *timedNodes) read(m moment, n trace.Proc) moment {
	return m.wait(t.reserve(n, m.at, t.hold)).after(t.miss)
}

func (t *timedNodes) change(m moment, n trace.Proc) moment {
	return m.wait(t.reserve(n, m.at, t.upgradeTime)).after(t.upgradeTime)
}

// arrived waits until a block that n has is there.
func (t *timedNodes) arrived(m moment, n trace.Proc, block uint64) moment {
	return m.wait(t.arrival[nodeBlock{n, block}])
}

// setArrival makes later requests wait until m.
func (t *timedNodes) setArrival(m moment, n trace.Proc, block uint64) {
	at := nodeBlock{n, block}
	t.arrival[at] = max(m.at, t.arrival[at])
}

// local is the access of a processor of n to the memory of its node, which has the block with the right to store if it
// must. It is in the order of requests, made at a time, unless the processor has waited for something before. It counts what
// it does.
func (t *timedNodes) local(p, n trace.Proc, u *order.Use, has uint64, m moment, requested unit.Instructions, owned bool, counts *[len(transferNames)]uint64) moment {
	others, _ := t.takeFrom(p, u.Number, u.Store)
	hold, latency := t.hold, t.miss
	if has != 0 {
		t.permit(p, u.Number, lru.MayStore)
		if t.perNode == 1 {
			return m
		}
		counts[claimTransfer]++
		hold, latency = t.upgradeTime, t.upgradeTime
	}
	bus := &t.buses[n]
	inOrder := m.at == requested
	if inOrder {
		m = m.wait(bus.inOrder)
	}
	m = m.wait(t.reserve(n, m.at, hold))
	if bus.last = m.at + hold; inOrder {
		bus.inOrder = bus.last
	}
	if has == 0 {
		counts[missTransfer]++
		permission := uint64(lru.MayLoad)
		switch {
		case u.Store:
			permission = lru.MayStore
		case t.Exclusive && owned && !others:
			permission = mayStoreAlone
		}
		if old := t.insert(p, u.Number, permission); t.leaves(p, old) {
			counts[writebackTransfer]++
			t.writeBack(n)
		}
	}
	return m.after(latency)
}

// writeBack writes a line back after the last use of the bus of n.
func (t *timedNodes) writeBack(n trace.Proc) {
	bus, hold := &t.buses[n], t.hold
	inOrder := bus.last == bus.inOrder
	if bus.last = t.reserve(n, bus.last, hold) + hold; inOrder {
		bus.inOrder = bus.last
	}
}

func (t *timedNodes) discardBefore(now unit.Instructions) {
	for n := range t.buses {
		t.buses[n].discardBefore(now)
	}
}

// accessNodes simulates a load or store of a line by p in several nodes, and returns its cost.
func (b *softwareMemory) accessNodes(p trace.Proc, u *order.Use, now unit.Instructions) (cost, error) {
	t := b.timedNodes
	has, lookup := t.find(p, u.Number)
	if has == lru.MayStore || has != 0 && !u.Store {
		return cost{latency: lookup}, nil
	}
	if has == mayStoreAlone {
		t.permit(p, u.Number, lru.MayStore)
		return cost{latency: lookup}, nil
	}
	number, n := u.Number>>b.lineBits, trace.Proc(int(p)/b.perNode)
	id, err := b.lookup(number, n)
	if err != nil {
		return cost{}, err
	}
	t.discardBefore(now)
	b.network.discardBefore(now)
	b.startWindow(p, u.Done)
	request := moment{now + lookup, lookup}
	m := request
	if permitted := b.directory.owner[id] == n || !u.Store && b.directory.state(id, n) == validLine; permitted {
		m = t.arrived(m, n, number)
	} else {
		m = b.acquireTimed(p, n, id, number, u.Store, m)
		t.setArrival(m, n, number)
	}
	m = t.local(p, n, u, has, m, request.at, b.directory.owner[id] == n, &b.procs[p].own)
	return cost{latency: m.idle, queue: m.at - now - m.idle}, nil
}

// acquireTimed gets node n of processor p the missing rights on a block.
func (b *softwareMemory) acquireTimed(p, n trace.Proc, id uint32, number uint64, isStore bool, m moment) moment {
	t, d := b.timedNodes, &b.directory
	home, owner, had := trace.Proc(b.homes[id]), d.owner[id], d.state(id, n) == validLine
	if had {
		b.count(p, upgradeTransfer, home, n)
	} else {
		b.count(p, fetchTransfer, home, n)
	}
	if owner >= 0 {
		b.eachLine(number, func(line uint64) { t.downgradeNode(owner, line) })
	}
	if owner >= 0 && owner != home {
		b.count(p, recallTransfer, owner, n)
		m = b.sendTimed(p, t.read(t.arrived(m, owner, number), owner), blockTransfer, owner, home)
		t.setArrival(m, home, number)
		d.load(id, home)
	}
	done := m
	if isStore {
		done = b.invalidateTimed(p, n, id, number, m)
	}
	switch m = t.arrived(m, home, number); {
	case n == home:
	case had:
		m = b.sendTimed(p, t.change(m, home), rightTransfer, home, n)
	default:
		m = b.sendTimed(p, t.read(m, home), blockTransfer, home, n)
	}
	if isStore {
		d.store(id, n)
	} else {
		d.owner[id] = -1
		d.load(id, n)
	}
	return m.join(done)
}

// invalidateTimed removes a block from all nodes except n. It returns when the last of them has lost it.
func (b *softwareMemory) invalidateTimed(p, n trace.Proc, id uint32, number uint64, m moment) moment {
	t := b.timedNodes
	home, owner := trace.Proc(b.homes[id]), b.directory.owner[id]
	m = t.arrived(m, home, number)
	done := m
	b.eachOther(id, n, func(q trace.Proc) {
		b.eachLine(number, func(line uint64) { t.invalidateNode(q, line) })
		if q != home && q != owner {
			done = done.join(t.change(t.arrived(b.sendTimed(p, m, rightTransfer, home, q), q, number), q))
		}
	})
	return done
}

// sendTimed counts a message that p causes, and returns its arrival.
func (b *softwareMemory) sendTimed(p trace.Proc, m moment, kind transfer, from, to trace.Proc) moment {
	of := b.block
	if kind == rightTransfer {
		of = b.right
	}
	return moment{b.send(p, m.at, kind, from, to, of), m.idle + of.time}
}
