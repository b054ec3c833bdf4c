package memsys

import (
	"slices"

	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Flush removes a line from the caches of all processors, and writes it back if memory is stale. The next miss on it
// counts as a replacement. No processor waits for that.
//
// Differs: only write-backs use the bus or the network. The request to flush does not.
func (s *coherent) Flush(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	states := s.lines.Get(line)
	if states == nil {
		return touch.Cost{}
	}
	s.current.at, s.current.proc = now, p
	for q, state := range states {
		if coherence.Valid(state) {
			s.flushFrom(now, trace.Proc(q), line, states, state)
		}
	}
	s.interconnect.flush(now, line)
	return touch.Cost{}
}

// flushFrom removes a line, which is in a valid state there, from the caches of q.
func (s *coherent) flushFrom(now unit.Picos, q trace.Proc, line uint64, states []uint8, state uint8) {
	s.removeLine(q, line, states, coherence.Evicted)
	if coherence.Dirty(state) {
		s.private[q].counts.WriteBacks++
	}
	s.interconnect.evict(now, q, line, state)
}

// flush does nothing: there are no caches but the private ones.
func (b *busInterconnect) flush(unit.Picos, uint64) {}

// flush removes a line from the shared cache. A stale line goes to memory.
func (s *sharedCache) flush(now unit.Picos, line uint64) {
	set := s.cache.Set(line)
	w := lru.FindCopy(set, line)
	if w < 0 {
		return
	}
	if lru.Stores(set[w]) {
		s.bus.bus.acquirePosted(now+s.latency, s.bus.Occupancy)
	}
	set[w] = 0
}

// flush does nothing: memories keep their blocks.
func (n *nodes) flush(unit.Picos, uint64) {}

// Flush does nothing: there are no caches.
func (s *logp) Flush(unit.Picos, trace.Proc, uint64) touch.Cost { return touch.Cost{} }

// HasCaches returns true.
func (s *coherent) HasCaches() bool { return true }

// HasCaches returns false.
func (s *logp) HasCaches() bool { return false }

// isPrivate reports whether an operation changes caches in the order of simulated time only if it misses.
func isPrivate(op trace.Op) bool { return op != trace.Prefetch && op != trace.Flush }

// rowsBeforeOrdered returns how many of some operations come before the first prefetch or flush.
func rowsBeforeOrdered(ops []trace.Op) int {
	if i := slices.IndexFunc(ops, func(op trace.Op) bool { return !isPrivate(op) }); i >= 0 {
		return i
	}
	return len(ops)
}
