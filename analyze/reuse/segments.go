package reuse

import (
	"slices"
	"sync"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A Segment is a part of one program order. Its uses are counted by class of distance. Class i holds the
// distances from ClassStart(i) up to the start of the next class.
type Segment struct {
	Instr  unit.Instructions // executed
	Refs   uint64            // data references
	Before uint64            // distinct lines before the segment
	Cold   uint64            // first uses, and uses of flushed lines
	Uses   []uint64          // by class, without first uses
}

// total returns the number of uses.
func (s *Segment) total() uint64 {
	n := s.Cold
	for _, c := range s.Uses {
		n += c
	}
	return n
}

// Segments divide a program in two ways. Each covers the whole program with at most maxSegments. If there are
// more, pairs of neighbours are merged.
type Segments struct {
	Phases []Segment // between barriers
	Even   []Segment // of about equal numbers of references
}

// maxSegments is the maximum number of segments of a program.
const maxSegments = 64

// segmenter divides the uses of a shard at one line size into segments. Workers count uses later than the shard adds
// them. So the goroutine that counts also ends segments.
type segmenter struct {
	distances *Distances
	rows      int    // references since the last possible end of an even segment
	barriers  uint64 // so far

	remaining []uint32          // Instr of the references of the current chunk that were not added yet
	summed    []uint32          // value of remaining at the last end of a segment in the chunk; nil: none
	executed  unit.Instructions // sum of summed

	mu           sync.Mutex // guards the following
	phases, even cutter
	width        int // of the distances, as far as it is known
}

// evenLength is the number of references, of all kinds, between possible ends of even segments.
const evenLength = 4096

// KeepSegments makes a new shard of a program order also record segments, for one of its line sizes. Sampled
// distances have no segments, because a sample does not determine the distances of a segment.
func (s *Shard) KeepSegments(line unit.Bytes) {
	if s.At(line).sampling.On() {
		return
	}
	s.At(line).segmented = true
	s.segmenter = &segmenter{distances: s.At(line), phases: cutter{length: 1}, even: cutter{length: evenLength}}
}

// add processes the next chunk. It passes the chunk to the shard in parts that end where segments may end.
func (g *segmenter) add(s *Shard, p *analysis.Chunk) error {
	if p.Event != nil {
		if err := s.add(p); err != nil || p.Event.Kind != trace.Barrier {
			return err
		}
		g.barriers++
		return g.offer(s, &g.phases, g.barriers)
	}
	if err := s.begin(p); err != nil {
		return err
	}
	s.Instr += p.Instr
	for from, to := 0, 0; from < p.Refs.Len(); from = to {
		to = min(from+evenLength-g.rows, p.Refs.Len())
		part := p.Refs.Slice(from, to)
		if err := s.addTo(&part, to); err != nil {
			return err
		}
		g.remaining = p.Refs.Instr[to:]
		if g.rows += to - from; g.rows < evenLength {
			continue
		}
		g.rows = 0
		if err := g.offer(s, &g.even, s.Refs); err != nil {
			return err
		}
	}
	g.remaining, g.summed = nil, nil
	return nil
}

// offer ends a segment here if it is long enough. It does so when the uses so far are counted.
func (g *segmenter) offer(s *Shard, c *cutter, progress uint64) error {
	now := mark{refs: s.Refs, progress: progress}
	if !g.mayEnd(c, &now) {
		return nil
	}
	now.instr = s.Instr - g.remainingInstr()
	d := g.distances
	if d.stack != nil {
		if err := d.feed.Flush(d.stack); err != nil {
			return err
		}
		d.stack.whenCounted(func(width int, counts func() useCounts) {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.due(c, &now, width) {
				now.useCounts = counts()
				c.cut(now)
			}
		})
		return nil
	}
	width, err := d.moved.width()
	if err != nil || !g.due(c, &now, width) {
		return err
	}
	if now.useCounts, err = d.moved.counts(); err == nil {
		c.cut(now)
	}
	return err
}

// mayEnd reports whether a segment can end here. The width of the distances is at least the known one. It never falls.
func (g *segmenter) mayEnd(c *cutter, now *mark) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return c.long(now) && c.pays(now, g.width)
}

