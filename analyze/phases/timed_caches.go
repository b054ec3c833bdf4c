package phases

import (
	lru "spoor/analyze/cache"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// mayStoreAlone is the permission of a processor that has the only copy of a clean line: a store needs no request.
const mayStoreAlone uint64 = 2

// timedCaches simulates the caches of all processors in the time of a [Node]. Times are in ticks.
type timedCaches struct {
	*Node
	miss, hold, upgradeTime, sharedTime unit.Instructions // the times of Node

	perNode int
	upTo    []unit.Instructions   // by level: time of a hit, beyond the first level
	private [][]lru.Copies        // by processor and level
	owners  map[uint64]trace.Proc // processors that own lines that others may have, with memory stale
}

func newTimedCaches(n *Node, procs, perNode int) *timedCaches {
	t := &timedCaches{Node: n, miss: inTicks(n.Miss), hold: inTicks(n.Hold), upgradeTime: inTicks(n.Upgrade), sharedTime: inTicks(n.Shared.Time), perNode: perNode, owners: map[uint64]trace.Proc{}}
	sum := unit.Instructions(0)
	for i, c := range n.Caches {
		if i > 0 {
			sum += inTicks(c.Time)
		}
		t.upTo = append(t.upTo, sum)
	}
	for range procs {
		var levels []lru.Copies
		for _, c := range n.Caches {
			levels = append(levels, lru.NewCopies(c.Sets, int64(c.Ways)))
		}
		t.private = append(t.private, levels)
	}
	return t
}

// lookup is the time of a lookup that misses in all private levels.
func (t *timedCaches) lookup() unit.Instructions { return t.upTo[len(t.upTo)-1] }

// hitsFirst reports whether p may load or store a line that is the latest used of its set in the first level. The caches
// then stay as they are.
func (t *timedCaches) hitsFirst(p trace.Proc, line uint64, isStore bool) bool {
	word, whole := t.private[p][0].Set(line)[0], lru.Word(line, lru.MayStore)
	return word == whole || !isStore && word|lru.MayStore == whole && word != 0
}

// find looks for a line in the caches of p. A line that is found becomes the latest used. It returns the permission, 0
// if p has no copy, and the time of the lookup.
func (t *timedCaches) find(p trace.Proc, line uint64) (permission uint64, time unit.Instructions) {
	for k := range t.private[p] {
		set := t.private[p][k].Set(line)
		if w := lru.FindCopy(set, line); w >= 0 {
			word := set[w]
			lru.ToFront(set, w, word)
			t.fill(p, k, word)
			return word & lru.MayStore, t.upTo[k]
		}
	}
	return 0, t.lookup()
}

// fill puts a line into the levels before level. Lines that it evicts there stay in the other levels.
func (t *timedCaches) fill(p trace.Proc, level int, word uint64) {
	for k := level - 1; k >= 0; k-- {
		set := t.private[p][k].Set(word >> lru.PermissionBits)
		lru.ToFront(set, lru.Victim(set), word)
	}
}

// insert puts a line that no level has into all of them. It returns the word that leaves the last level, or 0.
func (t *timedCaches) insert(p trace.Proc, line, permission uint64) (old uint64) {
	last := len(t.private[p]) - 1
	set := t.private[p][last].Set(line)
	w := lru.Victim(set)
	old = set[w]
	lru.ToFront(set, w, lru.Word(line, permission))
	if old != 0 {
		for k := range last {
			t.private[p][k].Permit(old>>lru.PermissionBits, 0)
		}
	}
	t.fill(p, last, lru.Word(line, permission))
	return old
}

// permit sets the permission of p for a line that it has; 0 removes the line.
func (t *timedCaches) permit(p trace.Proc, line, permission uint64) {
	for k := range t.private[p] {
		t.private[p][k].Permit(line, permission)
	}
}

// permission returns the permission of p for a line, or 0.
func (t *timedCaches) permission(p trace.Proc, line uint64) uint64 {
	last := &t.private[p][len(t.private[p])-1]
	set := last.Set(line)
	if w := lru.FindCopy(set, line); w >= 0 {
		return set[w] & lru.MayStore
	}
	return 0
}

// takeFrom takes a line, or the right to store to it, from the other processors of p's node. It reports whether one of
// them had it, and whether one had modified it.
func (t *timedCaches) takeFrom(p trace.Proc, line uint64, isStore bool) (shared, stale bool) {
	left := uint64(lru.MayLoad)
	if isStore {
		left = 0
	}
	t.each(trace.Proc(int(p)/t.perNode), func(q trace.Proc) {
		if q == p {
			return
		}
		has := t.permission(q, line)
		if has == 0 {
			return
		}
		owner, owned := t.owners[line]
		shared, stale = true, stale || has == lru.MayStore || owned && owner == q
		if t.Owned && has == lru.MayStore && !isStore {
			t.owners[line] = q
		}
		if has != left {
			t.permit(q, line, left)
		}
	})
	if isStore {
		delete(t.owners, line)
	}
	return shared, stale
}

// leaves reports whether a line that leaves the caches of p must be written back, by its word.
func (t *timedCaches) leaves(p trace.Proc, word uint64) bool {
	line := word >> lru.PermissionBits
	if owner, owned := t.owners[line]; owned && owner == p && word != 0 {
		delete(t.owners, line)
		return true
	}
	return lru.Stores(word)
}

// each calls do for the processors of node n.
func (t *timedCaches) each(n trace.Proc, do func(trace.Proc)) {
	for p := int(n) * t.perNode; p < min((int(n)+1)*t.perNode, len(t.private)); p++ {
		do(trace.Proc(p))
	}
}

// invalidateNode removes a line from all caches of a node. downgradeNode removes the right to store to it.
func (t *timedCaches) invalidateNode(n trace.Proc, line uint64) {
	t.each(n, func(p trace.Proc) { t.permit(p, line, 0) })
	delete(t.owners, line)
}

func (t *timedCaches) downgradeNode(n trace.Proc, line uint64) {
	t.each(n, func(p trace.Proc) { t.permit(p, line, lru.MayLoad) })
	delete(t.owners, line)
}
