package memsys

import (
	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// sharedCache is a last level of cache that all processors share, on the memory's bus. It stores lines that are
// fetched from memory, and stale lines that private caches evict. Private caches may have lines that it does not
// have: it is neither inclusive nor exclusive. It knows the copies in private caches. A line that another processor
// has modified comes through it, in its latency, and it stores the line where memory would. An upgrade goes through
// it too, and takes Memory.Invalidate. Only accesses to memory use the bus.
//
// Differs: the ports of the shared cache, and the rings or meshes that lead to it, have unlimited bandwidth.
type sharedCache struct {
	bus     *busInterconnect
	cache   cache
	latency unit.Picos // of a hit, added to that of the private levels
}

func (s *sharedCache) fetch(now unit.Picos, t *transaction) touch.Cost {
	set := s.cache.Set(t.line)
	w := lru.FindCopy(set, t.line)
	switch {
	case t.stale:
		if !t.store && !s.bus.caches.protocol.Owned { // the supplier keeps it clean
			s.put(now+s.latency, t.line, lru.MayStore)
		}
	case w >= 0:
		lru.ToFront(set, w, set[w])
	default:
		cost := s.bus.fetch(now+s.latency, t)
		cost.Latency += s.latency
		s.put(now+s.latency, t.line, lru.MayLoad)
		return cost
	}
	s.bus.caches.private[t.proc].counts.SharedHits++
	return touch.Cost{Latency: s.latency}
}

// put puts a line into the cache at now, with MayStore if memory is stale and MayLoad if it is not. A stale line
// that it evicts goes to memory; that write is posted.
func (s *sharedCache) put(now unit.Picos, line, right uint64) {
	set := s.cache.Set(line)
	w := lru.FindCopy(set, line)
	if w < 0 {
		w = lru.Victim(set)
		if lru.Stores(set[w]) {
			s.bus.bus.acquirePosted(now, s.bus.Occupancy)
		}
	}
	lru.ToFront(set, w, line<<lru.PermissionBits|right)
}

func (s *sharedCache) upgrade(_ unit.Picos, t *transaction) touch.Cost {
	if len(s.bus.caches.private) == 1 {
		return touch.Cost{}
	}
	s.bus.caches.private[t.proc].counts.Upgrades++
	return touch.Cost{Latency: s.bus.Invalidate}
}

func (s *sharedCache) evict(now unit.Picos, _ trace.Proc, line uint64, state uint8) {
	if coherence.Dirty(state) {
		s.put(now+s.latency, line, lru.MayStore)
	}
}

func (s *sharedCache) copy(at unit.Picos, node int, hold unit.Picos) unit.Picos {
	return s.bus.copy(at, node, hold)
}

func (s *sharedCache) usage() touch.SharedUsage { return s.bus.usage() }
