package memsys

import (
	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// coherent is the private caches of all processors. A protocol keeps them coherent line by line. The interconnect
// determines the cost of the protocol's transactions.
//
// A transaction changes the caches of all processors at the moment of its request, not at the end of its waiting. So
// transactions take effect in the order of their requests. Only hits of other processors during the waiting see the
// effect early.
//
// A new line goes to an invalid way, otherwise to the least recently used one. A line that is evicted from the last
// private level leaves all of them, and is written back if memory is stale.
type coherent struct {
	protocol     coherence.Protocol
	shift        uint // log2 of the line size
	private      []privateCaches
	lines        coherence.Table
	interconnect interconnect
	onInvalidate touch.InvalidateFunc
	current      transaction // transaction
}

// transaction is a touch that the processor's own caches cannot serve.
type transaction struct {
	at        unit.Picos // of the touch: caches change at this time, which is before the lookup of all levels
	proc      trace.Proc
	line      uint64
	states    []uint8      // state of the line by processor: a slice of lines, which the transaction changes
	store     bool         // wants the line modified
	isUpgrade bool         // the processor has the line and needs only the permission to store
	supplier  int          // processor whose cache has the line exclusive, modified or owned, else -1
	stale     bool         // memory is stale: the supplier's line is modified or owned
	lost      []trace.Proc // processors that lose the line, supplier included
}

// interconnect connects caches and memory. It may take part in the protocol. An interconnect whose directory cannot
// track all copies removes some (see coherent.invalidate and removeLine). One whose directory is imprecise gives the
// first load of a line a shared copy, not an exclusive one.
type interconnect interface {
	// fetch brings the line of t to its processor.
	fetch(now unit.Picos, t *transaction) touch.Cost
	// upgrade invalidates the line of t in all other caches.
	upgrade(now unit.Picos, t *transaction) touch.Cost
	// evict is called when a line has left the caches of p, where it was in a valid state. A dirty line is written
	// back.
	evict(now unit.Picos, p trace.Proc, line uint64, state uint8)
	// flush removes a line from all caches but the private ones.
	flush(now unit.Picos, line uint64)
	// copy holds the memory of a node: see touch.System.Copy.
	copy(at unit.Picos, node int, hold unit.Picos) (begin unit.Picos)
	// usage returns the use of the interconnect so far.
	usage() touch.SharedUsage
}

// newCoherent returns empty caches of c. The caller sets the interconnect.
func newCoherent(c *Config) *coherent {
	s := &coherent{protocol: c.Protocol, shift: c.line().Shift(), lines: coherence.NewTable(c.Processors),
		onInvalidate: func(trace.Proc, touch.Invalidation) {}}
	l := c.layout()
	for p := range trace.Proc(c.Processors) {
		s.private = append(s.private, newPrivateCaches(c.node(&l, l.Of(p)).Caches))
	}
	return s
}

func (s *coherent) Line() unit.Bytes { return unit.Bytes(1) << s.shift }

func (s *coherent) Counts(p trace.Proc) touch.Counts { return s.private[p].counts }

func (s *coherent) SharedUsage() touch.SharedUsage {
	all := s.interconnect.usage()
	all.Lines = uint64(s.lines.Count)
	return all
}

func (s *coherent) OnInvalidate(onInvalidate touch.InvalidateFunc) { s.onInvalidate = onInvalidate }

func (s *coherent) Copy(at unit.Picos, node int, hold unit.Picos) unit.Picos {
	return s.interconnect.copy(at, node, hold)
}

// Drain returns at once: every touch has been waited for.
func (s *coherent) Drain(unit.Picos, trace.Proc) touch.Cost { return touch.Cost{} }

// Lookahead finds loads of lines in the first level, and stores to lines modified there.
func (s *coherent) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	c := &s.private[p]
	c.first.lookahead(&c.lookahead, s.shift, b.Addr[from:to], b.Size[from:to], b.Op[from:to])
	return c.lookahead.rows, c.lookahead.loads + c.lookahead.stores
}

// Commit touches what Lookahead has found in the first level. Lines that are the most recently used of their sets
// need no change.
func (s *coherent) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	c := &s.private[p]
	h := &c.lookahead
	if h.unmoved < h.rows {
		moved, to := from+h.unmoved, from+h.rows
		c.first.commit(s.shift, b.Addr[moved:to], b.Size[moved:to], b.Op[moved:to])
	}
	c.counts.Loads += h.loads
	c.counts.Stores += h.stores
	return h.rows - h.otherRows, true
}

// Access handles the most common case itself: a hit on the most recently used line of its set.
func (s *coherent) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	c := &s.private[p]
	set := c.first.Set(line)
	whole := line<<lru.PermissionBits | lru.MayStore
	if store {
		c.counts.Stores++
		if set[0] == whole {
			return touch.Cost{}
		}
		return s.store(now, p, c, set, line)
	}
	c.counts.Loads++
	if set[0]|lru.MayStore == whole && set[0] != 0 {
		return touch.Cost{}
	}
	return s.load(now, p, c, set, line)
}

func (s *coherent) load(now unit.Picos, p trace.Proc, c *privateCaches, set []uint64, line uint64) touch.Cost {
	if w := lru.FindCopy(set, line); w >= 0 {
		lru.ToFront(set, w, set[w])
		return touch.Cost{}
	}
	if word, level := c.lookupBelow(line); word != 0 {
		c.counts.InnerHits++
		return touch.Cost{Latency: c.latency[level]}
	}
	t := s.begin(now, p, line, false)
	countMiss(&c.counts.LoadMisses, t.states[p])
	there := coherence.StateSet(0)
	for _, state := range t.states {
		there |= 1 << (state & 7)
	}
	if there&coherence.Suppliers != 0 {
		s.supplyLoad(t)
	}
	return s.fetch(c, s.protocol.StateAfterFetch(there&coherence.Copies == 0))
}

