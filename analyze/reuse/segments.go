package reuse

import (
	"encoding/binary"
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A Segment is a stretch of one program order. Its uses are by class of distance: class i
// holds those from ClassStart(i) up to the start of the next.
type Segment struct {
	Instr  unit.Instructions // executed
	Refs   uint64            // data references
	Before uint64            // distinct lines before the segment
	Cold   uint64            // first uses
	Uses   []uint64          // by class, without cold ones
}

// Total is the number of uses.
func (s *Segment) Total() uint64 {
	n := s.Cold
	for _, c := range s.Uses {
		n += c
	}
	return n
}

// Segments cut a program in two ways. Both have it all, and at most MaxSegments: when there are
// more, neighbours are joined, two and two.
type Segments struct {
	Phases []Segment // between barriers
	Even   []Segment // of about equal numbers of references
}

// MaxSegments of a program.
const MaxSegments = 64

// QuarterOctaves are as near to the powers of the fourth root of two as whole
// numbers allow, up to limit, and limit itself.
func QuarterOctaves(limit uint64) []int64 {
	var out []int64
	for i := 0; ; i++ {
		x := math.Round(math.Exp2(float64(i) / 4))
		if x >= float64(limit) {
			return append(out, int64(limit))
		}
		if n := int64(x); len(out) == 0 || n > out[len(out)-1] {
			out = append(out, n)
		}
	}
}

// starts of the classes; the last is above every distance, those that a sample estimates included.
var starts = slices.Concat([]int64{0}, QuarterOctaves(1<<53))

// ClassStart is the least distance of a class, and one more than the greatest of the class
// before. Class 0 is distance 0, the next ones begin with the quarter octaves.
func ClassStart(class int) int64 { return starts[class] }

// segmenter cuts what a shard does, at one line size.
type segmenter struct {
	distances    *Distances
	phases, even cutter
	rows         int // since the last place where an even segment might have ended

	toCome   []uint32          // Instr of the references of the piece at hand that have not been added
	summed   []uint32          // the same at the last end of a segment in the piece; nil: there was none
	executed unit.Instructions // by those
}

// evenLength is after how many references, of all kinds, an even segment may end.
const evenLength = 4096

// KeepSegments makes a shard of a program order that has seen nothing yet keep segments too, with
// distances at one of the line sizes. A sample keeps none: it does not know the distances of a segment.
func (s *Shard) KeepSegments(line unit.Bytes) {
	if s.At(line).sampling.On() {
		return
	}
	s.segmenter = &segmenter{distances: s.At(line), phases: cutter{length: 1}, even: cutter{length: evenLength}}
}

// add sees the next piece, and gives it to the shard in parts that end where segments may.
func (g *segmenter) add(s *Shard, p *analysis.Chunk) error {
	if p.Event != nil {
		if err := s.add(p); err != nil || p.Event.Kind != trace.Barrier {
			return err
		}
		g.phases.done++
		return g.cut(s, &g.phases, false)
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
		g.toCome = p.Refs.Instr[to:]
		if g.rows += to - from; g.rows < evenLength {
			continue
		}
		g.rows = 0
		g.even.done = s.Refs - g.even.last.refs
		if err := g.cut(s, &g.even, false); err != nil {
			return err
		}
	}
	g.toCome, g.summed = nil, nil
	return nil
}

// end cuts at the end of the program.
func (g *segmenter) end(s *Shard) error {
	for _, c := range []*cutter{&g.phases, &g.even} {
		if err := g.cut(s, c, true); err != nil {
			return err
		}
		c.joinRest(s.Refs)
	}
	s.Segments = Segments{g.phases.segments, g.even.segments}
	return nil
}

// cut ends a segment if it is long enough, or has to.
func (g *segmenter) cut(s *Shard, c *cutter, must bool) error {
	d := g.distances
	if !must && !c.due(s.Refs, d.stack.width()) {
		return nil
	}
	now := mark{instr: s.Instr - g.ahead(), refs: s.Refs}
	if d.stack != nil {
		if err := d.feed.Flush(d.stack); err != nil {
			return err
		}
		now.uses, now.cold = d.stack.classes()
	}
	c.cut(now)
	return nil
}

// ahead is what references of the piece that are still to come execute. Where streams of references and events disagree, it is on the
// first reference, so that this is added up from the end. Most pieces of a long program have no end of a segment, and are not added up.
func (g *segmenter) ahead() unit.Instructions {
	if g.summed == nil {
		g.executed = analysis.SumInstr(g.toCome)
	} else {
		g.executed -= analysis.SumInstr(g.summed[:len(g.summed)-len(g.toCome)])
	}
	g.summed = g.toCome
	return g.executed
}

// scanShare times the references of a segment are the distances at least, each of which a cut looks at:
// cuts cost a few per cent of what uses do.
const scanShare = 4

// mark is what was counted up to an end of a segment.
type mark struct {
	instr      unit.Instructions
	refs, cold uint64
	uses       []uint64 // by class
}

// cutter is one way to cut.
type cutter struct {
	segments []Segment
	length   uint64 // of a segment, in barriers or references
	done     uint64 // since the last end
	last     mark
}

// due reports whether a segment ends, and makes room for it.
func (c *cutter) due(refs uint64, width int) bool {
	if c.done < c.length || (refs-c.last.refs)*scanShare < uint64(width) || refs == c.last.refs {
		return false
	}
	if len(c.segments) == MaxSegments {
		c.halve()
	}
	return c.done >= c.length
}

func (c *cutter) cut(now mark) {
	s := Segment{Instr: now.instr - c.last.instr, Refs: now.refs - c.last.refs, Before: c.last.cold, Cold: now.cold - c.last.cold, Uses: slices.Clone(now.uses)}
	for i, n := range c.last.uses {
		s.Uses[i] -= n
	}
	c.last, c.done = now, 0
	c.segments = append(c.segments, s)
}

// halve joins neighbours; from now on segments are as long.
func (c *cutter) halve() {
	for i := range MaxSegments / 2 {
		c.segments[i] = join(c.segments[2*i], c.segments[2*i+1])
	}
	c.segments = c.segments[:MaxSegments/2]
	c.length *= 2
}

// joinRest joins what is left at the end to the segment before, if it is less than half as long as
// segments are on average, or one too many.
func (c *cutter) joinRest(refs uint64) {
	n := len(c.segments)
	if n > MaxSegments || n > 1 && c.segments[n-1].Refs*uint64(2*n) < refs {
		c.segments = append(c.segments[:n-2], join(c.segments[n-2], c.segments[n-1]))
	}
}

// join is two neighbours as one.
func join(a, b Segment) Segment {
	a.Instr += b.Instr
	a.Refs += b.Refs
	a.Cold += b.Cold
	uses := slices.Clone(b.Uses) // the later one has no fewer classes
	for i, n := range a.Uses {
		uses[i] += n
	}
	a.Uses = uses
	return a
}

// width is above all distances so far.
func (s *Stack) width() int {
	if s == nil {
		return 0
	}
	return max(s.tally.width(), s.span.tally.width())
}

// classes is the number of uses by class of distance so far, and that of first uses.
func (s *Stack) classes() (uses []uint64, cold uint64) {
	if s.crew != nil {
		s.Distances() // which waits for all
	}
	uses = classesOf(s.tally.counted())
	for i, n := range s.span.tally.byClass() {
		uses[i] += n
	}
	for len(uses) > 0 && uses[len(uses)-1] == 0 {
		uses = uses[:len(uses)-1]
	}
	return uses, s.tally.cold + s.span.tally.cold
}

// classesOf is uses by class, from those by distance.
func classesOf(uses []uint64) []uint64 {
	out := make([]uint64, len(starts)-1)
	for i := range out {
		from, end := starts[i], min(starts[i+1], int64(len(uses)))
		if from >= end {
			break
		}
		for _, n := range uses[from:end] {
			out[i] += n
		}
	}
	return out
}

// byClass is the uses so far. Carries are counted by class when they come, once this has been asked for: then bytes are all that is
// added up.
func (t *tally) byClass() []uint64 {
	if t.classes == nil {
		t.classes = classesOf(t.uses)
	}
	out := slices.Clone(t.classes)
	for i := range out {
		from, end := starts[i], min(starts[i+1], int64(len(t.few)))
		if from >= end {
			break
		}
		out[i] += sum(t.few[from:end])
	}
	return out
}

// classOf is the class of a distance.
func classOf(distance uint32) int {
	i, _ := slices.BinarySearch(starts, int64(distance)+1)
	return i - 1
}

// sum adds bytes up, eight at a time.
func sum(bytes []uint8) (n uint64) {
	const even = 0x00FF00FF00FF00FF
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		word := binary.NativeEndian.Uint64(bytes)
		n += (word&even + word>>8&even) * 0x0001000100010001 >> 48
	}
	for _, b := range bytes {
		n += uint64(b)
	}
	return n
}
