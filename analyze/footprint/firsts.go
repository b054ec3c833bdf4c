package footprint

import (
	"slices"

	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// addFirsts is add where processors do not take turns: only their first uses of blocks in a window count. A word tells of most others,
// and sixteen neighbours have theirs side by side.
func (s *space) addFirsts(of []trace.Proc, to int) {
	blocks := s.uses.Lines
	own, places, refs := s.uses.Own[:len(blocks)], s.uses.Places[:len(blocks)], s.uses.Refs[:len(blocks)]
	s.firsts.Lines, s.firsts.Refs, s.firsts.Places = s.firsts.Lines[:0], s.firsts.Refs[:0], s.firsts.Places[:0]
	end, _ := slices.BinarySearch(refs, uint32(to))
	m, who := &s.members[0], trace.Proc(0)
	for i := s.taken; i < end; i++ {
		p, at := of[refs[i]], own[i]
		if p != who {
			m, who = &s.members[p], p
		}
		if int(at) >= len(m.stamps) {
			m.stamps = lines.Reach(m.stamps, at)
		} else if m.stamps[at] == s.stamp {
			continue
		}
		m.stamps[at] = s.stamp
		s.use(p, m, blocks[i], at, places[i])
		if s.asked {
			f := &s.firsts
			f.Lines, f.Refs, f.Places = append(f.Lines, blocks[i]), append(f.Refs, refs[i]), append(f.Places, places[i])
		}
	}
	s.taken = end
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
				fine.asked = true
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