// supplyLoad lets the cache that has the line exclusive, modified or owned, if there is one, supply it to a load.
func (s *coherent) supplyLoad(t *transaction) {
	for q, state := range t.states {
		if coherence.Suppliers.Has(state) {
			t.setSupplier(q, state)
			if next := s.protocol.StateAfterLoad(state); next != state {
				s.setState(trace.Proc(q), next)
			}
			return
		}
	}
}

func (s *coherent) store(now unit.Picos, p trace.Proc, c *privateCaches, set []uint64, line uint64) touch.Cost {
	found, level := uint64(0), 0
	if w := lru.FindCopy(set, line); w >= 0 {
		found = set[w]
		lru.ToFront(set, w, found)
	} else if found, level = c.lookupBelow(line); found != 0 {
		c.counts.InnerHits++
	}
	latency := c.latency[level]
	if lru.Stores(found) {
		return touch.Cost{Latency: latency}
	}
	t := s.begin(now, p, line, true)
	state := t.states[p]
	if found != 0 && state == coherence.Exclusive { // no other cache has it
		s.setState(p, coherence.Modified)
		return touch.Cost{Latency: latency}
	}
	t.isUpgrade = found != 0
	if !t.isUpgrade {
		countMiss(&c.counts.StoreMisses, state)
	}
	for q, state := range t.states {
		if q != int(p) && coherence.Valid(state) {
			t.setSupplier(q, state)
			s.invalidate(trace.Proc(q))
		}
	}
	if !t.isUpgrade {
		return s.fetch(c, coherence.Modified)
	}
	s.setState(p, coherence.Modified)
	cost := s.interconnect.upgrade(now+latency, t)
	cost.Latency += latency
	return cost
}

// begin begins a transaction.
func (s *coherent) begin(now unit.Picos, p trace.Proc, line uint64, store bool) *transaction {
	t := &s.current // field by field, which is faster
	t.at, t.proc, t.line, t.states = now, p, line, s.lines.Lookup(line)
	t.store, t.isUpgrade, t.supplier, t.stale, t.lost = store, false, -1, false, t.lost[:0]
	return t
}

// setSupplier makes q the supplier if the state of the line in its caches requires that.
func (t *transaction) setSupplier(q int, state uint8) {
	if state != coherence.Shared {
		t.supplier, t.stale = q, coherence.Dirty(state)
	}
}

// setState changes the state of the present line in the caches of q. It reports a downgrade.
func (s *coherent) setState(q trace.Proc, state uint8) {
	if s.current.states[q] == coherence.Modified {
		s.notifyInvalidate(q, s.current.line, true)
	}
	s.current.states[q] = state
	s.private[q].permit(s.current.line, permOf(state))
}

// notifyInvalidate reports that the present access is about to invalidate or downgrade a line of q.
func (s *coherent) notifyInvalidate(q trace.Proc, line uint64, kept bool) {
	s.onInvalidate(q, touch.Invalidation{At: s.current.at, By: s.current.proc, Line: line, Downgrade: kept})
}

// invalidate removes the present line from the caches of q.
func (s *coherent) invalidate(q trace.Proc) {
	s.current.lost = append(s.current.lost, q)
	s.removeLine(q, s.current.line, s.current.states, coherence.Invalidated)
}

// removeLine removes any line, whose states are given, from the caches of q. Interconnects use it for lines other
// than the present one. The processor of the present transaction is not notified.
func (s *coherent) removeLine(q trace.Proc, line uint64, states []uint8, why uint8) {
	if q != s.current.proc {
		s.notifyInvalidate(q, line, false)
	}
	if why == coherence.Invalidated {
		s.private[q].counts.Invalidations++
	}
	states[q] = why
	s.private[q].permit(line, 0)
}

// downgrade makes any line, whose states are given, shared in the caches of q. Memory then has its data.
func (s *coherent) downgrade(q trace.Proc, line uint64, states []uint8) {
	if states[q] == coherence.Modified && q != s.current.proc {
		s.notifyInvalidate(q, line, true)
	}
	states[q] = coherence.Shared
	s.private[q].permit(line, lru.MayLoad)
}

// fetch brings the present line into the caches c of its processor. It returns the cost.
func (s *coherent) fetch(c *privateCaches, state uint8) touch.Cost {
	t, now := &s.current, s.current.at+c.lookup
	if t.stale {
		c.counts.CacheToCache++
	}
	t.states[t.proc] = state
	cost := s.interconnect.fetch(now, t)
	cost.Latency += c.lookup
	if old := c.insert(t.line<<lru.PermissionBits | permOf(state)); old != 0 {
		states := s.lines.Lookup(old >> lru.PermissionBits)
		left := states[t.proc]
		states[t.proc] = coherence.Evicted
		if coherence.Dirty(left) {
			c.counts.WriteBacks++
		}
		s.interconnect.evict(now, t.proc, old>>lru.PermissionBits, left)
	}
	return cost
}

// countMiss counts a miss on a line by its previous state.
func countMiss(m *touch.Misses, state uint8) {
	switch state {
	case coherence.NeverCached:
		m.Cold++
	case coherence.Invalidated:
		m.Coherence++
	default:
		m.Replacement++
	}
}
