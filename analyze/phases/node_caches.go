package phases

import (
	lru "spoor/analyze/cache"
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

// minNodeLine is the smallest line size of the caches of nodes: [lru.Copies] has numbers of lines below 2^62.
const minNodeLine unit.Bytes = 4

// nodeSystem holds the private caches of all processors in a [delayedOrder], by the rules of the package, and
// the buses of their nodes. Misses decide the order of stores and lock requests. Misses and upgrades take
// turns on the bus.
type nodeSystem struct {
	NodeCaches
	perNode int
	caches  []lru.Copies   // by processor
	buses   []reservations // by node
}

func newNodeSystem(w NodeCaches, procs, perNode int) *nodeSystem {
	out := &nodeSystem{NodeCaches: w, perNode: perNode, buses: make([]reservations, (procs+perNode-1)/perNode)}
	for range procs {
		out.caches = append(out.caches, lru.NewCopies(w.Sets, int64(w.Ways)))
	}
	return out
}

// hit reports whether p may load or store a line in its cache. If so, the line becomes the latest used.
func (w *nodeSystem) hit(p trace.Proc, line uint64, isStore bool) bool {
	if w.Sets == 0 {
		return false
	}
	set := w.caches[p].Set(line)
	i := lru.FindCopy(set, line)
	if i < 0 || isStore && !lru.Stores(set[i]) {
		return false
	}
	lru.ToFront(set, i, set[i])
	return true
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
	set, permission := w.caches[p].Set(line), uint64(lru.MayLoad)
	if isStore {
		permission = lru.MayStore
	}
	i := lru.FindCopy(set, line)
	if i >= 0 {
		a.claim = w.perNode > 1
	} else {
		i = lru.Victim(set)
		a = access{miss: true, writeback: lru.Stores(set[i])}
	}
	lru.ToFront(set, i, lru.Word(line, permission))
	return a
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
func (w *nodeSystem) invalidate(p trace.Proc, line uint64) { w.permit(p, line, 0) }

// downgrade removes the right of p to store to a line without a request.
func (w *nodeSystem) downgrade(p trace.Proc, line uint64) { w.permit(p, line, lru.MayLoad) }

func (w *nodeSystem) permit(p trace.Proc, line, permission uint64) {
	if w.Sets > 0 {
		w.caches[p].Permit(line, permission)
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
