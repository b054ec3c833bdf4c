package memsys

import (
	"fmt"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// clusterPath is the memories of the nodes of a [CLUMP] with their buses, and the network between them.
type clusterInterconnect struct {
	*nodes
	caches *coherent
	shift  uint // log2 of the lines of a block
	block  unit.Bytes
	memory []nodeMemory
	blocks blockTable

	// Of the present transaction.
	now       unit.Picos
	evictions []blockEviction // what it pushed out, which nobody waits for
}

// ownMemory is what the processors of one node share.
type nodeMemory struct {
	Memory
	procs    int        // that take part
	fifoEnd  unit.Picos // they get the bus in the order of their requests: end of the last
	lastEnd  unit.Picos // end of the last use of the bus for one of their lines
	disk     server
	diskTime unit.Picos // of an access
	frames   frames
	arriving busyLines // blocks, and when they will be there with the right that was asked for
}

// departure is a block that has been pushed out of the memory of a node, and must be written to its home's disk, or from
// elsewhere to its home's memory or disk.
type blockEviction struct {
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
	p := &clusterInterconnect{nodes: n, caches: s, block: c.Block, shift: c.Block.Shift() - c.line().Shift()}
	p.homes = newHomes(&c, c.Block)
	p.blocks = blockTable{homes: p.homes, at: map[uint64]int32{}}
	for i := range n.layout.nodes() {
		own := c.node(&n.layout, i)
		p.memory = append(p.memory, nodeMemory{Memory: own.Memory, procs: own.Processors, frames: newFrames(int(own.Capacity / c.Block)),
			diskTime: own.Disk, arriving: busyLines{until: map[uint64]unit.Picos{}}})
	}
	s.interconnect = p
	return s, nil
}

// checkCluster says what is impossible about c as a cluster.
func (c *Config) checkCluster() error {
	switch {
	case !c.Block.IsPowerOfTwo() || c.Block < c.line() || c.Block/c.line() > maxBlockLines:
		return fmt.Errorf("a block of %v; it must be a power of two of 1 to %d lines of %v", c.Block, maxBlockLines, c.line())
	case c.Capacity != 0 && c.Capacity < c.Block:
		return fmt.Errorf("a memory of %v, in which no block of %v fits", c.Capacity, c.Block)
	}
	for _, o := range c.OtherNodes {
		if o.Capacity != 0 && o.Capacity < c.Block {
			return fmt.Errorf("a memory of %v, in which no block of %v fits", o.Capacity, c.Block)
		}
		if err := checkTime("disk latency", o.Disk); err != nil {
			return err
		}
	}
	return checkTime("disk latency", c.Disk)
}

func (c *clusterInterconnect) fetch(now unit.Picos, t *transaction) Cost {
	n := c.of(t.proc)
	m := c.accessLocal(c.obtain(now, n, t), n, c.memory[n].Occupancy, c.memory[n].Latency)
	c.finishEvictions()
	return m.cost(now)
}

func (c *clusterInterconnect) upgrade(now unit.Picos, t *transaction) Cost {
	n := c.of(t.proc)
	m := c.obtain(now, n, t)
	if c.memory[n].procs > 1 {
		c.caches.private[t.proc].counts.Upgrades++
		m = c.accessLocal(m, n, c.memory[n].Invalidate, c.memory[n].Invalidate)
	}
	c.finishEvictions()
	return m.cost(now)
}

// evict writes a modified line back to its node's memory, behind the use of the bus that pushed it out.
func (c *clusterInterconnect) evict(_ unit.Picos, p trace.Proc, _ uint64, state uint8) {
	if !dirty(state) {
		return
	}
	n := c.of(p)
	own := &c.memory[n]
	inOrder := own.lastEnd == own.fifoEnd
	own.lastEnd = c.memories[n].reserve(own.lastEnd, own.Occupancy, c.settled) + own.Occupancy
	if inOrder {
		own.fifoEnd = own.lastEnd
	}
}

// local is the access of a processor to its node's memory, from m on. It is in turn unless something has been
// waited for before.
func (c *clusterInterconnect) accessLocal(m moment, n int, hold, latency unit.Picos) moment {
	own := &c.memory[n]
	inOrder := m.at == c.now
	if inOrder {
		m = m.wait(own.fifoEnd)
	}
	m = m.wait(c.memories[n].reserve(m.at, hold, c.settled))
	own.lastEnd = m.at + hold
	if inOrder {
		own.fifoEnd = own.lastEnd
	}
	return m.after(latency)
}

// depart carries out what the present transaction pushed out, behind what it waits for.
func (c *clusterInterconnect) finishEvictions() {
	for _, out := range c.evictions {
		m := moment{at: out.at}
		if out.from != out.to {
			m = c.send(c.readMemory(m, out.from), out.from, out.to, c.block)
		}
		if out.disk {
			m = c.accessDisk(m, out.to)
		} else {
			m = c.serve(m, out.to, c.memory[out.to].Occupancy, c.memory[out.to].Occupancy)
		}
		c.setArrival(m, out.to, out.number)
	}
}

// read is an access to the memory of n, which a message follows.
func (c *clusterInterconnect) readMemory(m moment, n int) moment {
	return c.serve(m, n, c.memory[n].Occupancy, c.memory[n].Latency)
}

// change takes a right in the memory of n, which a message follows or went before.
func (c *clusterInterconnect) changePermission(m moment, n int) moment {
	return c.serve(m, n, c.memory[n].Invalidate, c.memory[n].Invalidate)
}

// onDisk is a read or write of the disk of n.
func (c *clusterInterconnect) accessDisk(m moment, n int) moment {
	own := &c.memory[n]
	return m.wait(own.disk.reserve(m.at, own.diskTime, c.settled)).after(own.diskTime)
}

func (c *clusterInterconnect) usage() SharedUsage {
	s := c.nodes.usage()
	for i := range c.memory {
		s.End = max(s.End, c.memory[i].fifoEnd, c.memory[i].disk.End)
	}
	return s
}
