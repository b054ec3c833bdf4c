package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// SMP is a symmetric multiprocessor: one private set-associative LRU write-back
// cache for each processor, kept coherent by snooping on one memory bus with a
// three-state write-invalidate protocol (invalid, shared, exclusive = modified)
// [du2000, sec. 4.1].
//
// A load miss fetches the line shared, a store miss exclusive. A store to a
// shared line is an upgrade: an address-only transaction that invalidates all
// other copies. A modified line in another cache is supplied by its owner while
// memory takes it too, in the time of a memory access. The bus serves requests
// first come, first served, ties by processor: a request waits until the bus is
// free (contention) and then takes Config.Latency, or Config.Invalidate for an
// upgrade; it holds the bus for Config.Occupancy or Config.Invalidate. A new line
// goes to an invalid way, otherwise to the least recently used one, and a
// modified victim is written back: it holds the bus for another Config.Occupancy
// after the miss, which nobody waits for who does not need the bus.
//
// The caches of all processors change at the moment of the request, not at the
// end of its waiting: transactions take effect in the order the bus serves them
// in, and only hits of other processors during the waiting see their effect
// early.
//
// Differs: with one processor there is nobody to invalidate, and a store to a
// shared line costs nothing. Paging to the disks behind the memory is not
// simulated.
type SMP struct{}

var _ Target = SMP{}

// Name is "smp".
func (SMP) Name() string { return "smp" }

// New is an SMP with empty caches.
func (SMP) New(c Config) (System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &smp{Config: c, shift: c.Line.Shift(), caches: make([]smpCache, c.Processors),
		lines: newLines(c.Processors), changing: func(trace.Proc, unit.Picos, trace.Proc) {}}
	for p := range s.caches {
		s.caches[p].cache = newCache(c)
	}
	return s, nil
}

type smp struct {
	Config
	shift    uint // log2 of the line size
	caches   []smpCache
	lines    lines
	bus      bus
	changing Changing
}

type smpCache struct {
	cache
	counts Counts
}

func (s *smp) Line() unit.Bytes { return s.Config.Line }

func (s *smp) Counts(p trace.Proc) Counts { return s.caches[p].counts }

func (s *smp) Shared() Shared {
	return Shared{Busy: s.bus.busy, End: s.bus.free, Lines: uint64(s.lines.count)}
}

func (s *smp) Watch(changing Changing) { s.changing = changing }

// Hits looks for loads of lines held and stores to lines held modified.
func (s *smp) Hits(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	return s.caches[p].hits(s.shift, b.Addr[from:to], b.Size[from:to], b.Op[from:to])
}

// Access decides the most common case, a hit on the most recently used line of
// its set, by itself.
func (s *smp) Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost {
	c := &s.caches[p]
	set := c.set(line)
	whole := line<<stateBits | modified
	if store {
		c.counts.Stores++
		if set[0] == whole {
			return Cost{}
		}
		return s.store(now, p, c, set, line)
	}
	c.counts.Loads++
	if set[0]|modified == whole && set[0] != 0 {
		return Cost{}
	}
	return s.load(now, p, c, set, line)
}

func (s *smp) load(now unit.Picos, p trace.Proc, c *smpCache, set []uint64, line uint64) Cost {
	if w := find(set, line); w >= 0 {
		toFront(set, w, set[w])
		return Cost{}
	}
	where := s.lines.of(line)
	c.counts.LoadMisses.count(where[p])
	for q, state := range where {
		if state == modified { // its owner supplies it, and memory takes it too
			s.changing(trace.Proc(q), now, p)
			c.counts.Supplies++
			where[q] = shared
			s.caches[q].put(line, shared)
		}
	}
	where[p] = shared
	return s.fetch(now, p, c, set, line<<stateBits|shared)
}

func (s *smp) store(now unit.Picos, p trace.Proc, c *smpCache, set []uint64, line uint64) Cost {
	word := line<<stateBits | modified
	w := find(set, line)
	if w >= 0 && set[w] == word {
		toFront(set, w, word)
		return Cost{}
	}
	where := s.lines.of(line)
	if w < 0 {
		c.counts.StoreMisses.count(where[p])
	}
	for q, state := range where {
		if q == int(p) || (state != shared && state != modified) {
			continue
		}
		s.changing(trace.Proc(q), now, p)
		if state == modified {
			c.counts.Supplies++
		}
		where[q] = taken
		s.caches[q].put(line, invalid)
		s.caches[q].counts.Invalidations++
	}
	where[p] = modified
	if w < 0 {
		return s.fetch(now, p, c, set, word)
	}
	toFront(set, w, word)
	return s.upgrade(now, c)
}

// upgrade is the cost of making a shared line exclusive.
func (s *smp) upgrade(now unit.Picos, c *smpCache) Cost {
	if s.Processors == 1 {
		return Cost{}
	}
	c.counts.Upgrades++
	return Cost{Contention: s.bus.take(now, s.Invalidate), Latency: s.Invalidate}
}

// fetch brings the line of word into set and is the cost of that.
func (s *smp) fetch(now unit.Picos, p trace.Proc, c *smpCache, set []uint64, word uint64) Cost {
	cost := Cost{Contention: s.bus.take(now, s.Occupancy), Latency: s.Latency}
	w := victim(set)
	old := set[w]
	toFront(set, w, word)
	if old == 0 {
		return cost
	}
	s.lines.of(old >> stateBits)[p] = evicted
	if old&stateMask == modified {
		c.counts.WriteBacks++
		s.bus.extend(s.Occupancy)
	}
	return cost
}

// count books a miss on a line that was last seen as where.
func (m *Misses) count(where uint8) {
	switch where {
	case never:
		m.Cold++
	case taken:
		m.Coherence++
	default:
		m.Replacement++
	}
}
