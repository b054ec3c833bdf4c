package quanta

import (
	"cmp"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A countedEvent is a kind of reference or event, or a miss, that is counted.
type countedEvent int

// missEvent is a miss in the processor's cache.
const missEvent countedEvent = 0

// numEvents is the number of kinds.
const numEvents = 1 + int(trace.Flush) + int(trace.Marker)

func refEvent(op trace.Op) countedEvent { return countedEvent(op) }

func traceEvent(k trace.Kind) countedEvent { return countedEvent(trace.Flush) + countedEvent(k) }

// String returns the name of the kind: "load", "barrier".
func (k countedEvent) String() string {
	if k == missEvent {
		return "miss"
	}
	if op := trace.Op(k); op.Valid() {
		return op.String()
	}
	return trace.Kind(k - countedEvent(trace.Flush)).String()
}

// shard follows all processors through the quanta. Times are in instructions. Consecutive quanta are
// identical if they have no references and events, and if the same processors run. They are counted together.
type shard struct {
	length  uint64
	unit    trace.WorkUnit
	hasTime bool
	procs   []processorState
	running int    // number of running processors
	now     uint64 // end of the latest reference or event
	quantum uint64 // number of the open quantum
	start   uint64 // start of the open quantum, at least 0
	changed bool   // the open quantum has references or events, or its running processors changed
	sums    sums
	totals  [numEvents]uint64
	line    uint         // log2 of the line size in bytes
	used    trace.OpSet  // references that use lines of the caches
	caches  []*cache.LRU // by processor; nil: none
	samples *samples
	sampled bool // the open quantum is kept as a sample
}

// processorState is the state of a processor.
type processorState struct {
	running bool
	event   bool              // has an event in the open quantum
	clock   uint64            // end of its latest reference or event, or of its latest wait
	busy    uint64            // processing time in the open quantum, up to since
	since   uint64            // end of its latest wait
	counts  [numEvents]uint32 // in the open quantum, if it is a sample
}

func newShard(h trace.Header, length unit.Instructions, c Cache, refs trace.OpSet, samples *samples) *shard {
	s := &shard{used: cmp.Or(refs, trace.DataOps), length: uint64(length), unit: h.WorkUnit, hasTime: h.HasTime, procs: make([]processorState, h.Procs), running: h.Procs, samples: samples}
	for i := range s.procs {
		s.procs[i].running = true
		if c != (Cache{}) {
			s.line = c.Line.Shift()
			s.caches = append(s.caches, cache.NewLRU(c.Sets, c.Ways, h.Procs))
		}
	}
	s.sampled = samples.selects(0)
	return s
}

// Add processes the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	switch time := uint64(p.Time); {
	case p.Event != nil:
		s.advance(time)
		s.event(p.Proc, p.Event.Kind)
	case p.Refs.Len() > 0:
		s.refs(p)
		s.now = time
	default:
		s.advance(time)
		s.stop(p.Proc)
	}
	return nil
}

// refs processes references, one quantum after the other.
func (s *shard) refs(p *analysis.Chunk) {
	for i := 0; i < len(p.RefProcs); {
		j, next := s.nextQuantum(p, i)
		if j > i {
			s.changed = true
			s.tally(p.RefProcs[i:j], p.Refs.Op[i:j])
			s.lookUpAll(p, i, j)
		}
		if i = j; i < len(p.RefProcs) {
			s.advance(next)
		}
	}
}

// nextQuantum returns the index of the first reference, from i on, that is not in the open quantum, and the
// end of that reference.
func (s *shard) nextQuantum(p *analysis.Chunk, i int) (j int, next uint64) {
	end, instr := s.start+s.length, p.Refs.Instr
	if len(s.procs) == 1 {
		q := &s.procs[0]
		n, executed := analysis.PrefixWithin(instr[i:], end-q.clock)
		q.clock += executed
		if i += n; i < len(instr) {
			next = q.clock + uint64(instr[i])
		}
		return i, next
	}
	for of := p.RefProcs[:len(instr)]; i < len(instr); i++ {
		q := &s.procs[of[i]]
		if next = q.clock + uint64(instr[i]); next > end {
			break
		}
		q.clock = next
	}
	return i, next
}

// digit is the number of bits of each count in the word of counts by operation.
const digit = 64 / uint(trace.Flush)

// ones has a one in the digit of each operation.
var ones = [8]uint64{trace.Load: 1, trace.Store: 1 << digit, trace.Ifetch: 1 << (2 * digit), trace.Prefetch: 1 << (3 * digit), trace.Flush: 1 << (4 * digit)}

