package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// obtain brings the block of t to the memory of node n with the right that t needs, and says when it is there.
func (c *clusterPath) obtain(now unit.Picos, n int, t *transaction) moment {
	c.now, c.leaving = now, c.leaving[:0]
	m := c.begin(now)
	number := t.line >> c.shift
	b, fresh := c.blocks.of(number, n)
	if fresh {
		c.use(m, b.home, number)
	}
	counts := &c.caches.private[t.proc].counts
	switch {
	case !b.may(n, t.store):
		m = c.acquire(m, n, number, b, t.store, counts)
		c.arrives(m, n, number)
	case n == b.home:
		m = c.atHome(m, number, b, counts)
	default:
		m = c.arrived(m, n, number)
		c.use(m, n, number)
	}
	// A line that its processor may later store to without asking is for nodes that may store.
	if t.where[t.proc] == exclusive && !b.may(n, true) {
		t.where[t.proc] = shared
	}
	if t.store || t.where[t.proc] == exclusive {
		b.dirty = true
	}
	return m
}

// arrives lets later transactions wait at node n until m for what is on its way there.
func (c *clusterPath) arrives(m moment, n int, number uint64) {
	if a := &c.own[n].arriving; m.at > max(c.now, a.until[number]) {
		a.hold(number, m.at, c.settled)
	}
}

// arrived is when a block that node n has is there.
func (c *clusterPath) arrived(m moment, n int, number uint64) moment {
	return m.wait(c.own[n].arriving.until[number])
}

// acquire gets node n what it may not do with b yet.
func (c *clusterPath) acquire(m moment, n int, number uint64, b *block, store bool, counts *Counts) moment {
	had, away := b.may(n, false), b.owner != none
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
		m = c.fromHome(m, n, number, b, had, counts)
		c.grant(n, number, b, store)
		c.use(m, n, number)
	case !away:
		m = c.atHome(m, number, b, counts)
	}
	return m.join(done)
}

// fromHome sends n the block, or if it had it the right to store alone.
func (c *clusterPath) fromHome(m moment, n int, number uint64, b *block, had bool, counts *Counts) moment {
	if had {
		m = c.arrived(m, b.home, number)
		return c.send(c.change(m, b.home), b.home, n, 0)
	}
	m = c.atHome(m, number, b, counts)
	return c.send(c.read(m, b.home), b.home, n, c.block)
}

// grant lets node n, which is not its home, store to a block or load it.
func (c *clusterPath) grant(n int, number uint64, b *block, store bool) {
	if store {
		c.strip(b.home, number, taken)
		b.owner = n
	} else {
		c.weaken(b.home, number)
		b.add(n)
	}
}

// recall sends b home from its owner, which keeps a copy if b is not to be stored to.
func (c *clusterPath) recall(m moment, number uint64, b *block, store bool, counts *Counts) moment {
	owner := b.owner
	counts.FromExclusive++
	m = c.read(c.arrived(m, owner, number), owner)
	m = c.send(m, owner, b.home, c.block)
	b.owner = none
	if store {
		c.lose(owner, number, counts)
	} else {
		c.weaken(owner, number)
		b.add(owner)
		c.use(m, owner, number)
	}
	c.use(m, b.home, number)
	c.arrives(m, b.home, number)
	return m
}

// invalidate takes b from all holders but n, and says when the last of them has lost it.
func (c *clusterPath) invalidate(m moment, n int, number uint64, b *block, counts *Counts) moment {
	m = c.arrived(m, b.home, number)
	done := m
	for _, h := range b.holders {
		if h != n {
			told := c.arrived(c.send(m, b.home, h, 0), h, number)
			done = done.join(c.change(told, h))
			c.lose(h, number, counts)
		}
	}
	b.holders = b.holders[:0]
	return done
}

// lose takes the copy of a block that node n has.
func (c *clusterPath) lose(n int, number uint64, counts *Counts) {
	counts.BlockInvalidations++
	c.strip(n, number, taken)
	c.own[n].frames.drop(number)
}

// atHome uses b in its home's memory, into which it comes from the disk if it is not there.
func (c *clusterPath) atHome(m moment, number uint64, b *block, counts *Counts) moment {
	home := &c.own[b.home]
	m = c.arrived(m, b.home, number)
	if !home.frames.has(number) {
		counts.DiskReads++
		m = c.onDisk(m, b.home)
		c.arrives(m, b.home, number)
	}
	c.use(m, b.home, number)
	return m
}

// use makes a block the latest used in the memory of n, at m, and pushes another one out if need be: a copy is dropped,
// what is nowhere else leaves.
func (c *clusterPath) use(m moment, n int, number uint64) {
	number, pushed := c.own[n].frames.use(number)
	if !pushed {
		return
	}
	c.strip(n, number, evicted)
	b := c.blocks.known(number)
	switch {
	case n == b.home && (b.owner != none || !b.dirty):
		return // it is elsewhere, or on the disk
	case n != b.home && n != b.owner:
		b.remove(n)
		return
	}
	b.owner = none
	home := &c.own[b.home].frames
	toMemory := n != b.home && home.has(number)
	if toMemory {
		home.use(number)
	}
	b.dirty = toMemory
	c.leaving = append(c.leaving, departure{m.at, number, n, b.home, !toMemory})
}

// strip takes all lines of a block out of the caches of node n.
func (c *clusterPath) strip(n int, number uint64, why uint8) {
	c.each(n, number, func(p trace.Proc, line uint64, where []uint8) { c.caches.drop(p, line, where, why) })
}

// weaken makes all lines of a block in the caches of node n such that a store to them must ask.
func (c *clusterPath) weaken(n int, number uint64) {
	c.each(n, number, func(p trace.Proc, line uint64, where []uint8) { c.caches.clean(p, line, where) })
}

// each calls do for all lines of a block that the caches of node n have.
func (c *clusterPath) each(n int, number uint64, do func(p trace.Proc, line uint64, where []uint8)) {
	first := c.start(n)
	for line := number << c.shift; line < (number+1)<<c.shift; line++ {
		where := c.caches.lines.known(line)
		if where == nil {
			continue
		}
		for p := first; p < first+c.own[n].procs; p++ {
			if valid(where[p]) {
				do(trace.Proc(p), line, where)
			}
		}
	}
}
