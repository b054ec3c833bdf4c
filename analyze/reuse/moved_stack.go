package reuse

import (
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// movedStack continues a stack from the first prefetch or flush of the stream on. A flush leaves a hole, see
// [HoledStack]. So distances remain those of fully associative caches of all sizes. Streams without prefetches
// and flushes, which are most, never need it.
type movedStack struct {
	holed *HoledStack
	lines table    // of the stack before
	uses  []uint64 // before, by distance
	cold  uint64   // before

	pending []uint64 // lines whose places are not known yet
	ops     []trace.Op
	place   [batch]uint32
}

// startMoves replaces the stack, which has only seen uses.
func (d *Distances) startMoves(p *analysis.Chunk) error {
	if d.sampler != nil {
		return fmt.Errorf("reuse: the trace has prefetches or flushes (%v), which a sample of lines cannot follow; omit --sample and --sample-lines", p.Moves)
	}
	if err := d.feed.Flush(d.stack); err != nil {
		return err
	}
	uses, cold := d.stack.Distances()
	d.moved = &movedStack{holed: NewHoledStack(), lines: d.stack.lines, uses: slices.Clone(uses), cold: cold}
	for _, place := range d.stack.orderedPlaces() {
		if err := d.moved.holed.Use(place); err != nil {
			return err
		}
	}
	d.stack = nil
	return d.moved.holed.resetCounts()
}

// orderedPlaces returns the places of the lines by last use, the newest at the end. Call it after Distances.
func (s *Stack) orderedPlaces() []uint32 {
	excluded := s.recent.place[:min(s.recent.count, int(s.epoch.topExcluded))]
	var live []uint64 // slots, above places
	for place, slot := range s.slots {
		if slot != 0 && !slices.Contains(excluded, uint32(place)) {
			live = append(live, uint64(slot)<<32|uint64(place))
		}
	}
	slices.Sort(live)
	out := make([]uint32, 0, len(live)+len(excluded))
	for _, l := range live {
		out = append(out, uint32(l))
	}
	for _, place := range slices.Backward(excluded) {
		out = append(out, place)
	}
	return out
}

// resetCounts sets all counts to 0 and keeps the lines.
func (s *HoledStack) resetCounts() error {
	err := s.flush()
	s.uses.reset()
	return err
}

// addMoved processes references of the current chunk. They end at index to.
func (d *Distances) addMoved(refs *trace.Refs, to int) error {
	if d.external {
		from := to - refs.Len()
		for ; d.usesRead < len(d.uses.Refs) && int(d.uses.Refs[d.usesRead]) < to; d.usesRead++ {
			if err := d.moved.move(d.uses.Places[d.usesRead], refs.Op[int(d.uses.Refs[d.usesRead])-from]); err != nil {
				return err
			}
		}
		return nil
	}
	used := d.refs.WithMoves()
	for i, addr := range refs.Addr {
		op := refs.Op[i]
		if !used.Has(op) {
			continue
		}
		for line, last := addr>>d.shift, (addr+uint64(refs.Size[i])-1)>>d.shift; ; line++ {
			if err := d.moved.add(line, op); err != nil {
				return err
			}
			if line == last {
				break
			}
		}
	}
	return nil
}

// add adds a use, prefetch or flush of a line.
func (s *movedStack) add(line uint64, op trace.Op) error {
	s.pending, s.ops = append(s.pending, line), append(s.ops, op)
	if len(s.pending) == batch {
		return s.flush()
	}
	return nil
}

// flush processes the pending lines.
func (s *movedStack) flush() error {
	if err := s.lines.MakeRoom(); err != nil {
		return err
	}
	s.lines.Find(s.pending, s.place[:])
	for i, op := range s.ops {
		if err := s.move(s.place[i], op); err != nil {
			return err
		}
	}
	s.pending, s.ops = s.pending[:0], s.ops[:0]
	return nil
}

// move uses, prefetches or flushes the line at a place.
func (s *movedStack) move(place uint32, op trace.Op) error {
	switch op {
	case trace.Flush:
		return s.holed.Flush(place)
	case trace.Prefetch:
		return s.holed.Prefetch(place)
	}
	return s.holed.Use(place)
}

// distances returns what was found so far.
func (s *movedStack) distances() (*Distances, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	found, _, err := s.holed.Distances()
	if err != nil {
		return nil, err
	}
	d := &Distances{Uses: slices.Clone(s.uses), Cold: s.cold}
	d.Add(&Distances{Uses: found.Uses, Cold: found.Cold, Flushed: found.Flushed})
	if p := found.Prefetches; p != nil {
		d.Prefetches = &Distances{Uses: slices.Clone(p.Uses), Cold: p.Cold, Flushed: p.Flushed, Rate: 1}
	}
	return d, nil
}

// endMoves sets the distances, and frees everything else.
func (d *Distances) endMoves() error {
	found, err := d.moved.distances()
	if err != nil {
		return err
	}
	d.Uses, d.Cold, d.Flushed, d.Prefetches = slices.Clip(found.Uses), found.Cold, found.Flushed, found.Prefetches
	d.moved, d.feed, d.uses = nil, nil, nil
	return nil
}

// width returns one more than the largest distance so far, or newest if that is more.
func (s *movedStack) width() (int, error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	err := s.holed.flush()
	return max(s.holed.uses.width(), len(s.uses)), err
}

// counts returns the counts so far.
func (s *movedStack) counts() (useCounts, error) {
	found, err := s.distances()
	if err != nil {
		return useCounts{}, err
	}
	return useCounts{trimmed(classesOf(found.Uses)), found.Infinite(), found.Footprint()}, nil
}

var _ table = (*lines.Table)(nil)
