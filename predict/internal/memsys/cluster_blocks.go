package memsys

import (
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// obtain brings the block of t to the memory of node n with the permission that t needs. It returns when the block is
// there.
func (c *clusterInterconnect) obtain(now unit.Picos, n int, t *transaction) moment {
	c.now, c.evictions = now, c.evictions[:0]
	m := c.begin(now)
	number := t.line >> c.shift
	b, fresh := c.blocks.lookup(number, n)
	if fresh {
		c.touchFrame(m, b.home, number)
	}
	counts := &c.caches.private[t.proc].counts
	switch {
	case !b.allows(n, t.store):
		m = c.acquire(m, n, number, b, t.store, counts)
		c.setArrival(m, n, number)
	case n == b.home:
		m = c.accessAtHome(m, number, b, counts)
	default:
		m = c.waitArrival(m, n, number)
		c.touchFrame(m, n, number)
	}
	// A processor may later store to an exclusive line without a request. So only nodes that may store get exclusive
	// lines.
	if t.states[t.proc] == coherence.Exclusive && !b.allows(n, true) {
		t.states[t.proc] = coherence.Shared
	}
	if t.store || t.states[t.proc] == coherence.Exclusive {
		b.dirty = true
	}
	return m
}

// setArrival makes later transactions wait at node n until m for the block.
func (c *clusterInterconnect) setArrival(m moment, n int, number uint64) {
	if a := &c.memory[n].arriving; m.at > max(c.now, a.until[number]) {
		a.hold(number, m.at, c.settled)
	}
}

// waitArrival waits until a block that node n has is there.
func (c *clusterInterconnect) waitArrival(m moment, n int, number uint64) moment {
	return m.wait(c.memory[n].arriving.until[number])
}

// acquire gets node n the block b, or a permission for it that n does not have.
func (c *clusterInterconnect) acquire(m moment, n int, number uint64, b *block, store bool, counts *touch.Counts) moment {
	had, away := b.allows(n, false), b.owner != noNode
	if had {
		counts.BlockUpgrades++
	} else {
		counts.RemoteFetches++
	}
	if away {
		m = c.recall(m, number, b, store, counts)
	}
	done := m
	if store {
		done = c.invalidate(m, n, number, b, counts)
	}
	switch {
	case n != b.home:
		m = c.sendFromHome(m, n, number, b, had, counts)
		c.grant(n, number, b, store)
		c.touchFrame(m, n, number)
	case !away:
		m = c.accessAtHome(m, number, b, counts)
	}
	return m.join(done)
}

// sendFromHome sends n the block. If n had the block, it sends only the permission to store.
func (c *clusterInterconnect) sendFromHome(m moment, n int, number uint64, b *block, had bool, counts *touch.Counts) moment {
	if had {
		m = c.waitArrival(m, b.home, number)
		return c.send(c.changePermission(m, b.home), b.home, n, 0)
	}
	m = c.accessAtHome(m, number, b, counts)
	return c.send(c.readMemory(m, b.home), b.home, n, c.block)
}

// grant lets node n, which is not the home, store to a block or load it.
func (c *clusterInterconnect) grant(n int, number uint64, b *block, store bool) {
	if store {
		c.removeLines(b.home, number, coherence.Invalidated)
		b.owner = n
	} else {
		c.downgradeLines(b.home, number)
		b.add(n)
	}
}

// recall sends b home from its owner. The owner keeps a copy if the request is a load.
func (c *clusterInterconnect) recall(m moment, number uint64, b *block, store bool, counts *touch.Counts) moment {
	owner := b.owner
	counts.FromExclusive++
	m = c.readMemory(c.waitArrival(m, owner, number), owner)
	m = c.send(m, owner, b.home, c.block)
	b.owner = noNode
	if store {
		c.invalidateBlock(owner, number, counts)
	} else {
		c.downgradeLines(owner, number)
		b.add(owner)
		c.touchFrame(m, owner, number)
	}
	c.touchFrame(m, b.home, number)
	c.setArrival(m, b.home, number)
	return m
}

// invalidate removes b from all sharers except n. It returns when the last of them has lost it.
func (c *clusterInterconnect) invalidate(m moment, n int, number uint64, b *block, counts *touch.Counts) moment {
	m = c.waitArrival(m, b.home, number)
	done := m
	for _, h := range b.sharers {
		if h != n {
			received := c.waitArrival(c.send(m, b.home, h, 0), h, number)
			done = done.join(c.changePermission(received, h))
			c.invalidateBlock(h, number, counts)
		}
	}
	b.sharers = b.sharers[:0]
	return done
}

// invalidateBlock removes the copy of a block that node n has.
func (c *clusterInterconnect) invalidateBlock(n int, number uint64, counts *touch.Counts) {
	counts.BlockInvalidations++
	c.removeLines(n, number, coherence.Invalidated)
	c.memory[n].frames.drop(number)
}

// accessAtHome uses b in its home's memory. If b is not there, it is read from the disk.
func (c *clusterInterconnect) accessAtHome(m moment, number uint64, b *block, counts *touch.Counts) moment {
	home := &c.memory[b.home]
	m = c.waitArrival(m, b.home, number)
	if !home.frames.has(number) {
		counts.DiskReads++
		m = c.accessDisk(m, b.home)
		c.setArrival(m, b.home, number)
	}
	c.touchFrame(m, b.home, number)
	return m
}

// touchFrame makes a block the most recently used in the memory of n, at m. If it evicts another block, a copy is
// dropped, and the only valid version is written back.
func (c *clusterInterconnect) touchFrame(m moment, n int, number uint64) {
	number, pushed := c.memory[n].frames.touch(number)
	if !pushed {
		return
	}
	c.removeLines(n, number, coherence.Evicted)
	b := c.blocks.get(number)
	switch {
	case n == b.home && (b.owner != noNode || !b.dirty):
		return // it is on another node or on the disk
	case n != b.home && n != b.owner:
		b.remove(n)
		return
	}
	b.owner = noNode
	home := &c.memory[b.home].frames
	toMemory := n != b.home && home.has(number)
	if toMemory {
		home.touch(number)
	}
	b.dirty = toMemory
	c.evictions = append(c.evictions, blockEviction{m.at, number, n, b.home, !toMemory})
}

// removeLines removes all lines of a block from the caches of node n.
func (c *clusterInterconnect) removeLines(n int, number uint64, why uint8) {
	c.forEachLine(n, number, func(p trace.Proc, line uint64, states []uint8) { c.caches.removeLine(p, line, states, why) })
}

// downgradeLines makes all lines of a block in the caches of node n read-only, so that a store needs a request.
func (c *clusterInterconnect) downgradeLines(n int, number uint64) {
	c.forEachLine(n, number, func(p trace.Proc, line uint64, states []uint8) { c.caches.downgrade(p, line, states) })
}

// forEachLine calls do for all lines of a block that the caches of node n have.
func (c *clusterInterconnect) forEachLine(n int, number uint64, do func(p trace.Proc, line uint64, states []uint8)) {
	first := c.FirstProc(n)
	for line := number << c.shift; line < (number+1)<<c.shift; line++ {
		states := c.caches.lines.Get(line)
		if states == nil {
			continue
		}
		for p := first; p < first+c.memory[n].procs; p++ {
			if coherence.Valid(states[p]) {
				do(trace.Proc(p), line, states)
			}
		}
	}
}
