package reuse

import (
	"errors"
	"fmt"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// slice is what a shard keeps that sees only some consecutive rows of its order, so that slices can be joined. A distance
// within the slice is that of the whole order. Only the first use of each line of the slice depends on the rows
// before. Therefore the slice lists its lines by first use, and for the next slice by last use, as in [niu2012].
type slice struct {
	Row    uint64 // number of the first row among the references of the processor
	Rows   uint64
	Clocks sliceClocks // at the end
	Marks  []sliceMark
	Lines  []sliceLines // by line size
}

// sliceLines are the distinct lines of a slice, and the uses by distance within the slice.
type sliceLines struct {
	First packedLines // in the order of their first uses
	Last  packedLines // in the order of their last uses
	Uses  packedCounts
}

// sliceMark is a place where a segment may end, or the end of the slice. Uses are those at the line size of segments.
type sliceMark struct {
	Kind  markKind
	Refs  uint64 // that use lines, since the start of the slice
	At    delay
	Rows  bool         // the slice has rows before the mark
	First uint64       // first uses since the start of the slice
	Width int          // one more than the largest distance since the start of the slice
	Uses  packedCounts // without first uses, since the mark before
}

type markKind uint8

const (
	markRows         markKind = 1 + iota // after a multiple of evenLength rows of the order
	markBarrier                          // of all processors
	markGroupBarrier                     // of some processors
	markEnd
)

// slicer records a slice.
type slicer struct {
	slice  slice
	clocks sliceClocks
	counts []uint64 // uses by class at the latest mark
}

var _ analysis.SliceShard = (*Shard)(nil)

// Slice makes a new shard keep the slice that starts at the given row. It returns an error if lines are sampled, because
// the sample depends on the rows before.
func (s *Shard) Slice(row uint64) error {
	for _, d := range s.Sizes {
		if d.sampling.On() {
			return errors.New("--shard cannot sample lines, because a sample depends on the whole stream; omit --shard, or --sample and --sample-lines")
		}
		d.sliced = true
	}
	s.slicer = &slicer{slice: slice{Row: row}, clocks: newSliceClocks()}
	return nil
}

// add processes the next chunk.
func (c *slicer) add(s *Shard, p *analysis.Chunk) error {
	if p.Moves != 0 {
		return fmt.Errorf("reuse: the trace has prefetches or flushes (%v), which --shard cannot follow; omit --shard", p.Moves)
	}
	if p.Event != nil {
		return c.addEvent(s, p.Event)
	}
	if err := s.begin(p); err != nil {
		return err
	}
	for from, to := 0, 0; from < p.Refs.Len(); from = to {
		row := c.slice.Row + c.slice.Rows
		to = int(min(uint64(from)+evenLength-row%evenLength, uint64(p.Refs.Len())))
		part := p.Refs.Slice(from, to)
		if err := s.addTo(&part, to); err != nil {
			return err
		}
		c.clocks.references(part.Instr)
		c.slice.Rows += uint64(to - from)
		if s.segmenter != nil && (c.slice.Row+c.slice.Rows)%evenLength == 0 {
			if err := c.mark(s, markRows); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *slicer) addEvent(s *Shard, e *trace.Event) error {
	c.clocks.event(e, int64(analysis.Work(s.head, e)))
	switch {
	case e.Kind != trace.Barrier:
		return nil
	case e.Group < 0:
		return c.mark(s, markBarrier)
	case s.segmenter != nil:
		return c.mark(s, markGroupBarrier)
	}
	return nil
}

// mark adds a mark here.
func (c *slicer) mark(s *Shard, k markKind) error {
	m := sliceMark{Kind: k, Refs: s.Refs, At: c.clocks[0], Rows: c.slice.Rows > 0}
	if s.segmenter != nil && m.Rows {
		d := s.segmenter.distances
		if err := d.feed.Flush(d.stack); err != nil {
			return err
		}
		now := d.stack.countedClasses()
		m.First, m.Width, m.Uses = uint64(len(*d.stack.first)), d.stack.width(), packCounts(now, c.counts)
		c.counts = now
	}
	c.slice.Marks = append(c.slice.Marks, m)
	return nil
}

// end completes the slice.
func (c *slicer) end(s *Shard) error {
	if err := c.mark(s, markEnd); err != nil {
		return err
	}
	c.slice.Clocks = c.clocks
	for _, d := range s.Sizes {
		var l sliceLines
		if d.feed != nil {
			if err := d.feed.Flush(d.stack); err != nil {
				return err
			}
			l.First, l.Last = packLines(*d.stack.first), packLines(d.stack.order())
		}
		if err := d.end(); err != nil {
			return err
		}
		l.Uses, d.Uses = packCounts(d.Uses, nil), nil
		c.slice.Lines = append(c.slice.Lines, l)
	}
	s.Kept, s.slicer, s.segmenter = &c.slice, nil, nil
	return nil
}
