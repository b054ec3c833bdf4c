package quanta

import (
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A happening is what is counted by kind: the operation of a reference, an event, or a miss.
type happening int

// miss is one in the processor's cache.
const miss happening = 0

// kinds is how many there are.
const kinds = 1 + int(trace.Flush) + int(trace.Marker)

func ofRef(op trace.Op) happening { return happening(op) }

func ofEvent(k trace.Kind) happening { return happening(trace.Flush) + happening(k) }

// String names the kind: "load", "barrier".
func (k happening) String() string {
	if k == miss {
		return "miss"
	}
	if op := trace.Op(k); op.Valid() {
		return op.String()
	}
	return trace.Kind(k - happening(trace.Flush)).String()
}

// shard follows all processors through one quantum after the other. Times are in
// instructions. Between changes of who is running, and without references and events,
// quanta are all alike, and are counted without looking at each.
type shard struct {
	length  uint64
	unit    trace.WorkUnit
	hasTime bool
	procs   []progress
	running int    // how many are
	now     uint64 // when the latest item ended
	quantum uint64 // the number of the open one,
	start   uint64 // when it begins, not before quantum 0
	touched bool   // something happened in the open quantum, or who is running changed
	sums    sums
	totals  [kinds]uint64
	line    uint         // log2 of the bytes of a line
	caches  []*cache.LRU // by processor, if there are any
	samples *samples
	keep    bool // the open quantum is a sample
}

// progress is where a processor is.
type progress struct {
	running bool
	event   bool          // in the open quantum
	clock   uint64        // when its latest item ended, or it went on
	busy    uint64        // in the open quantum, up to since
	since   uint64        // when it went on
	counts  [kinds]uint32 // in the open quantum, if that is a sample
}

func newShard(h trace.Header, length unit.Instructions, c Cache, samples *samples) *shard {
	s := &shard{length: uint64(length), unit: h.WorkUnit, hasTime: h.HasTime, procs: make([]progress, h.Procs), running: h.Procs, samples: samples}
	for i := range s.procs {
		s.procs[i].running = true
		if c != (Cache{}) {
			s.line = c.Line.Shift()
			s.caches = append(s.caches, cache.NewLRU(c.Sets, c.Ways, h.Procs))
		}
	}
	s.keep = samples.wants(0)
	return s
}

// Add sees the next piece of the interleaved order.
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

// refs takes references, those of one quantum after the other.
func (s *shard) refs(p *analysis.Chunk) {
	for i := 0; i < len(p.RefProcs); {
		j, next := s.within(p, i)
		if j > i {
			s.touched = true
			s.tally(p.RefProcs[i:j], p.Refs.Op[i:j])
			s.lookUpAll(p, i, j)
		}
		if i = j; i < len(p.RefProcs) {
			s.advance(next)
		}
	}
}

// within is the index of the first reference from i on that is not in the open quantum, and when that ends.
func (s *shard) within(p *analysis.Chunk, i int) (j int, next uint64) {
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

// digit is how long the digits of numbers are that count operations.
const digit = 64 / uint(trace.Flush)

// ones is a one in the digit of each operation.
var ones = [8]uint64{trace.Load: 1, trace.Store: 1 << digit, trace.Ifetch: 1 << (2 * digit), trace.Prefetch: 1 << (3 * digit), trace.Flush: 1 << (4 * digit)}

// tally counts references of the open quantum by operation: of many, in the digits of one number.
func (s *shard) tally(of []trace.Proc, ops []trace.Op) {
	for some := range slices.Chunk(ops, 1<<digit-1) {
		sum := uint64(0)
		for _, op := range some {
			sum += ones[op&7]
		}
		for op := trace.Load; op <= trace.Flush; op++ {
			n := sum >> (uint(op-trace.Load) * digit) & (1<<digit - 1)
			s.totals[ofRef(op)] += n
			if s.keep && len(s.procs) == 1 {
				s.procs[0].counts[ofRef(op)] += uint32(n)
			}
		}
	}
	if s.keep && len(s.procs) > 1 {
		for i, op := range ops {
			s.procs[of[i]].counts[ofRef(op)]++
		}
	}
}

func (s *shard) count(q *progress, k happening, n uint64) {
	s.totals[k] += n
	if s.keep {
		q.counts[k] += uint32(n)
	}
}

// lookUpAll sends the loads and stores from index from up to index to through the caches of their processors, if there are any.
func (s *shard) lookUpAll(p *analysis.Chunk, from, to int) {
	if s.caches == nil {
		return
	}
	for i := from; i < to; i++ {
		if p.Refs.Op[i].Data() {
			s.lookUp(p.RefProcs[i], p.Refs.Addr[i], p.Refs.Size[i])
		}
	}
}

// lookUp sends a load or store of p through its cache, every line of it, in order.
func (s *shard) lookUp(p trace.Proc, addr uint64, size uint16) {
	var one [1]uint64
	last := (addr + uint64(size) - 1) >> s.line
	for one[0] = addr >> s.line; ; one[0]++ {
		s.count(&s.procs[p], miss, s.caches[p].Misses(one[:]))
		if one[0] == last {
			return
		}
	}
}

// event is one of p, which goes on if it has waited.
func (s *shard) event(p trace.Proc, k trace.Kind) {
	q := &s.procs[p]
	s.touched, q.event, q.clock = true, true, s.now
	if !q.running {
		q.running, q.since = true, s.now
		s.running++
	}
	s.count(q, ofEvent(k), 1)
}

func (s *shard) stop(p trace.Proc) {
	q := &s.procs[p]
	if !q.running {
		return
	}
	s.touched = true
	q.busy += s.now - max(q.since, s.start)
	q.running = false
	s.running--
}

// advance goes to a time, which stays within the open quantum, its end included.
func (s *shard) advance(time uint64) {
	for time-s.start > s.length {
		if !s.touched {
			s.alike((time - s.start - 1) / s.length)
		} else {
			s.closeAt(s.start + s.length)
		}
		s.keep = s.samples.wants(s.quantum)
	}
	s.now = time
}

// alike counts n quanta, from the open one on, in which those who run do nothing else.
func (s *shard) alike(n uint64) {
	s.sums.alike(n, s.length, uint64(s.running))
	for q := s.samples.next(s.quantum); q < s.quantum+n; q = s.samples.next(q + 1) {
		s.samples.add(q, s.procs, func(p *progress) uint64 {
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
	var q quantum
	for i := range s.procs {
		p := &s.procs[i]
		if p.running {
			p.busy += end - max(p.since, s.start)
		}
		q.add(p.busy, p.event)
	}
	s.sums.add(&q)
	if s.keep {
		s.samples.add(s.quantum, s.procs, func(p *progress) uint64 { return p.busy })
	}
	for i := range s.procs {
		p := &s.procs[i]
		p.busy, p.event = 0, false
		if s.keep {
			p.counts = [kinds]uint32{}
		}
	}
	s.touched = false
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
