package phases

import "spoor/traces/trace"

// cache holds the private caches of all processors with one number of sets and every associativity.
type cache struct {
	sets       int64
	stacks     []stack    // allocated when a processor first uses a set; the first is not used
	stackIndex [][]uint32 // by processor, allocated when it first uses a line: by set, index in stacks, or 0
	tallies    []tally    // by processor: counts of its window
}

// stack is the LRU stack with holes of one set of one processor. At first it has only holes: invalid ways. The set of a
// cache.Copies has one number of ways; the stack stands for all.
type stack struct {
	tag         [MaxWays]uint32 // number of the line; 0: a hole
	maxDistance [MaxWays]uint8  // largest distance of the processor's uses since its last store: exclusive for more ways; or notOwner
}

// notOwner marks a line that no cache has exclusive.
const notOwner = 255

// tally counts events by distance.
type tally struct {
	reuse                     [2][MaxWays + 1 - invalidated]uint64 // of loads and of stores; by distance - invalidated
	upgradePlus, upgradeMinus [MaxWays + 1]uint64
	alonePlus, aloneMinus     [MaxWays + 1]uint64 // upgrades of lines that no other processor has
	supplyPlus                [MaxWays + 1]uint64
	writebacks                [MaxWays + 1]uint64 // by ways, not by distance
}

func newCache(procs int, sets int64) *cache {
	return &cache{sets: sets, stacks: make([]stack, 1), stackIndex: make([][]uint32, procs), tallies: make([]tally, procs)}
}

func (c *cache) stack(p trace.Proc, line uint64) *stack {
	if c.stackIndex[p] == nil {
		c.stackIndex[p] = make([]uint32, c.sets)
	}
	at := &c.stackIndex[p][line&uint64(c.sets-1)]
	if *at == 0 {
		*at = uint32(len(c.stacks))
		c.stacks = append(c.stacks, stack{})
	}
	return &c.stacks[*at]
}

// depth returns the position of a line in the stack; MaxWays if it is not there.
func (s *stack) depth(id uint32) int {
	for i, t := range &s.tag {
		if t == id {
			return i
		}
	}
	return MaxWays
}

// share makes owner's line clean when another processor fetches it. In caches where owner has the line
// exclusive, it supplies the line. This counts for the fetching processor.
func (c *cache) share(owner, fetcher trace.Proc, line uint64, id uint32) {
	s := c.stack(owner, line)
	d := s.depth(id)
	if d == MaxWays || s.maxDistance[d] == notOwner {
		return
	}
	c.tallies[fetcher].supplyPlus[max(d, int(s.maxDistance[d]))]++
	s.maxDistance[d] = notOwner
}

// invalidate replaces the line by a hole.
func (c *cache) invalidate(p trace.Proc, line uint64, id uint32) {
	s := c.stack(p, line)
	if d := s.depth(id); d < MaxWays {
		s.tag[d], s.maxDistance[d] = 0, notOwner
	}
}

// use moves a line to the top, and counts the events for every associativity. alone says that no other
// processor can have the line.
func (c *cache) use(p trace.Proc, line uint64, id uint32, isStore, alone bool, f lineState) {
	s, t := c.stack(p, line), &c.tallies[p]
	if s.tag[0] == id { // most uses: nothing moves
		t.reuse[index(isStore)][0-invalidated]++
		if isStore {
			t.upgrade(0, s.maxDistance[0], alone)
			s.maxDistance[0] = 0
		}
		return
	}
	d, hole := s.search(id)
	maxDistance := uint8(notOwner)
	if d < MaxWays {
		maxDistance = s.maxDistance[d]
	}
	t.use(d, isStore, f)
	switch {
	case isStore:
		t.upgrade(d, maxDistance, alone)
		maxDistance = 0
	case maxDistance != notOwner:
		maxDistance = max(maxDistance, uint8(d))
	}
	s.pushDown(min(d, hole), t)
	if hole < d && d < MaxWays {
		s.tag[d], s.maxDistance[d] = 0, notOwner
	}
	s.tag[0], s.maxDistance[0] = id, maxDistance
}

// search returns the depth of a line and of the first hole above it; MaxWays if there is none.
func (s *stack) search(id uint32) (d, hole int) {
	hole = MaxWays
	for i, t := range &s.tag {
		if t == id {
			return i, hole
		}
		if t == 0 && hole == MaxWays {
			hole = i
		}
	}
	return MaxWays, hole
}

// pushDown moves the lines above position end down by one. end is the position of a line or a hole, or the
// end of the stack. Moving from depth i-1 to i is an eviction from the cache of i ways.
func (s *stack) pushDown(end int, t *tally) {
	if end == MaxWays {
		if s.maxDistance[MaxWays-1] < MaxWays {
			t.writebacks[MaxWays]++
		}
		end--
	}
	for i := end; i > 0; i-- {
		s.tag[i] = s.tag[i-1]
		s.maxDistance[i] = s.maxDistance[i-1]
		if int(s.maxDistance[i]) < i {
			t.writebacks[i]++
		}
	}
}

func (t *tally) use(d int, isStore bool, f lineState) {
	switch f {
	case invalidLine:
		d = invalidated
	case newLine:
		d = cold
	}
	t.reuse[index(isStore)][d-invalidated]++
}

// upgrade counts a store to a line at depth d. The line is present for w > d, and exclusive for w >
// maxDistance and w > d.
func (t *tally) upgrade(d int, maxDistance uint8, alone bool) {
	if d == MaxWays || maxDistance != notOwner && int(maxDistance) <= d {
		return
	}
	t.upgradePlus[d]++
	if alone {
		t.alonePlus[d]++
	}
	if maxDistance == notOwner {
		return
	}
	t.upgradeMinus[maxDistance]++
	if alone {
		t.aloneMinus[maxDistance]++
	}
}

// flush converts the counts to rows, in their order, and resets them.
func (t *tally) flush(shape int, out *rows) {
	for d, n := range t.aloneMinus[:MaxWays] {
		out.add(keyOf(shape, aloneMinusEvent, d), n)
	}
	for d, n := range t.alonePlus[:MaxWays] {
		out.add(keyOf(shape, alonePlusEvent, d), n)
	}
	for i, n := range t.reuse[0] {
		out.add(keyOf(shape, reuseLoadEvent, i+invalidated), n)
	}
	for i, n := range t.reuse[1] {
		out.add(keyOf(shape, reuseStoreEvent, i+invalidated), n)
	}
	for _, of := range []struct {
		event event
		count *[MaxWays + 1]uint64
	}{{supplyPlusEvent, &t.supplyPlus}, {upgradeMinusEvent, &t.upgradeMinus}, {upgradePlusEvent, &t.upgradePlus}} {
		for d, n := range of.count[:MaxWays] {
			out.add(keyOf(shape, of.event, d), n)
		}
	}
	for d := range MaxWays {
		if more, fewer := t.writebacks[d+1], t.writebacks[d]; more < fewer {
			out.add(keyOf(shape, writebackMinusEvent, d), fewer-more)
		}
	}
	for d := range MaxWays {
		if more, fewer := t.writebacks[d+1], t.writebacks[d]; more > fewer {
			out.add(keyOf(shape, writebackPlusEvent, d), more-fewer)
		}
	}
	*t = tally{}
}
