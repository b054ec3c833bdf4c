package phases

import (
	lru "spoor/analyze/cache"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// timedNode simulates one node with all processors, in the time of a [Node]. Its bus serves requests in their order.
// An upgrade goes over the bus, or through the shared cache if there is one.
//
// The shared cache is neither inclusive nor exclusive. A line that another processor has modified comes through it.
type timedNode struct {
	*timedCaches
	shared lru.Copies
	free   unit.Instructions           // when the bus is
	counts *[len(transferNames)]uint64 // of the present processor
}

func newTimedNode(n *Node, procs int) *timedNode {
	t := &timedNode{timedCaches: newTimedCaches(n, procs, procs)}
	if n.Shared.Sets > 0 {
		t.shared = lru.NewCopies(n.Shared.Sets, int64(n.Shared.Ways))
	}
	return t
}

// access simulates a load or store of a line by p, and returns its cost.
func (t *timedNode) access(p trace.Proc, line uint64, isStore bool, now unit.Instructions) cost {
	has, lookup := t.find(p, line)
	switch {
	case has == lru.MayStore || has != 0 && !isStore:
		return cost{latency: lookup}
	case has == mayStoreAlone:
		t.permit(p, line, lru.MayStore)
		return cost{latency: lookup}
	case has != 0:
		t.takeFrom(p, line, true)
		t.permit(p, line, lru.MayStore)
		return t.upgrade(lookup, now)
	}
	t.counts[missTransfer]++
	others, stale := t.takeFrom(p, line, isStore)
	c := t.fetch(line, isStore, stale, now+lookup)
	c.latency += lookup
	permission := uint64(lru.MayLoad)
	if isStore {
		permission = lru.MayStore
	} else if t.Exclusive && !others {
		permission = mayStoreAlone
	}
	if old := t.insert(p, line, permission); t.leaves(p, old) {
		t.writeBack(old>>lru.PermissionBits, now+lookup)
	}
	return c
}

// upgrade returns the cost of a store to a line that the processor has.
func (t *timedNode) upgrade(lookup, now unit.Instructions) cost {
	if len(t.private) == 1 {
		return cost{latency: lookup}
	}
	t.counts[claimTransfer]++
	c := cost{latency: lookup + t.upgradeTime}
	if t.shared.Ways == 0 {
		c.queue = t.onBus(now+lookup, t.upgradeTime)
	}
	return c
}

// fetch brings a line to a processor, from another one if memory is stale, from the shared cache, or from memory.
func (t *timedNode) fetch(line uint64, isStore, stale bool, now unit.Instructions) (c cost) {
	if t.shared.Ways > 0 {
		c.latency = t.sharedTime
		set := t.shared.Set(line)
		w := lru.FindCopy(set, line)
		switch {
		case stale && !isStore && !t.Owned:
			t.put(line, lru.MayStore, now+c.latency)
			return c
		case stale:
			return c
		case w >= 0:
			lru.ToFront(set, w, set[w])
			return c
		}
		defer t.put(line, lru.MayLoad, now+c.latency)
	}
	t.counts[memoryTransfer]++
	c.queue = t.onBus(now+c.latency, t.hold)
	c.latency += t.miss
	return c
}

// put puts a line into the shared cache. With MayStore, memory is stale. A stale line that it evicts goes to memory.
func (t *timedNode) put(line, permission uint64, now unit.Instructions) {
	set := t.shared.Set(line)
	w := lru.FindCopy(set, line)
	if w < 0 {
		if w = lru.Victim(set); lru.Stores(set[w]) {
			t.toMemory(now)
		}
	}
	lru.ToFront(set, w, lru.Word(line, permission))
}

// writeBack writes a modified line back that a private cache evicts.
func (t *timedNode) writeBack(line uint64, now unit.Instructions) {
	if t.shared.Ways > 0 {
		t.put(line, lru.MayStore, now+t.sharedTime)
		return
	}
	t.toMemory(now)
}

// toMemory writes a line to memory. No processor waits for that.
func (t *timedNode) toMemory(now unit.Instructions) {
	t.counts[writebackTransfer]++
	t.onBus(now, t.hold)
}

// onBus holds the bus as soon as it is free, and returns how long that takes.
func (t *timedNode) onBus(now, long unit.Instructions) (wait unit.Instructions) {
	start := max(now, t.free)
	t.free = start + long
	return start - now
}
