package sharing

import (
	"math/bits"

	"spoor/traces/trace"
)

// usage counts how a processor uses an array.
type usage struct {
	loads, stores      uint64 // of lines
	words, sharedWords uint64 // accesses
}

func (u *usage) add(isStore bool) {
	if isStore {
		u.stores++
	} else {
		u.loads++
	}
}

// counts holds all counts of a processor for an array.
type counts struct {
	usage
	sharedUses                uint64 // uses of lines that other processors use
	pure, coldTrue, coldFalse uint64
	trues, falses             uint64
	flushed                   uint64 // misses of flushed lines
	fills                     uint64 // lines that prefetches fetch
	upgrades, silent          uint64 // stores that hit a line of which others have a copy, or not
}

func (c *counts) cold() uint64   { return c.pure + c.coldTrue + c.coldFalse }
func (c *counts) misses() uint64 { return c.cold() + c.trues + c.falses + c.flushed }
func (c *counts) uses() uint64   { return c.loads + c.stores }

func (c *counts) add(d *counts) {
	c.use(d.usage, d.sharedUses)
	c.pure += d.pure
	c.coldTrue += d.coldTrue
	c.coldFalse += d.coldFalse
	c.trues += d.trues
	c.falses += d.falses
	c.flushed += d.flushed
	c.fills += d.fills
	c.upgrades += d.upgrades
	c.silent += d.silent
}

func (c *counts) use(u usage, shared uint64) {
	c.loads += u.loads
	c.stores += u.stores
	c.words += u.words
	c.sharedWords += u.sharedWords
	c.sharedUses += shared
}

// regionTally holds counts by processor. It is allocated when the array is first used.
type regionTally []counts

func (s *simulation) tally(region, proc int32) *counts {
	if s.tallies[region] == nil {
		s.tallies[region] = make(regionTally, len(s.phases.at))
	}
	return &s.tallies[region][proc]
}

// total returns the sum over all arrays for a processor.
func (s *simulation) total(proc int) (sum counts) {
	for _, t := range s.tallies {
		if t != nil {
			sum.add(&t[proc])
		}
	}
	return sum
}

// uses returns the number of all uses.
func (s *simulation) uses() (n uint64) {
	for p := range s.phases.at {
		sum := s.total(p)
		n += sum.uses()
	}
	return n
}

// addUp adds the uses of a line's sharers to those of their processors. A word is shared if several
// processors have accessed it.
func (s *simulation) addUp(l *line) {
	clear(s.users)
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		for w, n := range s.copies.accesses(id) {
			if n > 0 {
				s.users[w]++
			}
		}
	}
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		if l.region == mixed {
			s.addMixed(l, id)
			continue
		}
		n := s.copies.uses(id)
		u := usage{loads: n[0], stores: n[1]}
		for w, n := range s.copies.accesses(id) {
			u.words += n
			if s.users[w] > 1 {
				u.sharedWords += n
			}
		}
		s.addUsage(l, l.region, s.sharers[id].proc, u)
	}
}

// addMixed is addUp for a sharer of a line with parts in several regions.
func (s *simulation) addMixed(l *line, id uint32) {
	for w, n := range s.copies.accesses(id) {
		if s.users[w] > 1 {
			key := splitKey{id, s.regions.at(s.addr(s.copies.line(id), w))}
			u := s.split[key]
			u.sharedWords += n
			s.split[key] = u
		}
	}
	base := l.number << s.lineShift
	for _, region := range s.regions.all(base, base+uint64(s.line)-1) {
		if u, ok := s.split[splitKey{id, region}]; ok {
			s.addUsage(l, region, s.sharers[id].proc, u)
		}
	}
}

// addUsage adds a processor's usage of a line to its usage of an array.
func (s *simulation) addUsage(l *line, region, proc int32, u usage) {
	shared := uint64(0)
	if l.shared != 0 {
		shared = u.loads + u.stores
	}
	s.tally(region, proc).use(u, shared)
}

// flow counts the lines and words that move between two caches.
type flow struct{ lines, words uint64 }

// matrix counts what processors receive from each other and from memory.
type matrix struct {
	memory []flow            // by receiver
	caches [][]flow          // by receiver, allocated when it first receives something, and sender; nil for many processors
	many   []map[int32]*flow // the same for many processors, few of which are partners
}

// fewProcs is the most processors for which an array by sender is small.
const fewProcs = 1 << 10

func newMatrix(procs int) matrix {
	m := matrix{memory: make([]flow, procs)}
	if procs <= fewProcs {
		m.caches = make([][]flow, procs)
	} else {
		m.many = make([]map[int32]*flow, procs)
	}
	return m
}

