package sharing

import (
	"math"
	"math/bits"

	"spoor/traces/trace"
)

// hold gives a processor its first copy of the line of an address, which has that place.
func (s *simulation) hold(p trace.Proc, place uint32, first uint64) (uint32, error) {
	if len(s.holders) == math.MaxUint32 || len(s.shared) == math.MaxUint32 {
		return 0, errLines
	}
	number := &s.numbers[place]
	if *number == 0 {
		*number = s.newLine(first)
	}
	n := *number
	l := &s.lines[n]
	id := uint32(len(s.holders))
	s.holders = append(s.holders, holder{next: l.holders, proc: int32(p), isCold: true})
	s.copies.add(n, l.region == mixed)
	if l.holders != 0 && l.shared == 0 {
		l.shared = s.newShared()
	}
	s.fold(l)
	l.holders = id
	for b := range s.blocks {
		c := s.copies.block(id, b)
		c[unread] = math.MaxUint64
		if l.shared != 0 {
			c[stale] = s.written[int(l.shared)*s.blocks+b]
		}
	}
	s.fetch(id, first)
	return id, nil
}

func (s *simulation) newLine(first uint64) uint32 {
	number := first >> s.lineShift
	base := number << s.lineShift
	s.lines = append(s.lines, line{number: number, lastProc: -1, region: s.regions.within(base, base+uint64(s.line)-1)})
	return uint32(len(s.lines) - 1)
}

// newShared is for a line that gets a second holder.
func (s *simulation) newShared() uint32 {
	s.shared = append(s.shared, sharedLine{})
	s.written = append(s.written, make([]uint64, s.blocks)...)
	s.writers = append(s.writers, make([]int32, s.words)...)
	return uint32(len(s.shared) - 1)
}

// fold makes what the owner of a line has stored known to all others, and its copy
// shared.
func (s *simulation) fold(l *line) {
	if l.owner == 0 {
		return
	}
	owner := &s.holders[l.owner]
	for b := range s.blocks {
		news := s.copies.block(l.owner, b)[dirty]
		if news == 0 {
			continue
		}
		s.written[int(l.shared)*s.blocks+b] |= news
		for words := news; words != 0; words &= words - 1 {
			s.writers[int(l.shared)*s.words+64*b+bits.TrailingZeros64(words)] = owner.proc + 1
		}
		for id := l.holders; id != 0; id = s.holders[id].next {
			if id != l.owner {
				c := s.copies.block(id, b)
				c[stale] |= news
				c[unread] |= news
			}
		}
		s.copies.block(l.owner, b)[dirty] = 0
	}
	s.runs[writeRun].add(s.copies.uses(l.owner)[1] - s.shared[l.shared].runFrom)
	l.owner = 0
}

// fetch gives a holder a shared copy.
func (s *simulation) fetch(id uint32, first uint64) {
	h := &s.holders[id]
	l := &s.lines[s.copies.line(id)]
	l.valid++
	if l.lastProc < 0 {
		s.copies.setState(id, pure)
	} else {
		s.copies.setState(id, unneeded)
	}
	h.phase, h.region, h.loadsBefore = s.phases.at[h.proc], s.regions.at(first), s.copies.uses(id)[0]
	s.matrix.line(l.lastProc, h.proc)
}

// own makes the copy of a holder that stores exclusive. If it had one before, and not just fetched it, that is an upgrade.
func (s *simulation) own(id uint32, first uint64, hit bool) {
	l := &s.lines[s.copies.line(id)]
	if l.owner == id {
		return
	}
	h := &s.holders[id]
	removed, fromLast := s.removeOthers(id)
	if hit {
		t, phase := s.tally(s.regions.at(first), h.proc), s.phases.count(h.proc, s.phases.at[h.proc])
		if removed > 0 {
			t.upgrades++
			phase.upgrades++
		} else {
			t.silent++
		}
	}
	if removed > 0 {
		s.runs[invalidatedRun].add(removed)
		switch shared := &s.shared[l.shared]; {
		case l.lastProc == h.proc:
			shared.again++
		case removed == 1 && fromLast:
			shared.took++
		default:
			shared.other++
		}
	}
	if l.shared != 0 {
		s.shared[l.shared].runFrom = s.copies.uses(id)[1]
	}
	l.owner, l.lastProc = id, h.proc
}

// removeOthers ends all copies of a line but one. It counts them, and says whether one was that of
// the processor that stored the line last.
func (s *simulation) removeOthers(keep uint32) (removed uint64, fromLast bool) {
	l := &s.lines[s.copies.line(keep)]
	for id := l.holders; id != 0 && l.valid > 1; id = s.holders[id].next {
		if id != keep && s.copies.state(id) != invalid {
			s.die(id)
			removed++
			fromLast = fromLast || s.holders[id].proc == l.lastProc
			l.valid--
		}
	}
	return removed, fromLast
}

// die ends a copy, and classifies the miss that brought it.
func (s *simulation) die(id uint32) {
	h := &s.holders[id]
	t, phase := s.tally(h.region, h.proc), s.phases.count(h.proc, h.phase)
	l, was := &s.lines[s.copies.line(id)], s.copies.state(id)
	shared := &s.shared[l.shared]
	switch {
	case h.isCold && was == pure:
		t.pure++
	case h.isCold && was == essential:
		t.coldTrue++
	case h.isCold:
		t.coldFalse++
	case was == essential:
		t.trues++
		phase.trues++
		shared.trues++
	default:
		t.falses++
		phase.falses++
		shared.falses++
	}
	if l.shared != 0 {
		s.runs[readRun].add(s.copies.uses(id)[0] - h.loadsBefore)
	}
	for b := range s.blocks {
		c := s.copies.block(id, b)
		c[quiet] = 0
		if h.isCold { // a cold miss is essential whatever was accessed
			c[stale] = 0
		}
	}
	if h.isCold {
		phase.cold++
		h.isCold = false
	}
	s.copies.setState(id, invalid)
}

// end ends all copies, and adds up what lines and holders counted.
func (s *simulation) end() {
	for p := range s.phases.at {
		s.phases.sum(trace.Proc(p))
	}
	s.kinds = map[kindKey]kindCounts{}
	s.endAlone()
	for n := 1; n < len(s.lines); n++ {
		l := &s.lines[n]
		if l.shared != 0 {
			s.fold(l)
		}
		for id := l.holders; id != 0; id = s.holders[id].next {
			if s.copies.state(id) != invalid {
				s.die(id)
			}
		}
		s.addUp(l)
		s.addKindOf(l)
	}
	s.holdings, s.numbers, s.lines, s.holders, s.copies = nil, nil, nil, nil, copies{}
	s.shared, s.written, s.writers, s.split = nil, nil, nil, nil
}
