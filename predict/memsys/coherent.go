package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// coherent is the private caches of processors, which a protocol keeps coherent line by line. What
// the transactions of the protocol cost is a matter of the path between them.
//
// A transaction changes the caches of all processors at the moment of its request, not
// at the end of its waiting: transactions take effect in the order of their requests, and
// only hits of other processors during the waiting see their effect early.
//
// A new line goes to an invalid way, otherwise to the least recently used one. A line that
// leaves the last private level leaves all of them, and is written back if memory is stale.
type coherent struct {
	protocol Protocol
	shift    uint // log2 of the line size
	private  []private
	lines    lines
	path     path
	changing Changing
	now      transaction // the present one
}

// transaction is what a touch needs that its processor's caches cannot answer.
type transaction struct {
	at       unit.Picos // of the touch: when caches change, before it has been looked for in them all
	proc     trace.Proc
	line     uint64
	where    []uint8      // the line is, by processor: the table's, which the transaction changes
	store    bool         // wants the line modified
	has      bool         // the processor has the line and wants only to store to it: an upgrade
	supplier int          // processor whose cache has the line exclusive, modified or owned, else -1
	stale    bool         // memory is: the supplier's line is modified or owned
	lost     []trace.Proc // who lose the line, supplier included
}

// path is the connection of caches and memory. A path may be a party to the protocol: one whose
// directory cannot keep track of all copies takes some away (see coherent.take and drop), and one that does
// not know that nobody has a line lets the first who loads it have it shared, not exclusive.
type path interface {
	// fetch brings the line of t to its processor.
	fetch(now unit.Picos, t *transaction) Cost
	// upgrade takes the line of t from all others.
	upgrade(now unit.Picos, t *transaction) Cost
	// evict is told that a line has left the caches of p, where it was in a valid state; it is written back if that
	// is dirty.
	evict(now unit.Picos, p trace.Proc, line uint64, state uint8)
	// shared is what happened on the path so far.
	shared() Shared
}

// newCoherent is empty caches of c. The path is the caller's to set.
func newCoherent(c *Config) *coherent {
	s := &coherent{protocol: c.Protocol, shift: c.line().Shift(), lines: newLines(c.Processors),
		changing: func(trace.Proc, Change) {}}
	l := c.layout()
	for p := range trace.Proc(c.Processors) {
		s.private = append(s.private, newPrivate(c.node(&l, l.of(p)).Caches))
	}
	return s
}

func (s *coherent) Line() unit.Bytes { return unit.Bytes(1) << s.shift }

func (s *coherent) Counts(p trace.Proc) Counts { return s.private[p].counts }

func (s *coherent) Shared() Shared {
	all := s.path.shared()
	all.Lines = uint64(s.lines.count)
	return all
}

func (s *coherent) Watch(changing Changing) { s.changing = changing }

// Settle has nothing to wait for: every touch has been waited for.
func (s *coherent) Settle(unit.Picos, trace.Proc) Cost { return Cost{} }

// Hits looks for loads of lines in the first level, and stores to lines modified there.
func (s *coherent) Hits(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	c := &s.private[p]
	c.first.hits(&c.found, s.shift, b.Addr[from:to], b.Size[from:to], b.Op[from:to])
	return c.found.rows, c.found.loads + c.found.stores
}

// Make touches what Hits has found in the first level. What is the most recently used of its set stays that.
func (s *coherent) Make(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	c := &s.private[p]
	h := &c.found
	if h.still < h.rows {
		moved, to := from+h.still, from+h.rows
		c.first.touch(s.shift, b.Addr[moved:to], b.Size[moved:to], b.Op[moved:to])
	}
	c.counts.Loads += h.loads
	c.counts.Stores += h.stores
	return h.rows - h.others, true
}

// Access decides the most common case, a hit on the most recently used line of
// its set, by itself.
func (s *coherent) Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost {
	c := &s.private[p]
	set := c.first.set(line)
	whole := line<<rightBits | writable
	if store {
		c.counts.Stores++
		if set[0] == whole {
			return Cost{}
		}
		return s.store(now, p, c, set, line)
	}
	c.counts.Loads++
	if set[0]|writable == whole && set[0] != 0 {
		return Cost{}
	}
	return s.load(now, p, c, set, line)
}

