package phases

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Within is what is known of caches and bus of one node in the order in which its misses and waits are counted, in which an instruction
// and a hit take 1 each. With the zero value, nothing of one node is counted.
type Within struct {
	Miss unit.Instructions // that a miss or an upgrade takes, for which it holds the bus, as a write-back does
	Sets int64             // of the private caches, a power of two
	Ways int
	Line unit.Bytes // of the caches, no larger than a block
}

// within is the private caches of the processors of one node in a [delayed] order, by the rules of the package: who stores, or comes to a
// lock first, depends on who has missed. Misses and upgrades take their turns on the bus.
type within struct {
	Within
	caches [][]slot    // by processor: of each set in turn, the latest used first
	lines  []lineState // by number
	free   unit.Instructions
}

// slot is a line in a cache, which is valid if it has the version of the line.
type slot struct {
	line    uint32 // number + 1; 0: none
	version uint32
}

// lineState is how often a line has been taken from others, and who may store to it without asking.
type lineState struct {
	version uint32
	owner   int32 // or -1
}

func newWithin(w Within, procs int) *within {
	out := &within{Within: w}
	for range procs {
		out.caches = append(out.caches, make([]slot, w.Sets*int64(w.Ways)))
	}
	return out
}

// access is what a load or store makes of the bus: nothing if it hits.
type access struct{ miss, claim, writeback bool }

// use is a load or store by p of the line of an address, with its number, from now on, and how long it takes.
func (w *within) use(p trace.Proc, line uint64, number uint32, isStore bool, now unit.Instructions) (a access, long unit.Instructions) {
	for int(number) >= len(w.lines) {
		w.lines = append(w.lines, lineState{owner: -1})
	}
	state := &w.lines[number]
	set := w.caches[p][int(line&uint64(w.Sets-1))*w.Ways:][:w.Ways]
	depth := w.find(set, number)
	old := set[depth]
	found := old == slot{number + 1, state.version}
	copy(set[1:depth+1], set[:depth])
	set[0] = old
	if found && (!isStore || state.owner == int32(p)) {
		return a, 0
	}
	a = access{miss: !found, claim: found && len(w.caches) > 1, writeback: !found && w.valid(old) && w.lines[old.line-1].owner == int32(p)}
	if state.owner = -1; isStore {
		state.version++
		state.owner = int32(p)
	}
	set[0] = slot{number + 1, state.version}
	return a, w.take(a, now)
}

// take is how long an access takes with its turn on the bus.
func (w *within) take(a access, now unit.Instructions) unit.Instructions {
	if !a.miss && !a.claim {
		return 0
	}
	end := max(now, w.free) + w.Miss
	w.free = end
	if a.writeback {
		w.free += w.Miss
	}
	return end - now
}

// find is where a line is in a set; or where there is room for it: what is not valid, or else has not been used for longest.
func (w *within) find(set []slot, number uint32) int {
	for i := range set {
		if set[i].line == number+1 {
			return i
		}
	}
	for i := range set {
		if !w.valid(set[i]) {
			return i
		}
	}
	return len(set) - 1
}

// valid reports whether a slot holds anything.
func (w *within) valid(v slot) bool { return v.line > 0 && w.lines[v.line-1].version == v.version }
