package reuse

import (
	"errors"
	"fmt"
	"slices"

	"spoor/traces/unit"
)

// joiner joins the slices of an order, one after the other. For each line size, a stack has the lines of the slices so far.
// It uses the lines of the next slice in the order of their first uses. That gives the distances of these uses:
// between two uses of a line, the order uses the lines above it in the stack and those before it in the list. Then the
// stack uses the lines in the order of their last uses and does not count. So it has the order for the slice
// after that.
//
// Differs: [niu2012] removes lines from the stack of one slice and passes on those that it lacks to the slice before.
type joiner struct {
	rows, refs uint64
	start      position // of the next slice
	sizes      []*sizeJoiner
	segmented  *sizeJoiner // the line size of segments; nil: no segments
	phases     cutter
	even       cutter
}

// sizeJoiner joins the slices at a line size.
type sizeJoiner struct {
	stack *Stack
	sum   Distances // of earlier slices
	uses  []uint64  // by class, of earlier slices, and of the present one up to the latest mark, without first uses
	width int       // one more than the largest distance so far
}

func newJoiner(s *Shard) *joiner {
	j := &joiner{phases: cutter{length: 1}, even: cutter{length: evenLength}}
	for _, d := range s.Sizes {
		size := &sizeJoiner{stack: NewStack(), uses: make([]uint64, len(classTally{})), width: newest}
		size.stack.countClasses()
		j.sizes = append(j.sizes, size)
		if s.segmenter != nil && s.segmenter.distances == d {
			j.segmented = size
		}
	}
	return j
}

// Append joins the next slice, which the JSON of its shard holds, to those before.
func (s *Shard) Append(text []byte) error {
	if s.joiner == nil {
		s.joiner = newJoiner(s)
	}
	next := Shard{Proc: s.Proc}
	for _, d := range s.Sizes {
		next.Sizes = append(next.Sizes, &Distances{Line: d.Line})
	}
	if err := next.UnmarshalJSON(text); err != nil {
		return err
	}
	if err := s.joiner.check(&next); err != nil {
		return err
	}
	return s.joiner.add(s, &next)
}

// check returns an error if the next slice does not fit.
func (j *joiner) check(next *Shard) error {
	k := next.Kept
	switch {
	case k == nil || len(k.Lines) != len(j.sizes) || len(k.Marks) == 0:
		return errors.New("it holds no part of a stream")
	case k.Row != j.rows:
		return fmt.Errorf("it starts at row %d, but the part before it ends at row %d", k.Row, j.rows)
	}
	for i, d := range next.Sizes {
		if l := k.Lines[i]; d.Cold != uint64(len(l.First)) || len(l.First) != len(l.Last) {
			return errors.New("its lists of lines are damaged")
		}
	}
	first := uint64(0)
	for _, m := range k.Marks {
		if j.segmented != nil && m.First < first || m.First > uint64(len(k.Lines[j.segmentIndex()].First)) {
			return errors.New("its marks are damaged")
		}
		first = m.First
	}
	return nil
}

// segmentIndex returns the index of the line size of segments, or 0.
func (j *joiner) segmentIndex() int { return max(0, slices.Index(j.sizes, j.segmented)) }

// add joins the next slice.
func (j *joiner) add(s *Shard, next *Shard) (err error) {
	first, at := next.Kept.Lines[j.segmentIndex()].First, uint64(0)
	for _, m := range next.Kept.Marks {
		if j.segmented != nil {
			if err := j.segmented.find(first[at:m.First], &m); err != nil {
				return err
			}
			at = m.First
		}
		j.mark(s, &m)
	}
	for i, size := range j.sizes {
		l := next.Kept.Lines[i]
		if size != j.segmented {
			if err := size.stack.Touch(l.First); err != nil {
				return err
			}
		}
		if err := size.finish(next.Sizes[i], l.Last); err != nil {
			return err
		}
	}
	j.rows, j.refs = j.rows+next.Kept.Rows, j.refs+next.Refs
	j.start, err = next.Kept.Clocks.at(j.start)
	return err
}

// find counts the uses up to a mark. These are the first uses of lines in the slice since the mark before, and the others.
func (j *sizeJoiner) find(first []uint64, m *sliceMark) error {
	if err := j.stack.Touch(first); err != nil {
		return err
	}
	j.width = max(j.width, m.Width, j.stack.width())
	return m.Uses.addTo(j.uses)
}

// finish adds the counts of a slice. It gives the stack the order of the lines at the end of the slice.
func (j *sizeJoiner) finish(inside *Distances, last []uint64) error {
	for class, n := range j.stack.countedClasses() {
		j.uses[class] += n
	}
	uses, cold := j.stack.Distances()
	j.sum.Add(&Distances{Uses: uses, Cold: cold})
	j.sum.Add(&Distances{Uses: inside.Uses})
	err := j.stack.Touch(last)
	j.stack.resetCounts()
	return err
}

// mark ends segments and parts of the path at a mark.
func (j *joiner) mark(s *Shard, m *sliceMark) {
	now := Work{Instr: unit.Instructions(m.At.at(j.start)), Refs: j.refs + m.Refs}
	if m.Kind == markBarrier {
		s.Path.meet(now)
	}
	if j.segmented == nil {
		return
	}
	switch m.Kind {
	case markRows:
		j.even.done = now.Refs - j.even.last.refs
		j.cut(&j.even, now, m)
	case markBarrier, markGroupBarrier:
		j.phases.done++
		j.cut(&j.phases, now, m)
	}
}

// cut ends a segment at a mark if it is long enough.
func (j *joiner) cut(c *cutter, now Work, m *sliceMark) {
	if c.due(now.Refs, j.segmented.width) {
		c.cut(j.segmented.mark(now, j.rows > 0 || m.Rows))
	}
}

// mark returns the counts up to now. They are empty if no row has been read.
func (j *sizeJoiner) mark(now Work, started bool) mark {
	m := mark{instr: now.Instr, refs: now.Refs}
	if !started {
		return m
	}
	m.cold = j.sum.Cold + j.stack.coldUses()
	m.lines = m.cold
	m.uses = j.stack.countedClasses()
	for class, n := range j.uses {
		m.uses[class] += n
	}
	for len(m.uses) > 0 && m.uses[len(m.uses)-1] == 0 {
		m.uses = m.uses[:len(m.uses)-1]
	}
	return m
}

// end sets the results of the shard, which are those of a shard that has seen the whole order.
func (j *joiner) end(s *Shard) {
	now := Work{unit.Instructions(j.start[0]), j.refs}
	s.Instr, s.Refs = now.Instr, now.Refs
	s.Path.cut(now)
	if j.segmented != nil {
		for _, c := range []*cutter{&j.phases, &j.even} {
			c.cut(j.segmented.mark(now, j.rows > 0))
			c.joinRest(j.refs)
		}
		s.Segments = Segments{j.phases.segments, j.even.segments}
	}
	for i, d := range s.Sizes {
		d.Rate = 1
		if sum := &j.sizes[i].sum; j.rows > 0 {
			d.Uses, d.Cold = slices.Clip(append([]uint64{}, sum.Uses...)), sum.Cold
		}
	}
	s.joiner, s.segmenter = nil, nil
}
