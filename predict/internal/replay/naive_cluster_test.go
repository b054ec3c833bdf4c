package replay

import (
	"sort"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// naiveNodes is the definition of a cluster: for every node a list of the blocks that its memory has, with what it
// may do with them, and a list of the times at which its bus and its disk are taken.
type naiveNodes struct {
	*naive
	perBlock int // lines of a block
	nodes    []*naiveNode
	blocks   map[uint64]*naiveBlock
	ends     unit.Picos // of the last message
}

type naiveNode struct {
	bus, disk naiveTimes
	memory    []uint64 // blocks, least recently used first
	turn      unit.Picos
	behind    unit.Picos // where a write-back follows
	inTurn    bool       // the last use of the bus was
}

// naiveBlock is who may do what with a block: "", "load", "store". On its home's disk it is as the home last wrote it.
type naiveBlock struct {
	home    int
	right   []string
	written bool
	there   []unit.Picos // when what a node has was there
}

// naiveTimes are times at which something is taken.
type naiveTimes struct {
	from, to []unit.Picos
	busy     unit.Picos
}

// take tries all times at which it could begin.
func (n *naiveTimes) take(at, long unit.Picos) unit.Picos {
	tries := []unit.Picos{at}
	for _, to := range n.to {
		if to > at {
			tries = append(tries, to)
		}
	}
	sort.Slice(tries, func(i, j int) bool { return tries[i] < tries[j] })
	for _, try := range tries {
		free := true
		for i := range n.from {
			if try < n.to[i] && n.from[i] < try+max(long, 1) {
				free = false
			}
		}
		if free {
			if long > 0 {
				n.from, n.to = append(n.from, try), append(n.to, try+long)
				n.busy += long
			}
			return try
		}
	}
	panic("the end of the last is always free")
}

// naiveTime is a time, and what of it since the request an idle machine would have needed.
type naiveTime struct{ now, idle unit.Picos }

func (a naiveTime) both(b naiveTime) naiveTime {
	return naiveTime{max(a.now, b.now), max(a.idle, b.idle)}
}

func newNaiveNodes(n *naive) *naiveNodes {
	c := &naiveNodes{naive: n, perBlock: int(n.cfg.Block / n.cfg.Caches[0].Line), blocks: map[uint64]*naiveBlock{}}
	for p := 0; p < n.cfg.Processors; {
		p += c.like(len(c.nodes)).Processors
		c.nodes = append(c.nodes, &naiveNode{})
	}
	return c
}

// like is what a node is like: those of other kinds are the last ones.
func (c *naiveNodes) like(node int) memsys.Node {
	all := c.cfg.Processors
	for _, o := range c.cfg.OtherNodes {
		all -= o.Processors
	}
	if first := (all + c.cfg.PerNode - 1) / c.cfg.PerNode; node >= first {
		return c.cfg.OtherNodes[node-first]
	}
	return memsys.Node{Processors: min(c.cfg.PerNode, all-node*c.cfg.PerNode), Caches: c.cfg.Caches, Memory: c.cfg.Memory, Capacity: c.cfg.Capacity, Disk: c.cfg.Disk}
}

// nodeOf counts nodes up to that of p.
func (c *naiveNodes) nodeOf(p int) int {
	node := 0
	for p -= c.like(0).Processors; p >= 0; p -= c.like(node).Processors {
		node++
	}
	return node
}

func (c *naiveNodes) report(s *touch.SharedUsage) {
	s.End = c.ends
	for _, n := range c.nodes {
		s.Busy = max(s.Busy, n.bus.busy)
		s.End = max(s.End, n.turn)
		for _, to := range append(append([]unit.Picos{}, n.bus.to...), n.disk.to...) {
			s.End = max(s.End, to)
		}
	}
	u := c.cfg.Net.Usage()
	s.Messages, s.MessageBytes, s.NetworkBusy = u.Messages, u.Bytes, u.Busiest().Busy
}

func (c *naiveNodes) use(t naiveTime, node int, hold, latency unit.Picos) naiveTime {
	return naiveTime{c.nodes[node].bus.take(t.now, hold) + latency, t.idle + latency}
}

func (c *naiveNodes) message(t naiveTime, from, to int, size unit.Bytes) naiveTime {
	d := c.cfg.Net.Send(t.now, network.Message{From: from, To: to, Bytes: size})
	c.ends = max(c.ends, d.Arrive)
	return naiveTime{d.Arrive, t.idle + d.Latency}
}

func (c *naiveNodes) has(node int, block uint64) bool {
	for _, b := range c.nodes[node].memory {
		if b == block {
			return true
		}
	}
	return false
}

func (c *naiveNodes) forget(node int, block uint64) {
	var rest []uint64
	for _, b := range c.nodes[node].memory {
		if b != block {
			rest = append(rest, b)
		}
	}
	c.nodes[node].memory = rest
}

// loseLines takes the lines of a block from the processors of a node.
func (c *naiveNodes) loseLines(node int, block uint64, why string) {
	for _, copy := range append([]*naiveCopy{}, c.copies...) {
		if c.nodeOf(copy.proc) == node && copy.line/uint64(c.perBlock) == block {
			if why == "coherence" {
				c.procs[copy.proc].result.Counts.Invalidations++
			}
			c.remove(copy, why)
		}
	}
}

func (c *naiveNodes) cleanLines(node int, block uint64) {
	for _, copy := range c.copies {
		if c.nodeOf(copy.proc) == node && copy.line/uint64(c.perBlock) == block {
			copy.dirty = false
		}
	}
}

// touchBlock makes a block the last used of a memory, and returns what is to be done about the one that leaves it.
func (c *naiveNodes) touchBlock(t naiveTime, node int, block uint64) (after func()) {
	after = func() {}
	c.forget(node, block)
	c.nodes[node].memory = append(c.nodes[node].memory, block)
	if most := int(c.like(node).Capacity / c.cfg.Block); most == 0 || len(c.nodes[node].memory) <= most {
		return after
	}
	old := c.nodes[node].memory[0]
	c.forget(node, old)
	c.loseLines(node, old, "replacement")
	b := c.blocks[old]
	right := b.right[node]
	if node != b.home {
		b.right[node] = ""
		if right != "store" { // a copy; the home may store if it was the last
			return after
		}
		b.right[b.home] = "store"
	} else if right == "" || b.written {
		return after
	}
	toMemory := node != b.home && c.has(b.home, old)
	if toMemory {
		c.forget(b.home, old)
		c.nodes[b.home].memory = append(c.nodes[b.home].memory, old)
	}
	b.written = !toMemory
	return func() {
		if node != b.home {
			t = c.message(c.use(t, node, c.like(node).Memory.Occupancy, c.like(node).Memory.Latency), node, b.home, c.cfg.Block)
		}
		if toMemory {
			b.there[b.home] = max(b.there[b.home], c.use(t, b.home, c.like(b.home).Memory.Occupancy, c.like(b.home).Memory.Occupancy).now)
		} else {
			b.there[b.home] = max(b.there[b.home], c.nodes[b.home].disk.take(t.now, c.like(b.home).Disk)+c.like(b.home).Disk)
		}
	}
}

// fetch gets what processor p needs beyond its cache.
func (c *naiveNodes) fetch(p int, now unit.Picos, line uint64, store, has bool) {
	node, number := c.nodeOf(p), line/uint64(c.perBlock)
	counts := &c.procs[p].result.Counts
	c.cfg.Net.Settled(now)
	t := naiveTime{now, 0}
	var afterwards []func()
	touch := func(t naiveTime, node int) { afterwards = append(afterwards, c.touchBlock(t, node, number)) }
	b := c.blocks[number]
	if b == nil {
		b = &naiveBlock{home: node, right: make([]string, len(c.nodes)), there: make([]unit.Picos, len(c.nodes))}
		b.right[node] = "store"
		c.blocks[number] = b
		touch(t, node)
	}
	home := c.like(b.home)
	there := func(t naiveTime, node int) naiveTime { return naiveTime{max(t.now, b.there[node]), t.idle} }
	comes := func(t naiveTime, node int) { b.there[node] = max(b.there[node], t.now) }
	fromDisk := func(t naiveTime) naiveTime {
		t = there(t, b.home)
		if !c.has(b.home, number) {
			counts.DiskReads++
			t = naiveTime{c.nodes[b.home].disk.take(t.now, home.Disk) + home.Disk, t.idle + home.Disk}
			comes(t, b.home)
		}
		touch(t, b.home)
		return t
	}
	canStore := func(n int) bool { // what shared means to the home
		for other, r := range b.right {
			if other != n && r != "" {
				return false
			}
		}
		return b.right[n] != ""
	}
	switch had := b.right[node] != ""; {
	case had && (!store || canStore(node)) && node == b.home:
		t = fromDisk(t)
	case had && (!store || b.right[node] == "store" && node != b.home):
		t = there(t, node)
		touch(t, node)
	default:
		away := false
		for owner, r := range b.right {
			if owner == b.home || owner == node || r != "store" {
				continue
			}
			away = true
			counts.FromExclusive++
			t = c.message(c.use(there(t, owner), owner, c.like(owner).Memory.Occupancy, c.like(owner).Memory.Latency), owner, b.home, c.cfg.Block)
			b.right[b.home] = "load"
			if store {
				counts.BlockInvalidations++
				b.right[owner] = ""
				c.loseLines(owner, number, "coherence")
				c.forget(owner, number)
			} else {
				b.right[owner] = "load"
				c.cleanLines(owner, number)
				touch(t, owner)
			}
			touch(t, b.home)
			comes(t, b.home)
		}
		if store {
			t = there(t, b.home)
		}
		end := t
		for other, r := range b.right {
			if !store || other == b.home || other == node || r == "" {
				continue
			}
			counts.BlockInvalidations++
			end = end.both(c.use(there(c.message(t, b.home, other, 0), other), other, c.like(other).Memory.Invalidate, c.like(other).Memory.Invalidate))
			b.right[other] = ""
			c.loseLines(other, number, "coherence")
			c.forget(other, number)
		}
		if had {
			counts.BlockUpgrades++
		} else {
			counts.RemoteFetches++
		}
		switch {
		case node == b.home && !away:
			t = fromDisk(t)
		case node == b.home:
		case had:
			t = c.message(c.use(there(t, b.home), b.home, home.Memory.Invalidate, home.Memory.Invalidate), b.home, node, 0)
		default:
			t = fromDisk(t)
			t = c.message(c.use(t, b.home, home.Memory.Occupancy, home.Memory.Latency), b.home, node, c.cfg.Block)
		}
		if store && node != b.home {
			c.loseLines(b.home, number, "coherence")
			b.right[b.home], b.right[node] = "", "store"
		} else if store {
			b.right[node] = "store"
		} else {
			c.cleanLines(b.home, number)
			b.right[node] = "load"
		}
		if node != b.home {
			touch(t, node)
		}
		t = t.both(end)
		comes(t, node)
	}
	if store {
		b.written = false
	}
	c.finish(p, now, t, has)
	for _, do := range afterwards {
		do()
	}
}

// finish is the access of p on the bus of its own node.
func (c *naiveNodes) finish(p int, now unit.Picos, t naiveTime, has bool) {
	q, node, like := c.procs[p], c.nodes[c.nodeOf(p)], c.like(c.nodeOf(p))
	hold, latency := like.Memory.Occupancy, like.Memory.Latency
	if has {
		hold, latency = like.Memory.Invalidate, like.Memory.Invalidate
	}
	if !has || like.Processors > 1 {
		if has {
			q.result.Counts.Upgrades++
		}
		if node.inTurn = t.now == now; node.inTurn {
			start := node.bus.take(max(t.now, node.turn), hold)
			t = naiveTime{start + latency, t.idle + latency}
			node.turn, node.behind = start+hold, start+hold
		} else {
			start := node.bus.take(t.now, hold)
			t = naiveTime{start + latency, t.idle + latency}
			node.behind = start + hold
		}
	}
	q.result.Latency += t.idle
	q.result.Contention += t.now - now - t.idle
}

func (c *naiveNodes) writeBack(p int, now unit.Picos) {
	node, hold := c.nodes[c.nodeOf(p)], c.like(c.nodeOf(p)).Memory.Occupancy
	end := node.bus.take(max(now, node.behind), hold) + hold
	if node.inTurn {
		node.turn = end
	}
	node.behind = end
}
