package footprint

import (
	"slices"

	"spoor/analyze/lines"
)

// addAlone is add of one processor that is alone: nothing is shared, and nobody takes turns, so that stamps tell all of a block.
func (s *space) addAlone(to int) error {
	if s.coarser != nil {
		return s.addCoarse()
	}
	end := s.taken + countBefore(s.uses.Refs[s.taken:], to)
	s.addFirstsAlone(s.uses.Places[s.taken:end], s.uses.Lines[s.taken:end], 0)
	s.taken = end
	return nil
}

// countBefore is how many references, whose indices ascend, come before one.
func countBefore(refs []uint32, to int) (n int) {
	for step := 64; step > 0; step /= 4 { // windows are short
		for n+step <= len(refs) && int(refs[n+step-1]) < to {
			n += step
		}
	}
	return n
}

// firsts is the first uses in the window, of the references that were taken last.
type firsts struct {
	of     []uint32 // their indices among the uses of these references
	blocks []uint64
	places []uint32
}

// addFirstsAlone takes uses at these places, of blocks that are the numbers divided by 2^shift. First ones are gathered without a branch,
// which would be hard to predict.
func (s *space) addFirstsAlone(places []uint32, numbers []uint64, shift uint) {
	m, f := &s.members[0], &s.firsts
	f.of = slices.Grow(f.of[:0], len(places))[:len(places)]
	of, stamps, stamp, n := f.of, m.stamps, s.stamp, 0
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
	f.of, f.blocks, f.places = of[:n], slices.Grow(f.blocks[:0], n)[:n], slices.Grow(f.places[:0], n)[:n]
	blocks, kept := f.blocks, f.places[:len(f.blocks)]
	for i, use := range f.of[:len(blocks)] {
		blocks[i], kept[i] = numbers[use]>>(shift&63), places[use]
	}
	m.counts.now += uint64(n)
	for i := range m.fills {
		m.fills[i].addAll(f.blocks, s.window)
	}
}

// known is how many blocks have a stamp.
func known(stamps []uint32) (n uint64) {
	for _, stamp := range stamps {
		if stamp != noStamp {
			n++
		}
	}
	return n
}

// coarser is how a space of one processor that is alone gets its uses: a block's first use in a window is the first one of a smaller
// block that lies in it, so that it needs to see no others.
type coarser struct {
	fine   *space
	known  *lines.Coarse // blocks of the smaller ones
	places []uint32      // of the blocks of the finer space's first uses
}

// nest has spaces get their uses from one before them, if the places of its blocks tell those of theirs: all neighbours of one must lie
// in one of them.
func nest(spaces []*space) {
	for i, s := range spaces {
		for _, fine := range spaces[:i] {
			if fine.Size<<lines.Neighbours <= s.Size && fine.coarser == nil && s.coarser == nil {
				s.coarser = &coarser{fine: fine, known: lines.NewCoarse()}
			}
		}
	}
}

// addCoarse takes the uses that the finer space found to be first ones.
func (s *space) addCoarse() error {
	c := s.coarser
	fine, shift := &c.fine.firsts, s.Size.Shift()-c.fine.Size.Shift()
	c.known.Reach(c.fine.uses.Room)
	c.places = slices.Grow(c.places[:0], len(fine.places))[:len(fine.places)]
	for i, at := range fine.places {
		var err error
		if c.places[i], err = c.known.Place(at, fine.blocks[i]>>shift); err != nil {
			return err
		}
	}
	s.reach(c.known.Places())
	s.addFirstsAlone(c.places, fine.blocks, shift)
	return nil
}
