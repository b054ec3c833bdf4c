package cache

import (
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// move simulates a chunk of prefetches or flushes. Nothing here is fast: most traces have none.
func (h *hierarchy) move(p *analysis.Chunk) error {
	if p.Moves == trace.Prefetch {
		return h.prefetch(p)
	}
	for _, f := range h.feeds {
		uses, err := f.uses(p)
		if err != nil {
			return err
		}
		f.settle()
		if !f.ports[0].level.description.TLB {
			f.flushRefs(h, &p.Refs, uses)
		}
	}
	return h.failed()
}

// settle simulates all uses so far, after which lines may leave the levels.
func (f *feed) settle() {
	f.flush()
	for i := range f.ports {
		f.ports[i].last = empty
	}
}

// prefetch simulates prefetches as loads, and then counts them apart.
func (h *hierarchy) prefetch(p *analysis.Chunk) error {
	loads := *p
	loads.Refs.Op = slices.Repeat([]trace.Op{trace.Load}, p.Refs.Len())
	for _, f := range h.feeds {
		f.flush()
	}
	before := h.startPrefetch()
	for _, f := range h.feeds {
		uses, err := f.uses(p)
		if err != nil {
			return err
		}
		if uses == nil {
			f.add(&loads.Refs, p.RefProcs)
		} else {
			f.addUses(loads.Refs.Op, uses)
		}
		f.flush()
	}
	h.endPrefetch(before)
	return h.failed()
}

// startPrefetch returns the counts of all levels before prefetches.
func (h *hierarchy) startPrefetch() (before []Counts) {
	for _, instances := range h.of {
		for _, l := range instances {
			before = append(before, l.Counts)
			if l.record != nil {
				l.record.prefetching = true
			}
		}
	}
	return before
}

// endPrefetch counts the uses and misses since then as those of prefetches. They have no causes.
func (h *hierarchy) endPrefetch(before []Counts) {
	i := 0
	for _, instances := range h.of {
		for _, l := range instances {
			l.Counts.prefetched(&before[i])
			i++
			if l.record != nil {
				l.record.prefetching = false
			}
		}
	}
}

// prefetched counts the uses and misses since an earlier time as those of prefetches.
func (c *Counts) prefetched(since *Counts) {
	c.Prefetches += total(c.Uses) - total(since.Uses)
	c.PrefetchFills += total(c.Misses) - total(since.Misses)
	c.Uses, c.Misses, c.Split = since.Uses, since.Misses, since.Split
	c.Compulsory, c.Capacity, c.Conflict, c.FullMisses = since.Compulsory, since.Capacity, since.Conflict, since.FullMisses
}

// flushRefs removes the lines of flushes from all levels of the feed, of all processors.
func (f *feed) flushRefs(h *hierarchy, refs *trace.Refs, uses *lines.Uses) {
	var places map[uint64]uint32 // that other analyses use
	if uses != nil {
		f.ports[0].level.numbered().reach(uses.Room)
		places = map[uint64]uint32{}
		for i, line := range uses.Lines {
			places[line] = uses.Places[i]
		}
	}
	for i, addr := range refs.Addr {
		for _, instances := range h.of {
			for _, l := range instances {
				if !l.description.TLB {
					f.flushRange(l, addr, addr+uint64(refs.Size[i])-1, places)
				}
			}
		}
	}
}

// flushRange removes the lines of a level that contain the bytes from first to last.
func (f *feed) flushRange(l *level, first, last uint64, places map[uint64]uint32) {
	for line := first >> l.shift; ; line++ {
		if l.flushLine(line, f.placeAt(l, line, places)) {
			f.writeFlushed(l, line, places)
		}
		if line == last>>l.shift {
			return
		}
	}
}

// placeAt returns the number of a line at a level, or 0 if the level needs none.
func (f *feed) placeAt(l *level, line uint64, places map[uint64]uint32) uint32 {
	switch {
	case l.numbered() == nil:
		return 0
	case !l.handed:
		return l.numbered().of(line)
	case places != nil:
		return places[line]
	}
	return f.ports[0].level.numbered().of(line)
}

// writeFlushed writes a dirty line that a level lost to the first level below that has it, or to
// memory. These levels lose it next.
func (f *feed) writeFlushed(from *level, line uint64, places map[uint64]uint32) {
	addr := line << from.shift
	for l := from.next; l != nil; l = l.next {
		if l.classifiedLRU == nil {
			if l.keepsWriteback(addr, from.shift) {
				return
			}
		} else if below := addr >> l.shift; l.classifiedLRU.markPresent(f.placeAt(l, below, places)) {
			return
		}
		l.Passed += 1 << from.shift
	}
}

// flushLine removes a line from a level, and reports whether it was dirty.
func (l *level) flushLine(line uint64, place uint32) (dirty bool) {
	k := empty
	switch {
	case l.classifiedLRU != nil:
		k = l.classifiedLRU.drop(line, place)
	case l.array != nil:
		k = l.array.drop(line)
	}
	l.classes.flush(place)
	if l.record != nil {
		l.record.drop(line)
	}
	if k == empty {
		return false
	}
	l.Flushed++
	if l.inclusive && l.invalidateAbove(line<<l.shift) {
		k |= 1
	}
	l.Writebacks += k & 1
	return k&1 != 0
}

// flush removes a line from the fully associative cache.
func (c *classes) flush(place uint32) {
	if c != nil && c.full != nil {
		c.reach()
		c.full.drop(place)
	}
}

// drop removes a line from both caches. It returns the key, or empty if the set did not have it.
func (c *classifiedLRU) drop(line uint64, at uint32) key {
	c.lines = lines.Extend(c.lines, c.places.room)
	x := &c.lines[at]
	if x.used >= firstMoment {
		c.latest[x.used>>6] &^= 1 << (x.used & 63)
		if x.used >= c.oldest {
			c.room++
		}
		x.used = flushed
	}
	if x.way == 0 {
		return empty
	}
	k := line<<1 | key(x.way&1)
	way := uint64(x.way >> 1)
	c.held[way], x.way = 0, 0
	order := &c.orders[way>>c.logWay-1]
	*order = toBack(*order, place(*order, int(way&(1<<c.logWay-1))), c.last)
	return k
}

// markPresent makes a line of the set dirty, and reports whether the set has it.
func (c *classifiedLRU) markPresent(at uint32) bool {
	c.lines = lines.Extend(c.lines, c.places.room)
	x := &c.lines[at]
	if x.way == 0 {
		return false
	}
	c.mark(x, at)
	return true
}