// tally counts references of the open quantum by operation. It counts many references at once in the digits
// of one word.
func (s *shard) tally(procs []trace.Proc, ops []trace.Op) {
	for part := range slices.Chunk(ops, 1<<digit-1) {
		sum := uint64(0)
		for _, op := range part {
			sum += ones[op&7]
		}
		for op := trace.Load; op <= trace.Flush; op++ {
			n := sum >> (uint(op-trace.Load) * digit) & (1<<digit - 1)
			s.totals[refEvent(op)] += n
			if s.sampled && len(s.procs) == 1 {
				s.procs[0].counts[refEvent(op)] += uint32(n)
			}
		}
	}
	if s.sampled && len(s.procs) > 1 {
		for i, op := range ops {
			s.procs[procs[i]].counts[refEvent(op)]++
		}
	}
}

func (s *shard) count(q *processorState, k countedEvent, n uint64) {
	s.totals[k] += n
	if s.sampled {
		q.counts[k] += uint32(n)
	}
}

// lookUpAll simulates the caches of the processors for the loads and stores from index from up to index to.
func (s *shard) lookUpAll(p *analysis.Chunk, from, to int) {
	if s.caches == nil {
		return
	}
	if p.Moves != 0 {
		s.moveAll(p, from, to)
		return
	}
	for i := from; i < to; i++ {
		if s.used.Has(p.Refs.Op[i]) {
			s.lookUp(p.RefProcs[i], p.Refs.Addr[i], p.Refs.Size[i])
		}
	}
}

// moveAll simulates prefetches, which count no misses, or flushes, which remove lines from all caches.
func (s *shard) moveAll(p *analysis.Chunk, from, to int) {
	for i := from; i < to; i++ {
		last := (p.Refs.Addr[i] + uint64(p.Refs.Size[i]) - 1) >> s.line
		for line := p.Refs.Addr[i] >> s.line; ; line++ {
			if p.Moves == trace.Prefetch {
				s.caches[p.RefProcs[i]].Misses([]uint64{line})
			} else {
				for _, c := range s.caches {
					c.Drop(line)
				}
			}
			if line == last {
				break
			}
		}
	}
}

// lookUp simulates the cache of p for every line of a load or store, in order.
func (s *shard) lookUp(p trace.Proc, addr uint64, size uint16) {
	var one [1]uint64
	last := (addr + uint64(size) - 1) >> s.line
	for one[0] = addr >> s.line; ; one[0]++ {
		s.count(&s.procs[p], missEvent, s.caches[p].Misses(one[:]))
		if one[0] == last {
			return
		}
	}
}

// event processes an event of p. If p waited, it resumes.
func (s *shard) event(p trace.Proc, k trace.Kind) {
	q := &s.procs[p]
	s.changed, q.event, q.clock = true, true, s.now
	if !q.running {
		q.running, q.since = true, s.now
		s.running++
	}
	s.count(q, traceEvent(k), 1)
}

func (s *shard) stop(p trace.Proc) {
	q := &s.procs[p]
	if !q.running {
		return
	}
	s.changed = true
	q.busy += s.now - max(q.since, s.start)
	q.running = false
	s.running--
}

// advance moves to a time. It stays in the open quantum if the time is at its end.
func (s *shard) advance(time uint64) {
	for time-s.start > s.length {
		if !s.changed {
			s.skipIdentical((time - s.start - 1) / s.length)
		} else {
			s.closeAt(s.start + s.length)
		}
		s.sampled = s.samples.selects(s.quantum)
	}
	s.now = time
}

// skipIdentical counts n quanta, from the open one on, in which the running processors do nothing else.
func (s *shard) skipIdentical(n uint64) {
	s.sums.addIdentical(n, s.length, uint64(s.running))
	for q := s.samples.nextSelected(s.quantum); q < s.quantum+n; q = s.samples.nextSelected(q + 1) {
		s.samples.add(q, s.procs, func(p *processorState) uint64 {
			if p.running {
				return s.length
			}
			return 0
		})
	}
	s.quantum += n
	s.start += n * s.length
}

// closeAt ends the open quantum at a time.
func (s *shard) closeAt(end uint64) {
	var q quantumTotals
	for i := range s.procs {
		p := &s.procs[i]
		if p.running {
			p.busy += end - max(p.since, s.start)
		}
		q.add(p.busy, p.event)
	}
	s.sums.add(&q)
	if s.sampled {
		s.samples.add(s.quantum, s.procs, func(p *processorState) uint64 { return p.busy })
	}
	for i := range s.procs {
		p := &s.procs[i]
		p.busy, p.event = 0, false
		if s.sampled {
			p.counts = [numEvents]uint32{}
		}
	}
	s.changed = false
	s.quantum++
	s.start = end
}

// End closes the last quantum.
func (s *shard) End() error {
	if s.now > s.start {
		s.closeAt(s.now)
	}
	s.procs, s.caches = nil, nil
	return nil
}
