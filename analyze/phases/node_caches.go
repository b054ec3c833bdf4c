package phases

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// NodeCaches describes the caches and the bus of a node in the order in which its misses and waits are
// counted. In this order, an instruction and a hit take 1 each. With the zero value there are no caches, no
// access takes time, and a single node with all processors is not counted.
type NodeCaches struct {
	Miss unit.Instructions // time of a miss, an upgrade or a write-back, for which it holds the bus
	Sets int64             // of the private caches, a power of two
	Ways int
	Line unit.Bytes // line size of the caches, no larger than a block
}

// nodeSystem holds the private caches of all processors in a [delayedOrder], by the rules of the package, and
// the buses of their nodes. Misses decide the order of stores and lock requests. Misses and upgrades take
// turns on the bus.
type nodeSystem struct {
	NodeCaches
	perNode int
	caches  [][]slot       // by processor: each set in turn, the latest used line first
	buses   []reservations // by node
}

// slot is a line in a cache, and whether its processor may store to it without a request; 0: no line.
type slot uint64

func slotOf(line uint64, owned bool) slot {
	s := slot(line+1) << 1
	if owned {
		s |= ownedBit
	}
	return s
}

const ownedBit slot = 1

// holds reports whether a slot has a line.
func (s slot) holds(line uint64) bool { return s>>1 == slot(line+1) }

func newNodeSystem(w NodeCaches, procs, perNode int) *nodeSystem {
	out := &nodeSystem{NodeCaches: w, perNode: perNode, buses: make([]reservations, (procs+perNode-1)/perNode)}
	for range procs {
		out.caches = append(out.caches, make([]slot, w.Sets*int64(w.Ways)))
	}
	return out
}

// set returns the slots of the set of a line in the cache of p.
func (w *nodeSystem) set(p trace.Proc, line uint64) []slot {
	at := int(line&uint64(w.Sets-1)) * w.Ways
	return w.caches[p][at : at+w.Ways]
}

// hit reports whether p may load or store a line in its cache. If so, the line becomes the latest used.
func (w *nodeSystem) hit(p trace.Proc, line uint64, isStore bool) bool {
	if w.Sets == 0 {
		return false
	}
	set := w.set(p, line)
	for i, s := range set {
		if s.holds(line) {
			if isStore && s&ownedBit == 0 {
				return false
			}
			copy(set[1:i+1], set[:i])
			set[0] = s
			return true
		}
	}
	return false
}

// access has the bus accesses of a load or store that does not hit.
type access struct{ miss, claim, writeback bool }

// fetch brings a line to the cache of p for a load or store. It takes the line, or the right to store to it,
// from the other processors of its node.
func (w *nodeSystem) fetch(p trace.Proc, line uint64, isStore bool) (a access) {
	w.siblings(p, func(q trace.Proc) {
		if isStore {
			w.invalidate(q, line)
		} else {
			w.downgrade(q, line)
		}
	})
	if w.Sets == 0 {
		return access{miss: true}
	}
	set := w.set(p, line)
	depth := w.depth(set, line)
	old := set[depth]
	found := old.holds(line)
	a = access{miss: !found, claim: found && w.perNode > 1, writeback: !found && old&ownedBit != 0}
	copy(set[1:depth+1], set[:depth])
	set[0] = slotOf(line, isStore)
	return a
}

// depth returns the position of a line in a set. If it is not there, it returns that of an empty slot, or
// else of the least recently used line.
func (w *nodeSystem) depth(set []slot, line uint64) int {
	room := len(set) - 1
	for i := len(set) - 1; i >= 0; i-- {
		if set[i].holds(line) {
			return i
		}
		if set[i] == 0 {
			room = i
		}
	}
	return room
}

// siblings calls do for the other processors of the node of p.
func (w *nodeSystem) siblings(p trace.Proc, do func(trace.Proc)) {
	w.each(trace.Proc(int(p)/w.perNode), func(q trace.Proc) {
		if q != p {
			do(q)
		}
	})
}

// each calls do for the processors of a node.
func (w *nodeSystem) each(n trace.Proc, do func(trace.Proc)) {
	for p := int(n) * w.perNode; p < min(len(w.caches), (int(n)+1)*w.perNode); p++ {
		do(trace.Proc(p))
	}
}

// invalidate removes a line from the cache of p.
func (w *nodeSystem) invalidate(p trace.Proc, line uint64) { w.change(p, line, 0) }

// downgrade removes the right of p to store to a line without a request.
func (w *nodeSystem) downgrade(p trace.Proc, line uint64) { w.change(p, line, slotOf(line, false)) }

func (w *nodeSystem) change(p trace.Proc, line uint64, to slot) {
	if w.Sets == 0 {
		return
	}
	set := w.set(p, line)
	for i := range set {
		if set[i].holds(line) {
			set[i] = to
		}
	}
}

// invalidateNode removes a line from all caches of a node. downgradeNode removes the right to store to it.
func (w *nodeSystem) invalidateNode(n trace.Proc, line uint64) {
	w.each(n, func(p trace.Proc) { w.invalidate(p, line) })
}
func (w *nodeSystem) downgradeNode(n trace.Proc, line uint64) {
	w.each(n, func(p trace.Proc) { w.downgrade(p, line) })
}

// busEnd returns the end of a processor's bus accesses in node n, from now on. A write-back follows the
// access; no processor waits for it.
func (w *nodeSystem) busEnd(n trace.Proc, a access, now unit.Instructions) unit.Instructions {
	if !a.miss && !a.claim {
		return now
	}
	end := w.memoryAccess(n, now)
	if a.writeback {
		w.memoryAccess(n, end)
	}
	return end
}

// memoryAccess returns the end of an access to the memory of node n that begins now or later.
func (w *nodeSystem) memoryAccess(n trace.Proc, now unit.Instructions) unit.Instructions {
	bus := &w.buses[n]
	start := bus.earliest(now, w.Miss)
	bus.reserve(start, w.Miss)
	return start + w.Miss
}

// discardBefore says that nothing begins before now any more.
func (w *nodeSystem) discardBefore(now unit.Instructions) {
	for n := range w.buses {
		w.buses[n].discardBefore(now)
	}
}