// from returns the flow to processor to from a processor, or from memory if from is -1.
func (m *matrix) from(from, to int32) *flow {
	switch {
	case from < 0:
		return &m.memory[to]
	case m.many != nil:
		return m.ofMany(from, to)
	case m.caches[to] == nil:
		m.caches[to] = make([]flow, len(m.memory))
	}
	return &m.caches[to][from]
}

func (m *matrix) ofMany(from, to int32) *flow {
	if m.many[to] == nil {
		m.many[to] = map[int32]*flow{}
	}
	f := m.many[to][from]
	if f == nil {
		f = new(flow)
		m.many[to][from] = f
	}
	return f
}

// all calls do with each flow between caches, and from memory, that is not zero. The order is any.
func (m *matrix) all(do func(from, to int32, f flow)) {
	for to := range int32(len(m.memory)) {
		if f := m.memory[to]; f != (flow{}) {
			do(-1, to, f)
		}
		m.to(to, func(from int32, f flow) { do(from, to, f) })
	}
}

// to calls do with each flow from a cache to processor to that is not zero.
func (m *matrix) to(to int32, do func(from int32, f flow)) {
	if m.many != nil {
		for from, f := range m.many[to] {
			do(from, *f)
		}
		return
	}
	for from, f := range m.caches[to] {
		if f != (flow{}) {
			do(int32(from), f)
		}
	}
}

// received returns what a processor receives from all others.
func (m *matrix) received(to int32) (sum flow) {
	m.to(to, func(_ int32, f flow) {
		sum.lines += f.lines
		sum.words += f.words
	})
	return sum
}

func (m *matrix) line(from, to int32) { m.from(from, to).lines++ }
func (m *matrix) word(from, to int32) { m.from(from, to).words++ }

// runs holds the lengths of runs of each kind.
type runs [endRun]histogram

// The kinds of runs, in the order of their names.
const (
	invalidatedRun = iota
	readRun
	writeRun
	endRun
)

var runNames = [endRun]string{invalidatedRun: "invalidated", readRun: "read", writeRun: "write"}

// histogram counts lengths from 1. Lengths up to exactLengths are separate; longer ones are grouped
// by powers of two.
type histogram struct {
	exact  [exactLengths + 1]uint64       // by length
	longer [65]struct{ runs, sum uint64 } // by the bits of length - 1
}

const exactLengths = 64

func (h *histogram) add(length uint64) {
	switch {
	case length == 0:
		return
	case length <= exactLengths:
		h.exact[length]++
		return
	}
	b := &h.longer[bits.Len64(length-1)]
	b.runs++
	b.sum += length
}

// phases counts events by phase between barriers. If there are too many phases, neighbouring ones
// are joined.
type phases struct {
	at     []uint32 // by processor: barriers passed
	uses   []uint64 // by processor: uses since then, not yet in counts
	limit  int      // maximum number of spans
	shift  uint     // log2 of the phases in a span
	counts []span
}

// span holds the counts of all processors in neighbouring phases.
type span []phaseCounts

type phaseCounts struct{ uses, cold, trues, falses, flushed, upgrades uint64 }

// maxSpans is the maximum number of spans, over all processors.
const maxSpans = 1 << 15

func newPhases(procs, spans int) phases {
	return phases{at: make([]uint32, procs), uses: make([]uint64, procs), limit: max(1, spans/procs)}
}

// next begins a new phase of a processor, at a barrier.
func (p *phases) next(proc trace.Proc) {
	p.sum(proc)
	p.at[proc]++
}

// sum moves the uses of a processor in its phase into counts.
func (p *phases) sum(proc trace.Proc) {
	if n := p.uses[proc]; n > 0 {
		p.count(int32(proc), p.at[proc]).uses += n
		p.uses[proc] = 0
	}
}

func (p *phases) count(proc int32, phase uint32) *phaseCounts {
	at := int(phase >> p.shift)
	for at >= len(p.counts) {
		if len(p.counts) < p.limit {
			p.counts = append(p.counts, make(span, len(p.at)))
			continue
		}
		p.coarsen()
		at = int(phase >> p.shift)
	}
	return &p.counts[at][proc]
}

// coarsen joins neighbouring spans.
func (p *phases) coarsen() {
	p.shift++
	for i, from := range p.counts {
		if i%2 == 0 {
			p.counts[i/2] = from
			continue
		}
		for proc := range from {
			p.counts[i/2][proc].add(from[proc])
		}
	}
	p.counts = p.counts[:(len(p.counts)+1)/2]
}

func (c *phaseCounts) add(d phaseCounts) {
	c.uses += d.uses
	c.cold += d.cold
	c.trues += d.trues
	c.falses += d.falses
	c.flushed += d.flushed
	c.upgrades += d.upgrades
}
