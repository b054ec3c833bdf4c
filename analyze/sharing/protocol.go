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
	isNew := *number == 0
	if isNew {
		*number = s.newLine(first)
	}
	n := *number
	l := &s.lines[n]
	id := uint32(len(s.holders))
	s.holders = append(s.holders, holder{proc: int32(p), isCold: true})
	s.copies.add(n, l.region == mixed)
	if !isNew && l.shared == 0 {
		l.shared = s.newShared()
	}
	s.fold(l)
	for b := range s.blocks {
		c := s.copies.block(id, b)
		c[unread] = math.MaxUint64
		if l.shared != 0 {
			c[stale] = s.written[int(l.shared)*s.blocks+b].words
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
	s.written = append(s.written, make([]written, s.blocks)...)
	s.writers = append(s.writers, make([]writer, s.words)...)
	return uint32(len(s.shared) - 1)
}

// fold tells what the owner of a line has stored, and makes its copy shared. Nobody else has a copy then, and who fetches one
// catches up, so that a fold costs the same however many others use the line.
func (s *simulation) fold(l *line) {
	if l.owner == 0 {
		return
	}
	if l.folds == s.maxFolds {
		s.renumber(l)
	}
	l.folds++
	by := s.holders[l.owner].proc + 1
	for b := range s.blocks {
		c := s.copies.block(l.owner, b)
		if c[dirty] == 0 {
			continue
		}
		of := &s.written[int(l.shared)*s.blocks+b]
		of.words, of.fold = of.words|c[dirty], l.folds
		for words := c[dirty]; words != 0; words &= words - 1 {
			s.writers[int(l.shared)*s.words+64*b+bits.TrailingZeros64(words)] = writer{by, l.folds}
		}
		c[dirty] = 0
	}
	s.runs[writeRun].add(s.copies.uses(l.owner)[1] - s.shared[l.shared].runFrom)
	l.owner = 0
}

// catchUp takes in what folds told since the copy of a holder ended.
func (s *simulation) catchUp(id uint32) {
	l, known := &s.lines[s.copies.line(id)], s.holders[id].folds
	for b := range s.blocks {
		of := &s.written[int(l.shared)*s.blocks+b]
		if of.fold <= known {
			continue
		}
		writers, news := s.writers[int(l.shared)*s.words+64*b:], uint64(0)
		for words := of.words; words != 0; words &= words - 1 {
			if writers[bits.TrailingZeros64(words)].fold > known {
				news |= words & -words
			}
		}
		c := s.copies.block(id, b)
		c[stale] |= news
		c[unread] |= news
	}
}

// renumber has all holders without a copy catch up, and begins the numbers of folds of a line anew.
func (s *simulation) renumber(l *line) {
	for id := 1; id < len(s.holders); id++ {
		if &s.lines[s.copies.line(uint32(id))] == l && s.copies.state(uint32(id)) == invalid {
			s.catchUp(uint32(id))
			s.holders[id].folds = 0
		}
	}
	for b := range s.blocks {
		s.written[int(l.shared)*s.blocks+b].fold = 0
	}
	for w := range s.words {
		s.writers[int(l.shared)*s.words+w].fold = 0
	}
	l.folds = 0
}

// fetch gives a holder a shared copy.
func (s *simulation) fetch(id uint32, first uint64) {
	h := &s.holders[id]
	l := &s.lines[s.copies.line(id)]
	h.next, l.holders = l.holders, id
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
	for id := l.holders; id != 0; id = s.holders[id].next {
		if id != keep {
			s.die(id)
			removed++
			fromLast = fromLast || s.holders[id].proc == l.lastProc
		}
	}
	l.holders, s.holders[keep].next = keep, 0
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
	h.folds = l.folds
}

// end ends all copies, and adds up what lines and holders counted.
func (s *simulation) end() {
	for p := range s.phases.at {
		s.phases.sum(trace.Proc(p))
	}
	s.kinds = map[kindKey]kindCounts{}
	s.endAlone()
	s.listAll()
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

// listAll has the lists of lines have all holders.
func (s *simulation) listAll() {
	for n := range s.lines {
		s.lines[n].holders = 0
	}
	for id := 1; id < len(s.holders); id++ {
		l := &s.lines[s.copies.line(uint32(id))]
		s.holders[id].next, l.holders = l.holders, uint32(id)
	}
}
