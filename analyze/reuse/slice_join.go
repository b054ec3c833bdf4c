package reuse

import (
	"errors"
	"fmt"
	"math"
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
	barriers   uint64
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
	return nil
}

// add joins the next slice.
func (j *joiner) add(s *Shard, next *Shard) (err error) {
	for i, size := range j.sizes {
		packed, n := &next.Kept.Lines[i], next.Sizes[i].Cold
		first, err := packed.First.unpack(n)
		if err != nil {
			return err
		}
		if size == j.segmented {
			first, err = j.segment(s, next.Kept.Marks, first)
		}
		if err == nil {
			err = size.join(first, packed, n)
		}
		if err != nil {
			return err
		}
	}
	if j.segmented == nil {
		for i := range next.Kept.Marks {
			j.mark(s, &next.Kept.Marks[i])
		}
	}
	j.rows, j.refs = j.rows+next.Kept.Rows, j.refs+next.Refs
	j.start, err = next.Kept.Clocks.at(j.start)
	return err
}

// segment counts the first uses up to each mark, and ends segments there. It returns the first uses after the last mark.
func (j *joiner) segment(s *Shard, marks []sliceMark, first []uint64) (rest []uint64, err error) {
	at := uint64(0)
	for i := range marks {
		m := &marks[i]
		if m.First < at || m.First > uint64(len(first)) {
			return nil, errors.New("its marks are damaged")
		}
		if err := j.segmented.find(first[at:m.First], m); err != nil {
			return nil, err
		}
		at = m.First
		j.mark(s, m)
	}
	return first[at:], nil
}

// find counts the uses up to a mark. These are the first uses of lines in the slice since the mark before, and the others.
func (j *sizeJoiner) find(first []uint64, m *sliceMark) error {
	if err := j.stack.Touch(first); err != nil {
		return err
	}
	j.width = max(j.width, m.Width, j.stack.width())
	_, err := m.Uses.addTo(j.uses, len(j.uses))
	return err
}

// join uses the remaining first lines of a slice, and adds its counts. Then the stack has the order at the end of the slice.
func (j *sizeJoiner) join(first []uint64, packed *sliceLines, n uint64) error {
	if err := j.stack.Touch(first); err != nil {
		return err
	}
	for class, n := range j.stack.countedClasses() {
		j.uses[class] += n
	}
	uses, cold := j.stack.Distances()
	j.sum.Add(&Distances{Uses: uses, Cold: cold})
	var err error
	if j.sum.Uses, err = packed.Uses.addTo(j.sum.Uses, int(min(n, math.MaxInt32))); err != nil {
		return err
	}
	last, err := packed.Last.unpack(n)
	if err != nil {
		return err
	}
	if err := j.stack.Touch(last); err != nil {
		return err
	}
	if j.stack.coldUses() != cold {
		return errDamagedLines
	}
	j.stack.resetCounts()
	return nil
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
		j.cut(&j.even, now, now.Refs, m)
	case markBarrier, markGroupBarrier:
		j.barriers++
		j.cut(&j.phases, now, j.barriers, m)
	}
}

// cut ends a segment at a mark if it is long enough.
func (j *joiner) cut(c *cutter, at Work, progress uint64, m *sliceMark) {
	now := mark{instr: at.Instr, refs: at.Refs, progress: progress}
	if c.due(&now, j.segmented.width) {
		now.useCounts = j.segmented.counts(j.rows > 0 || m.Rows)
		c.cut(now)
	}
}

// counts returns the counts so far. They are empty if no row has been read.
func (j *sizeJoiner) counts(started bool) useCounts {
	if !started {
		return useCounts{}
	}
	cold := j.sum.Cold + j.stack.coldUses()
	uses := j.stack.countedClasses()
	for class, n := range j.uses {
		uses[class] += n
	}
	return useCounts{trimmed(uses), cold, cold}
}

// trimmed returns the counts without zeros at the end.
func trimmed(counts []uint64) []uint64 {
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	return slices.Clip(counts)
}

// end sets the results of the shard, which are those of a shard that has seen the whole order.
func (j *joiner) end(s *Shard) {
	now := Work{unit.Instructions(j.start[0]), j.refs}
	s.Instr, s.Refs = now.Instr, now.Refs
	s.Path.cut(now)
	if j.segmented != nil {
		for _, c := range []*cutter{&j.phases, &j.even} {
			c.cut(mark{instr: now.Instr, refs: now.Refs, useCounts: j.segmented.counts(j.rows > 0)})
			c.joinRest(j.refs)
		}
		s.Segments = Segments{j.phases.segments, j.even.segments}
	}
	for i, d := range s.Sizes {
		d.Rate = 1
		if sum := &j.sizes[i].sum; j.rows > 0 {
			d.Uses, d.Cold = trimmed(append([]uint64{}, sum.Uses...)), sum.Cold
		}
	}
	s.joiner, s.segmenter = nil, nil
}
