package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// sharedPath is a last level of cache that all processors share, on the memory's bus. It takes what is
// fetched from memory, and the stale lines that leave private caches; private caches may have lines that
// it has not (it neither includes nor excludes them). It knows who has what: a line that another processor
// has modified comes through it, in its latency, and it takes the line where memory would. An upgrade goes
// through it too, and takes Memory.Invalidate. Only what goes to memory uses the bus.
//
// Differs: the ports of the shared cache and the rings or meshes that lead to it have room for everybody at
// once.
type sharedCache struct {
	bus     *busInterconnect
	cache   cache
	latency unit.Picos // of a line that is found here, beyond the private levels
}

func (s *sharedCache) fetch(now unit.Picos, t *transaction) Cost {
	set := s.cache.set(t.line)
	w := find(set, t.line)
	switch {
	case t.stale:
		if !t.store && !s.bus.caches.protocol.Owned { // who supplies it keeps it clean
			s.put(now+s.latency, t.line, permWrite)
		}
	case w >= 0:
		toFront(set, w, set[w])
	default:
		cost := s.bus.fetch(now+s.latency, t)
		cost.Latency += s.latency
		s.put(now+s.latency, t.line, permRead)
		return cost
	}
	s.bus.caches.private[t.proc].counts.SharedHits++
	return Cost{Latency: s.latency}
}

// put puts a line into the cache at now: writable if memory is stale, readable if it is not. A stale line
// that it pushes out goes to memory, which nobody waits for.
func (s *sharedCache) put(now unit.Picos, line, right uint64) {
	set := s.cache.set(line)
	w := find(set, line)
	if w < 0 {
		w = victim(set)
		if set[w]&permMask == permWrite {
			s.bus.bus.acquirePosted(now, s.bus.Occupancy)
		}
	}
	toFront(set, w, line<<permBits|right)
}

func (s *sharedCache) upgrade(_ unit.Picos, t *transaction) Cost {
	if len(s.bus.caches.private) == 1 {
		return Cost{}
	}
	s.bus.caches.private[t.proc].counts.Upgrades++
	return Cost{Latency: s.bus.Invalidate}
}

func (s *sharedCache) evict(now unit.Picos, _ trace.Proc, line uint64, state uint8) {
	if dirty(state) {
		s.put(now+s.latency, line, permWrite)
	}
}

func (s *sharedCache) usage() SharedUsage { return s.bus.usage() }