// due reports whether a segment ends here, and makes room for it. All distances so far are below width.
func (g *segmenter) due(c *cutter, now *mark, width int) bool {
	g.width = width
	return c.due(now, width)
}

// end ends the last segments.
func (g *segmenter) end(s *Shard) error {
	last := mark{instr: s.Instr, refs: s.Refs}
	d := g.distances
	switch {
	case d.moved != nil:
		var err error
		if last.useCounts, err = d.moved.counts(); err != nil {
			return err
		}
	case d.stack != nil:
		if err := d.feed.Flush(d.stack); err != nil {
			return err
		}
		last.useCounts = d.stack.classes()
	}
	for _, c := range []*cutter{&g.phases, &g.even} {
		c.cut(last)
		c.joinRest(s.Refs)
	}
	s.Segments = Segments{g.phases.segments, g.even.segments}
	return nil
}

// remainingInstr returns the instructions of the references still to come in the chunk. If the references and
// events of a stream disagree, the difference is in the first reference. Therefore it sums from the end. Most
// chunks of a long program contain no end of a segment, and are not summed.
func (g *segmenter) remainingInstr() unit.Instructions {
	if g.summed == nil {
		g.executed = analysis.SumInstr(g.remaining)
	} else {
		g.executed -= analysis.SumInstr(g.summed[:len(g.summed)-len(g.remaining)])
	}
	g.summed = g.remaining
	return g.executed
}

// scanShare times the references of a segment are at least the number of distances that a cut scans. So cuts
// take a few per cent of the time of uses.
const scanShare = 4

// useCounts are numbers of uses up to some point of a program.
type useCounts struct {
	uses  []uint64 // by class of distance
	cold  uint64   // uses that miss in caches of every size
	lines uint64   // distinct
}

// mark is the end of a segment.
type mark struct {
	instr    unit.Instructions
	refs     uint64
	progress uint64 // barriers or references up to here: what the cutter counts
	useCounts
}

// cutter divides a program in one way.
type cutter struct {
	segments []Segment
	length   uint64 // minimum length of a segment, in barriers or references
	last     mark
}

// long reports whether a segment can end now.
func (c *cutter) long(now *mark) bool {
	return now.progress-c.last.progress >= c.length && now.refs > c.last.refs
}

// pays reports whether a segment has enough references for the scan of its distances, which are below width.
func (c *cutter) pays(now *mark, width int) bool {
	return (now.refs-c.last.refs)*scanShare >= uint64(width)
}

// due reports whether a segment ends now, and makes room for it. All distances so far are below width.
func (c *cutter) due(now *mark, width int) bool {
	if !c.long(now) || !c.pays(now, width) {
		return false
	}
	if len(c.segments) == maxSegments {
		c.halve()
	}
	return c.long(now)
}

func (c *cutter) cut(now mark) {
	s := Segment{Instr: now.instr - c.last.instr, Refs: now.refs - c.last.refs, Before: c.last.lines, Cold: now.cold - c.last.cold, Uses: slices.Clone(now.uses)}
	for i, n := range c.last.uses {
		s.Uses[i] -= n
	}
	c.last = now
	c.segments = append(c.segments, s)
}

// halve merges pairs of neighbours and doubles the length of later segments.
func (c *cutter) halve() {
	for i := range maxSegments / 2 {
		c.segments[i] = join(c.segments[2*i], c.segments[2*i+1])
	}
	c.segments = c.segments[:maxSegments/2]
	c.length *= 2
}

// joinRest merges the last segment with the one before, if it is shorter than half the mean segment, or if
// there is one too many.
func (c *cutter) joinRest(refs uint64) {
	n := len(c.segments)
	if n > maxSegments || n > 1 && c.segments[n-1].Refs*uint64(2*n) < refs {
		c.segments = append(c.segments[:n-2], join(c.segments[n-2], c.segments[n-1]))
	}
}

// join merges two neighbours.
func join(a, b Segment) Segment {
	a.Instr += b.Instr
	a.Refs += b.Refs
	a.Cold += b.Cold
	uses := slices.Clone(b.Uses) // b, the later one, has at least as many classes
	for i, n := range a.Uses {
		uses[i] += n
	}
	a.Uses = uses
	return a
}
