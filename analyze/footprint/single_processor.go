package footprint

import (
	"slices"

	"spoor/analyze/internal/lines"
)

// addAlone is add for a single processor. Nothing is shared and nothing is simulated, so that stamps have all
// information about a block.
func (s *space) addAlone(to int) error {
	if s.coarser != nil {
		return s.addCoarse()
	}
	end := s.usesRead + countBefore(s.uses.Refs[s.usesRead:], to)
	s.addFirstsAlone(s.uses.Places[s.usesRead:end], s.uses.Lines[s.usesRead:end], 0)
	s.usesRead = end
	return nil
}

// countBefore returns the number of ascending references below one.
func countBefore(refs []uint32, to int) (n int) {
	for step := 64; step > 0; step /= 4 { // windows are short
		for n+step <= len(refs) && int(refs[n+step-1]) < to {
			n += step
		}
	}
	return n
}

// firstUses holds the first uses in the window among the references processed last.
type firstUses struct {
	indices []uint32 // of these uses among the processed ones
	blocks  []uint64
	places  []uint32
}

// addFirstsAlone processes uses at places, of the blocks numbers / 2^shift. It collects first uses without a
// branch, because they are hard to predict.
func (s *space) addFirstsAlone(places []uint32, numbers []uint64, shift uint) {
	m, f := &s.processors[0], &s.firstUses
	f.indices = slices.Grow(f.indices[:0], len(places))[:len(places)]
	of, stamps, stamp, n := f.indices, m.stamps, s.stamp, 0
	for i, at := range places {
		before := stamps[at]
		stamps[at] = stamp
		of[n] = uint32(i)
		first := 0
		if before != stamp {
			first = 1
		}
		n += first
	}
	f.indices, f.blocks, f.places = of[:n], slices.Grow(f.blocks[:0], n)[:n], slices.Grow(f.places[:0], n)[:n]
	blocks, kept := f.blocks, f.places[:len(f.blocks)]
	for i, use := range f.indices[:len(blocks)] {
		blocks[i], kept[i] = numbers[use]>>(shift&63), places[use]
	}
	m.counts.current += uint64(n)
	for i := range m.fills {
		m.fills[i].addAll(f.blocks, s.window)
	}
}

// countStamped returns the number of blocks with a stamp.
func countStamped(stamps []uint32) (n uint64) {
	for _, stamp := range stamps {
		if stamp != noStamp {
			n++
		}
	}
	return n
}

// coarser gives a space of a single processor its uses. The first use of a large block in a window is also
// the first use of a smaller block inside it. So the space only reads the first uses of a finer space.
type coarser struct {
	fine   *space
	table  *lines.Coarse // maps smaller blocks to the blocks of the space
	places []uint32      // of the blocks of the finer space's first uses
}

// linkCoarser connects each space to an earlier, finer one if the places of its blocks determine the places
// here. For that, all neighbours of a small block must be in one large block.
func linkCoarser(spaces []*space) {
	for i, s := range spaces {
		for _, fine := range spaces[:i] {
			if fine.Size<<lines.Neighbours <= s.Size && fine.coarser == nil && s.coarser == nil {
				s.coarser = &coarser{fine: fine, table: lines.NewCoarse()}
			}
		}
	}
}

// addCoarse processes the first uses of the finer space.
func (s *space) addCoarse() error {
	c := s.coarser
	fine, shift := &c.fine.firstUses, s.Size.Shift()-c.fine.Size.Shift()
	c.table.Reach(c.fine.uses.Room)
	c.places = slices.Grow(c.places[:0], len(fine.places))[:len(fine.places)]
	for i, at := range fine.places {
		var err error
		if c.places[i], err = c.table.Place(at, fine.blocks[i]>>shift); err != nil {
			return err
		}
	}
	s.reach(c.table.Places())
	s.addFirstsAlone(c.places, fine.blocks, shift)
	return nil
}
