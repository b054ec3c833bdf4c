package phases

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Within is what is known of caches and bus of a node in the order in which its misses and waits are counted, in which an instruction
// and a hit take 1 each. With the zero value there are no caches, no access takes time, and nothing of one node with all processors is counted.
type Within struct {
	Miss unit.Instructions // that a miss or an upgrade takes, for which it holds the bus, as a write-back does
	Sets int64             // of the private caches, a power of two
	Ways int
	Line unit.Bytes // of the caches, no larger than a block
}

// within is the private caches of all processors in a [delayed] order, by the rules of the package, and the buses of their nodes: who stores, or
// comes to a lock first, depends on who has missed. Misses and upgrades take their turns on the bus.
type within struct {
	Within
	perNode int
	caches  [][]slot   // by processor: of each set in turn, the latest used first
	buses   []calendar // by node
}

// slot is a line in a cache, and whether its processor may store to it without asking; 0 is none.
type slot uint64

func slotOf(line uint64, owned bool) slot {
	s := slot(line+1) << 1
	if owned {
		s |= owned1
	}
	return s
}

const owned1 slot = 1

// holds reports whether a slot has a line.
func (s slot) holds(line uint64) bool { return s>>1 == slot(line+1) }

func newWithin(w Within, procs, perNode int) *within {
	out := &within{Within: w, perNode: perNode, buses: make([]calendar, (procs+perNode-1)/perNode)}
	for range procs {
		out.caches = append(out.caches, make([]slot, w.Sets*int64(w.Ways)))
	}
	return out
}

// set is where p has a line, if it has it.
func (w *within) set(p trace.Proc, line uint64) []slot {
	at := int(line&uint64(w.Sets-1)) * w.Ways
	return w.caches[p][at : at+w.Ways]
}

// hit reports whether p may load or store a line in its cache, which is its latest used then.
func (w *within) hit(p trace.Proc, line uint64, isStore bool) bool {
	if w.Sets == 0 {
		return false
	}
	set := w.set(p, line)
	for i, s := range set {
		if s.holds(line) {
			if isStore && s&owned1 == 0 {
				return false
			}
			copy(set[1:i+1], set[:i])
			set[0] = s
			return true
		}
	}
	return false
}

// access is what a load or store that does not hit makes of the bus.
type access struct{ miss, claim, writeback bool }

// take brings a line to the cache of p, who may load or store it then, and takes it, or the right to store to it, from the others of its node.
func (w *within) take(p trace.Proc, line uint64, isStore bool) (a access) {
	w.siblings(p, func(q trace.Proc) {
		if isStore {
			w.drop(q, line)
		} else {
			w.clean(q, line)
		}
	})
	if w.Sets == 0 {
		return access{miss: true}
	}
	set := w.set(p, line)
	depth := w.depth(set, line)
	old := set[depth]
	found := old.holds(line)
	a = access{miss: !found, claim: found && w.perNode > 1, writeback: !found && old&owned1 != 0}
	copy(set[1:depth+1], set[:depth])
	set[0] = slotOf(line, isStore)
	return a
}

// depth is where a line is in a set; or where there is room for it: what holds none, or else has not been used for longest.
func (w *within) depth(set []slot, line uint64) int {
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
func (w *within) siblings(p trace.Proc, do func(trace.Proc)) {
	w.each(trace.Proc(int(p)/w.perNode), func(q trace.Proc) {
		if q != p {
			do(q)
		}
	})
}

// each calls do for the processors of a node.
func (w *within) each(n trace.Proc, do func(trace.Proc)) {
	for p := int(n) * w.perNode; p < min(len(w.caches), (int(n)+1)*w.perNode); p++ {
		do(trace.Proc(p))
	}
}

// drop takes a line out of the cache of p.
func (w *within) drop(p trace.Proc, line uint64) { w.change(p, line, 0) }

// clean lets p ask before it stores to a line again.
func (w *within) clean(p trace.Proc, line uint64) { w.change(p, line, slotOf(line, false)) }

func (w *within) change(p trace.Proc, line uint64, to slot) {
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

// strip takes a line out of all caches of a node, and weaken the right to store to it.
func (w *within) strip(n trace.Proc, line uint64) { w.each(n, func(p trace.Proc) { w.drop(p, line) }) }
func (w *within) weaken(n trace.Proc, line uint64) {
	w.each(n, func(p trace.Proc) { w.clean(p, line) })
}

// local is when what a processor of node n does on its bus from now on has happened. A write-back follows what nobody waits for.
func (w *within) local(n trace.Proc, a access, now unit.Instructions) unit.Instructions {
	if !a.miss && !a.claim {
		return now
	}
	end := w.access(n, now)
	if a.writeback {
		w.access(n, end)
	}
	return end
}

// access is when an access to the memory of node n has happened that begins not before now.
func (w *within) access(n trace.Proc, now unit.Instructions) unit.Instructions {
	bus := &w.buses[n]
	start := bus.fit(now, w.Miss)
	bus.hold(start, w.Miss)
	return start + w.Miss
}

// settle says that nothing begins before now any more.
func (w *within) settle(now unit.Instructions) {
	for n := range w.buses {
		w.buses[n].settle(now)
	}
}
