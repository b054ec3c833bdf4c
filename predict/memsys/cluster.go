package memsys

import (
	"fmt"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// clusterPath is the memories of the nodes of a [CLUMP] with their buses, and the network between them.
type clusterPath struct {
	*nodes
	caches *coherent
	shift  uint // log2 of the lines of a block
	block  unit.Bytes
	own    []ownMemory
	blocks blocks

	// Of the present transaction.
	now     unit.Picos
	leaving []departure // what it pushed out, which nobody waits for
}

// ownMemory is what the processors of one node share.
type ownMemory struct {
	Memory
	procs    int        // that take part
	turn     unit.Picos // they get the bus in the order of their requests: end of the last
	last     unit.Picos // end of the last use of the bus for one of their lines
	disk     server
	diskTime unit.Picos // of an access
	frames   frames
	arriving underWay // blocks, and when they will be there with the right that was asked for
}

// departure is a block that has been pushed out of the memory of a node, and must be written to its home's disk, or from
// elsewhere to its home's memory or disk.
type departure struct {
	at       unit.Picos
	number   uint64
	from, to int
	disk     bool
}

// maxBlockLines bounds the lines of a block, which are looked at one by one.
const maxBlockLines = 1 << 12

// newCluster is a cluster with empty caches and memories.
func newCluster(c Config) (System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.checkCluster(); err != nil {
		return nil, err
	}
	n, err := newNodes(&c)
	if err != nil {
		return nil, err
	}
	s := newCoherent(&c)
	p := &clusterPath{nodes: n, caches: s, block: c.Block, shift: c.Block.Shift() - c.line().Shift()}
	p.homes = newHomes(&c, c.Block)
	p.blocks = blocks{homes: p.homes, at: map[uint64]int32{}}
	for i := range n.layout.nodes() {
		own := c.node(&n.layout, i)
		p.own = append(p.own, ownMemory{Memory: own.Memory, procs: own.Processors, frames: newFrames(int(own.Room / c.Block)),
			diskTime: own.Disk, arriving: underWay{until: map[uint64]unit.Picos{}}})
	}
	s.path = p
	return s, nil
}

// checkCluster says what is impossible about c as a cluster.
func (c *Config) checkCluster() error {
	switch {
	case !c.Block.IsPowerOfTwo() || c.Block < c.line() || c.Block/c.line() > maxBlockLines:
		return fmt.Errorf("a block of %v; it must be a power of two of 1 to %d lines of %v", c.Block, maxBlockLines, c.line())
	case c.Room != 0 && c.Room < c.Block:
		return fmt.Errorf("a memory of %v, in which no block of %v fits", c.Room, c.Block)
	}
	for _, o := range c.Others {
		if o.Room != 0 && o.Room < c.Block {
			return fmt.Errorf("a memory of %v, in which no block of %v fits", o.Room, c.Block)
		}
		if err := checkTime("disk latency", o.Disk); err != nil {
			return err
		}
	}
	return checkTime("disk latency", c.Disk)
}

func (c *clusterPath) fetch(now unit.Picos, t *transaction) Cost {
	n := c.of(t.proc)
	m := c.local(c.obtain(now, n, t), n, c.own[n].Occupancy, c.own[n].Latency)
	c.depart()
	return m.cost(now)
}

func (c *clusterPath) upgrade(now unit.Picos, t *transaction) Cost {
	n := c.of(t.proc)
	m := c.obtain(now, n, t)
	if c.own[n].procs > 1 {
		c.caches.private[t.proc].counts.Upgrades++
		m = c.local(m, n, c.own[n].Invalidate, c.own[n].Invalidate)
	}
	c.depart()
	return m.cost(now)
}

// evict writes a modified line back to its node's memory, behind the use of the bus that pushed it out.
func (c *clusterPath) evict(_ unit.Picos, p trace.Proc, _ uint64, state uint8) {
	if !dirty(state) {
		return
	}
	n := c.of(p)
	own := &c.own[n]
	inTurn := own.last == own.turn
	own.last = c.memories[n].take(own.last, own.Occupancy, c.settled) + own.Occupancy
	if inTurn {
		own.turn = own.last
	}
}

// local is the access of a processor to its node's memory, from m on. It is in turn unless something has been
// waited for before.
func (c *clusterPath) local(m moment, n int, hold, latency unit.Picos) moment {
	own := &c.own[n]
	inTurn := m.at == c.now
	if inTurn {
		m = m.wait(own.turn)
	}
	m = m.wait(c.memories[n].take(m.at, hold, c.settled))
	own.last = m.at + hold
	if inTurn {
		own.turn = own.last
	}
	return m.after(latency)
}

// depart carries out what the present transaction pushed out, behind what it waits for.
func (c *clusterPath) depart() {
	for _, out := range c.leaving {
		m := moment{at: out.at}
		if out.from != out.to {
			m = c.send(c.read(m, out.from), out.from, out.to, c.block)
		}
		if out.disk {
			m = c.onDisk(m, out.to)
		} else {
			m = c.serve(m, out.to, c.own[out.to].Occupancy, c.own[out.to].Occupancy)
		}
		c.arrives(m, out.to, out.number)
	}
}

// read is an access to the memory of n, which a message follows.
func (c *clusterPath) read(m moment, n int) moment {
	return c.serve(m, n, c.own[n].Occupancy, c.own[n].Latency)
}

// change takes a right in the memory of n, which a message follows or went before.
func (c *clusterPath) change(m moment, n int) moment {
	return c.serve(m, n, c.own[n].Invalidate, c.own[n].Invalidate)
}

// onDisk is a read or write of the disk of n.
func (c *clusterPath) onDisk(m moment, n int) moment {
	own := &c.own[n]
	return m.wait(own.disk.take(m.at, own.diskTime, c.settled)).after(own.diskTime)
}

func (c *clusterPath) shared() Shared {
	s := c.nodes.shared()
	for i := range c.own {
		s.End = max(s.End, c.own[i].turn, c.own[i].disk.End)
	}
	return s
}