func (s *coherent) load(now unit.Picos, p trace.Proc, c *private, set []uint64, line uint64) Cost {
	if w := find(set, line); w >= 0 {
		toFront(set, w, set[w])
		return Cost{}
	}
	if word, level := c.behind(line); word != 0 {
		c.counts.Behind++
		return Cost{Latency: c.latency[level]}
	}
	t := s.begin(now, p, line, false)
	c.counts.LoadMisses.count(t.where[p])
	there := states(0)
	for _, state := range t.where {
		there |= 1 << (state & 7)
	}
	if there&suppliers != 0 {
		s.supply(t)
	}
	return s.fetch(c, s.protocol.loaded(there&copies == 0))
}

// supply lets the one cache that has the line of a load not only shared supply it.
func (s *coherent) supply(t *transaction) {
	for q, state := range t.where {
		if suppliers.has(state) {
			t.supplied(q, state)
			if next := s.protocol.afterLoad(state); next != state {
				s.become(trace.Proc(q), next)
			}
			return
		}
	}
}

func (s *coherent) store(now unit.Picos, p trace.Proc, c *private, set []uint64, line uint64) Cost {
	found, level := uint64(0), 0
	if w := find(set, line); w >= 0 {
		found = set[w]
		toFront(set, w, found)
	} else if found, level = c.behind(line); found != 0 {
		c.counts.Behind++
	}
	latency := c.latency[level]
	if found&rightMask == writable {
		return Cost{Latency: latency}
	}
	t := s.begin(now, p, line, true)
	state := t.where[p]
	if found != 0 && state == exclusive { // nobody need know
		s.become(p, modified)
		return Cost{Latency: latency}
	}
	t.has = found != 0
	if !t.has {
		c.counts.StoreMisses.count(state)
	}
	for q, state := range t.where {
		if q != int(p) && valid(state) {
			t.supplied(q, state)
			s.take(trace.Proc(q))
		}
	}
	if !t.has {
		return s.fetch(c, modified)
	}
	s.become(p, modified)
	cost := s.path.upgrade(now+latency, t)
	cost.Latency += latency
	return cost
}

// begin is a new transaction.
func (s *coherent) begin(now unit.Picos, p trace.Proc, line uint64, store bool) *transaction {
	t := &s.now // field by field, which is faster
	t.at, t.proc, t.line, t.where = now, p, line, s.lines.of(line)
	t.store, t.has, t.supplier, t.stale, t.lost = store, false, -1, false, t.lost[:0]
	return t
}

// supplied books that q, in whose caches the line is in that state, supplies it if it is the one to.
func (t *transaction) supplied(q int, state uint8) {
	if state != shared {
		t.supplier, t.stale = q, dirty(state)
	}
}

// become changes the state of the present line in the caches of q, and announces a lesser right.
func (s *coherent) become(q trace.Proc, state uint8) {
	if s.now.where[q] == modified {
		s.announce(q, s.now.line, true)
	}
	s.now.where[q] = state
	s.private[q].put(s.now.line, right(state))
}

// announce says that the present access is about to take line, or only the right to store to it, from q.
func (s *coherent) announce(q trace.Proc, line uint64, kept bool) {
	s.changing(q, Change{At: s.now.at, By: s.now.proc, Line: line, Kept: kept})
}

// take takes the present line away from q.
func (s *coherent) take(q trace.Proc) {
	s.now.lost = append(s.now.lost, q)
	s.drop(q, s.now.line, s.now.where, taken)
}

// drop takes any line, which is where, out of the caches of q: for a path that deals in more than
// the present line. The present processor knows.
func (s *coherent) drop(q trace.Proc, line uint64, where []uint8, why uint8) {
	if q != s.now.proc {
		s.announce(q, line, false)
	}
	if why == taken {
		s.private[q].counts.Invalidations++
	}
	where[q] = why
	s.private[q].put(line, absent)
}

// clean makes any line, which is where, shared in the caches of q: memory has it then.
func (s *coherent) clean(q trace.Proc, line uint64, where []uint8) {
	if where[q] == modified && q != s.now.proc {
		s.announce(q, line, true)
	}
	where[q] = shared
	s.private[q].put(line, readable)
}

// fetch brings the present line to the caches c of its processor, and is the cost of that.
func (s *coherent) fetch(c *private, state uint8) Cost {
	t, now := &s.now, s.now.at+c.lookup
	if t.stale {
		c.counts.Supplies++
	}
	t.where[t.proc] = state
	cost := s.path.fetch(now, t)
	cost.Latency += c.lookup
	if old := c.insert(t.line<<rightBits | right(state)); old != 0 {
		where := s.lines.of(old >> rightBits)
		left := where[t.proc]
		where[t.proc] = evicted
		if dirty(left) {
			c.counts.WriteBacks++
		}
		s.path.evict(now, t.proc, old>>rightBits, left)
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
