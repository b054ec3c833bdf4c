package phases

import "spoor/traces/trace"

// cache is the private caches of all processors with one number of sets and every
// associativity.
type cache struct {
	sets    int64
	stacks  []stack    // allocated when a processor first uses a set; the first is not used
	at      [][]uint32 // by processor, allocated when it first uses a line: by set, index in stacks, or 0
	tallies []tally    // by processor: what it did in its phase
}

// stack is the LRU stack with holes of one set of one processor. The bottom is all
// holes at first: invalid ways.
type stack struct {
	tag    [MaxWays]uint32 // number of the line, or 0 for a hole
	oldest [MaxWays]uint8  // largest distance of the processor's uses since its last store: exclusive for more ways; or notOwner
}

// notOwner marks a line that no cache has exclusive.
const notOwner = 255

// tally counts events by distance.
type tally struct {
	reuse                     [2][MaxWays + 1 - Invalidated]uint64 // of loads, of stores; by distance - Invalidated
	upgradePlus, upgradeMinus [MaxWays + 1]uint64
	supplyPlus                [MaxWays + 1]uint64
	writebacks                [MaxWays + 1]uint64 // by ways, not by distance
}

func newCache(procs int, sets int64) *cache {
	return &cache{sets: sets, stacks: make([]stack, 1), at: make([][]uint32, procs), tallies: make([]tally, procs)}
}

func (c *cache) stack(p trace.Proc, line uint64) *stack {
	if c.at[p] == nil {
		c.at[p] = make([]uint32, c.sets)
	}
	at := &c.at[p][line&uint64(c.sets-1)]
	if *at == 0 {
		*at = uint32(len(c.stacks))
		c.stacks = append(c.stacks, stack{})
	}
	return &c.stacks[*at]
}

// depth is where a line lies in the stack, MaxWays if it does not.
func (s *stack) depth(id uint32) int {
	for i, t := range &s.tag {
		if t == id {
			return i
		}
	}
	return MaxWays
}

// share makes owner's line, which another processor fetches, clean. Where owner still
// has it exclusive, it supplies it, which counts for the one that fetches.
func (c *cache) share(owner, fetcher trace.Proc, line uint64, id uint32) {
	s := c.stack(owner, line)
	d := s.depth(id)
	if d == MaxWays || s.oldest[d] == notOwner {
		return
	}
	c.tallies[fetcher].supplyPlus[max(d, int(s.oldest[d]))]++
	s.oldest[d] = notOwner
}

// invalidate leaves a hole where the line is.
func (c *cache) invalidate(p trace.Proc, line uint64, id uint32) {
	s := c.stack(p, line)
	if d := s.depth(id); d < MaxWays {
		s.tag[d], s.oldest[d] = 0, notOwner
	}
}

// use moves a line to the top, counting what that means for every associativity.
func (c *cache) use(p trace.Proc, line uint64, id uint32, isStore bool, f found) {
	s, t := c.stack(p, line), &c.tallies[p]
	if s.tag[0] == id { // most uses: nothing moves
		t.reuse[index(isStore)][0-Invalidated]++
		if isStore {
			t.upgrade(0, s.oldest[0])
			s.oldest[0] = 0
		}
		return
	}
	d, hole := s.search(id)
	oldest := uint8(notOwner)
	if d < MaxWays {
		oldest = s.oldest[d]
	}
	t.use(d, isStore, f)
	switch {
	case isStore:
		t.upgrade(d, oldest)
		oldest = 0
	case oldest != notOwner:
		oldest = max(oldest, uint8(d))
	}
	s.pushDown(min(d, hole), t)
	if hole < d && d < MaxWays {
		s.tag[d], s.oldest[d] = 0, notOwner
	}
	s.tag[0], s.oldest[0] = id, oldest
}

// search is the depth of a line and of the first hole above it, MaxWays for none.
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

// pushDown moves the lines above position end, which is where a line was, a hole, or the end of the stack,
// down by one. Depth i-1 to i is eviction from the cache of i ways.
func (s *stack) pushDown(end int, t *tally) {
	if end == MaxWays {
		if s.oldest[MaxWays-1] < MaxWays {
			t.writebacks[MaxWays]++
		}
		end--
	}
	for i := end; i > 0; i-- {
		s.tag[i] = s.tag[i-1]
		s.oldest[i] = s.oldest[i-1]
		if int(s.oldest[i]) < i {
			t.writebacks[i]++
		}
	}
}

func (t *tally) use(d int, isStore bool, f found) {
	switch f {
	case foundInvalid:
		d = Invalidated
	case foundNew:
		d = Cold
	}
	t.reuse[index(isStore)][d-Invalidated]++
}

// upgrade counts a store that finds its line at depth d: present for w > d, exclusive
// for w > oldest and w > d.
func (t *tally) upgrade(d int, oldest uint8) {
	if d == MaxWays {
		return
	}
	if oldest == notOwner {
		t.upgradePlus[d]++
	} else if int(oldest) > d {
		t.upgradePlus[d]++
		t.upgradeMinus[oldest]++
	}
}

// flush turns the counts into rows, in their order, and forgets them.
func (t *tally) flush(shape int, out *rows) {
	for i, n := range t.reuse[0] {
		out.add(subjectOf(shape, reuseLoadEvent, i+Invalidated), n)
	}
	for i, n := range t.reuse[1] {
		out.add(subjectOf(shape, reuseStoreEvent, i+Invalidated), n)
	}
	for _, of := range []struct {
		event event
		count *[MaxWays + 1]uint64
	}{{supplyPlusEvent, &t.supplyPlus}, {upgradeMinusEvent, &t.upgradeMinus}, {upgradePlusEvent, &t.upgradePlus}} {
		for d, n := range of.count[:MaxWays] {
			out.add(subjectOf(shape, of.event, d), n)
		}
	}
	for d := range MaxWays {
		if more, fewer := t.writebacks[d+1], t.writebacks[d]; more < fewer {
			out.add(subjectOf(shape, writebackMinusEvent, d), fewer-more)
		}
	}
	for d := range MaxWays {
		if more, fewer := t.writebacks[d+1], t.writebacks[d]; more > fewer {
			out.add(subjectOf(shape, writebackPlusEvent, d), more-fewer)
		}
	}
	*t = tally{}
}
