package footprint

import (
	"slices"

	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// addAlone is add of one processor that is alone: nothing is shared, and nobody takes turns, so that stamps tell all of a block. First
// uses in the window are gathered without a branch, which would be hard to predict.
func (s *space) addAlone(of []trace.Proc, to int) error {
	if s.coarser != nil {
		if err := s.coarsen(of); err != nil {
			return err
		}
	}
	m, f := &s.members[0], &s.firsts
	blocks := s.uses.Lines[s.taken:]
	places, refs := s.uses.Places[s.taken:][:len(blocks)], s.uses.Refs[s.taken:][:len(blocks)]
	f.Lines, f.Refs, f.Places = slices.Grow(f.Lines[:0], len(blocks)), slices.Grow(f.Refs[:0], len(blocks)), slices.Grow(f.Places[:0], len(blocks))
	lineOf, refOf, placeOf := f.Lines[:len(blocks)], f.Refs[:len(blocks)], f.Places[:len(blocks)]
	stamps, stamp := m.stamps, s.stamp
	i, n, unknown := 0, 0, 0
	for ; i < len(blocks) && int(refs[i]) < to; i++ {
		at := places[i]
		before := stamps[at]
		stamps[at] = stamp
		lineOf[n], refOf[n], placeOf[n] = blocks[i], refs[i], at
		first := 0
		if before != stamp {
			first = 1
		}
		n += first
		if before == noStamp {
			unknown++
		}
	}
	s.taken += i
	f.Lines, f.Refs, f.Places = f.Lines[:n], f.Refs[:n], f.Places[:n]
	m.counts.now += uint64(n)
	m.counts.total += uint64(unknown)
	for i := range m.fills {
		m.fills[i].addAll(f.Lines, s.window)
	}
	return nil
}

// coarser is how a space of one processor that is alone gets its uses: a block's first use in a window is the first one of a smaller
// block that lies in it, so that it needs to see no others.
type coarser struct {
	fine    *space
	numbers *lines.Numbering
	uses    lines.Uses
}

// nest has spaces get their uses from one before them, if the places of its blocks tell those of theirs: all neighbours of one must lie
// in one of them.
func nest(spaces []*space) {
	for i, s := range spaces {
		for _, fine := range spaces[:i] {
			if fine.Size<<groupShift <= s.Size && fine.coarser == nil && s.coarser == nil {
				s.coarser = &coarser{fine: fine, numbers: lines.NewNumbering(s.Size.Shift(), 1)}
			}
		}
	}
}

// coarsen makes the uses of a space those that its finer one took last.
func (s *space) coarsen(of []trace.Proc) error {
	c := s.coarser
	c.fine.firsts.Room = c.fine.uses.Room
	if err := c.numbers.NumberCoarse(of, &c.fine.firsts, c.fine.Size.Shift(), &c.uses); err != nil {
		return err
	}
	s.uses, s.taken = &c.uses, 0
	s.reach(c.uses.Room)
	return nil
}
