package memsys

import (
	"fmt"

	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// clusterInterconnect is the memories of the nodes of a [CLUMP] with their buses, and the network between them.
type clusterInterconnect struct {
	*nodes
	caches *coherent
	shift  uint // log2 of the lines of a block
	block  unit.Bytes
	memory []nodeMemory
	blocks blockTable

	// Of the present transaction.
	now       unit.Picos
	evictions []blockEviction // posted evictions that it caused
}

// nodeMemory is shared by the processors of one node.
type nodeMemory struct {
	Memory
	procs    int        // that take part
	fifoEnd  unit.Picos // end of the last bus use in the order of requests
	lastEnd  unit.Picos // end of the last bus use for one of their lines
	disk     server
	diskTime unit.Picos // of an access
	frames   frames
	arriving busyLines // when blocks will be there with the requested permission
}

// blockEviction is a block that was evicted from the memory of a node. The home must write it to its disk. Another
// node must write it back to its home's memory or disk.
type blockEviction struct {
	at       unit.Picos
	number   uint64
	from, to int
	disk     bool
}

// maxBlockLines bounds the lines of a block, which are visited one by one.
const maxBlockLines = 1 << 12

// newCluster returns a cluster with empty caches and memories.
func newCluster(c Config) (touch.System, error) {
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
	p.homes = numa.NewHomes(c.Homes, c.layout(), c.Placement, c.Block)
	p.blocks = blockTable{homes: p.homes, at: map[uint64]int32{}}
	for i := range n.Layout.Nodes() {
		own := c.node(&n.Layout, i)
		p.memory = append(p.memory, nodeMemory{Memory: own.Memory, procs: own.Processors, frames: newFrames(int(own.Capacity / c.Block)),
			diskTime: own.Disk, arriving: busyLines{until: map[uint64]unit.Picos{}}})
	}
	s.interconnect = p
	return s, nil
}

// checkCluster returns an error if c is not a valid cluster.
func (c *Config) checkCluster() error {
	switch {
	case !c.Block.IsPowerOfTwo() || c.Block < c.line() || c.Block/c.line() > maxBlockLines:
		return fmt.Errorf("the coherence block is %v; it must be a power of two of 1 to %d lines of %v", c.Block, maxBlockLines, c.line())
	case c.Capacity != 0 && c.Capacity < c.Block:
		return fmt.Errorf("the memory of %v is smaller than one block of %v", c.Capacity, c.Block)
	}
	for _, o := range c.OtherNodes {
		if o.Capacity != 0 && o.Capacity < c.Block {
			return fmt.Errorf("the memory of %v is smaller than one block of %v", o.Capacity, c.Block)
		}
		if err := checkTime("disk latency", o.Disk); err != nil {
			return err
		}
	}
	return checkTime("disk latency", c.Disk)
}

func (c *clusterInterconnect) fetch(now unit.Picos, t *transaction) touch.Cost {
	n := c.Of(t.proc)
	m := c.accessLocal(c.obtain(now, n, t), n, c.memory[n].Occupancy, c.memory[n].Latency)
	c.finishEvictions()
	return m.cost(now)
}

func (c *clusterInterconnect) upgrade(now unit.Picos, t *transaction) touch.Cost {
	n := c.Of(t.proc)
	m := c.obtain(now, n, t)
	if c.memory[n].procs > 1 {
		c.caches.private[t.proc].counts.Upgrades++
		m = c.accessLocal(m, n, c.memory[n].Invalidate, c.memory[n].Invalidate)
	}
	c.finishEvictions()
	return m.cost(now)
}

// evict writes a modified line back to its node's memory, after the bus use that evicted it. A flush evicts it later.
func (c *clusterInterconnect) evict(now unit.Picos, p trace.Proc, _ uint64, state uint8) {
	if !coherence.Dirty(state) {
		return
	}
	n := c.Of(p)
	own := &c.memory[n]
	inOrder := own.lastEnd == own.fifoEnd
	own.lastEnd = c.memories[n].reserve(max(now, own.lastEnd), own.Occupancy, c.settled) + own.Occupancy
	if inOrder {
		own.fifoEnd = own.lastEnd
	}
}

// accessLocal is the access of a processor to its node's memory, from m on. It is in the order of requests, unless
// the processor has waited for something before.
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

// finishEvictions does the evictions of the present transaction, after what the transaction waits for.
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

// readMemory is an access to the memory of n, followed by a message.
func (c *clusterInterconnect) readMemory(m moment, n int) moment {
	return c.serve(m, n, c.memory[n].Occupancy, c.memory[n].Latency)
}

// changePermission changes a permission in the memory of n, with a message before or after it.
func (c *clusterInterconnect) changePermission(m moment, n int) moment {
	return c.serve(m, n, c.memory[n].Invalidate, c.memory[n].Invalidate)
}

// accessDisk is a read or write of the disk of n.
func (c *clusterInterconnect) accessDisk(m moment, n int) moment {
	own := &c.memory[n]
	return m.wait(own.disk.reserve(m.at, own.diskTime, c.settled)).after(own.diskTime)
}

func (c *clusterInterconnect) usage() touch.SharedUsage {
	s := c.nodes.usage()
	for i := range c.memory {
		s.End = max(s.End, c.memory[i].fifoEnd, c.memory[i].disk.End)
	}
	return s
}
