package recorder

import (
	"iter"
	"slices"

	"spoor/traces/trace"
)

// A mutex of Go is a lock. The simulator decides who takes it next, except for mutexes of a sync.Cond, which keep the order of the
// recording, as those of pthreads do. In the trace no processor holds a lock while it waits for a flag: it releases its locks before
// and takes them again after. Else a processor that takes a lock earlier than in the recording could wait forever.

func (gs *goroutines) lock(c *calls, g *goroutine, addr uint64) {
	if c.ordered(addr) {
		c.wait(g.t, objectID{addr, asTurn})
	}
	object := c.object(addr, asLock)
	g.t.happens(trace.Lock, object)
	g.holds = append(g.holds, object)
	gs.owners[addr] = g
}

// unlock releases a mutex. Any goroutine may do so, and the event is of the one that took it.
func (gs *goroutines) unlock(c *calls, by *goroutine, addr uint64) {
	g := gs.owners[addr]
	if g == nil {
		c.missed[missedUnlocks]++
		return
	}
	delete(gs.owners, addr)
	object := c.object(addr, asLock)
	g.holds = slices.DeleteFunc(g.holds, func(o int32) bool { return o == object })
	if g.t.running == g {
		g.t.happens(trace.Unlock, object)
	}
	c.released[by.t] = addr
	if c.ordered(addr) {
		c.signal(by.t, objectID{addr, asTurn})
	}
}

// heldBy returns the mutexes that a goroutine holds.
func (gs *goroutines) heldBy(g *goroutine) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for addr, owner := range gs.owners {
			if owner == g && !yield(addr) {
				return
			}
		}
	}
}
