package sharing

import (
	"math"
	"math/bits"

	"spoor/traces/trace"
)

// addSharer gives a processor its first copy of the line of an address. place is the number of the
// line.
func (s *simulation) addSharer(p trace.Proc, place uint32, first uint64) (uint32, error) {
	if len(s.sharers) == math.MaxUint32 || len(s.shared) == math.MaxUint32 {
		return 0, errLines
	}
	number := &s.numbers[place]
	isNew := *number == 0
	if isNew {
		*number = s.newLine(first)
	}
	n := *number
	l := &s.lines[n]
	id := uint32(len(s.sharers))
	s.sharers = append(s.sharers, sharer{proc: int32(p), isCold: true})
	s.copies.add(n, l.region == mixed)
	if !isNew && l.shared == 0 {
		l.shared = s.newShared()
	}
	s.publishWrites(l)
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

// newShared allocates the state of a line that gets a second sharer.
func (s *simulation) newShared() uint32 {
	s.shared = append(s.shared, sharedLine{})
	s.written = append(s.written, make([]written, s.blocks)...)
	s.writers = append(s.writers, make([]writer, s.words)...)
	return uint32(len(s.shared) - 1)
}

// publishWrites publishes the words that the owner of a line has stored, and makes its copy shared.
// At this time no other processor has a copy. A processor that fetches one later calls applyWrites.
// Therefore the cost does not depend on the number of sharers. The write run of the owner goes on.
func (s *simulation) publishWrites(l *line) {
	if l.owner == 0 {
		return
	}
	if l.publications == s.maxPublications {
		s.renumber(l)
	}
	l.publications++
	by := s.sharers[l.owner].proc + 1
	for b := range s.blocks {
		c := s.copies.block(l.owner, b)
		if c[dirty] == 0 {
			continue
		}
		of := &s.written[int(l.shared)*s.blocks+b]
		of.words, of.publication = of.words|c[dirty], l.publications
		for words := c[dirty]; words != 0; words &= words - 1 {
			s.writers[int(l.shared)*s.words+64*b+bits.TrailingZeros64(words)] = writer{by, l.publications}
		}
		c[dirty] = 0
	}
	s.shared[l.shared].runOf, l.owner = l.owner, 0
}

// endWriteRun ends the write run of a sharer, if any, when another sharer accesses the line; 0: at
// the end of the trace.
func (s *simulation) endWriteRun(l *line, by uint32) {
	shared := &s.shared[l.shared]
	if of := shared.runOf; of != 0 && of != by {
		s.runs[writeRun].add(s.copies.uses(of)[1] - shared.runFrom)
		shared.runOf = 0
	}
}

// endReadRun ends the read run of a sharer.
func (s *simulation) endReadRun(id uint32) {
	h, n := &s.sharers[id], s.copies.uses(id)[0]
	if s.lines[s.copies.line(id)].shared != 0 {
		s.runs[readRun].add(n - h.loadsBefore)
	}
	h.loadsBefore = n
}

// applyWrites marks the words that owners have published since the sharer's copy ended.
func (s *simulation) applyWrites(id uint32) {
	l, known, all := &s.lines[s.copies.line(id)], s.sharers[id].publications, uint64(0)
	for b := range s.blocks {
		of := &s.written[int(l.shared)*s.blocks+b]
		if of.publication <= known {
			continue
		}
		writers, news := s.writers[int(l.shared)*s.words+64*b:], uint64(0)
		for words := of.words; words != 0; words &= words - 1 {
			if writers[bits.TrailingZeros64(words)].publication > known {
				news |= words & -words
			}
		}
		c := s.copies.block(id, b)
		c[stale] |= news
		c[unread] |= news
		all |= news
	}
	if all != 0 && s.copies.state(id) == flushed { // others have stored the line since the flush
		s.endReadRun(id)
	}
}

// renumber makes all sharers without a copy apply the published writes, and restarts the numbers
// of publications of a line.
func (s *simulation) renumber(l *line) {
	for id := 1; id < len(s.sharers); id++ {
		if &s.lines[s.copies.line(uint32(id))] == l && !s.copies.isValid(uint32(id)) {
			s.applyWrites(uint32(id))
			s.sharers[id].publications = 0
		}
	}
	for b := range s.blocks {
		s.written[int(l.shared)*s.blocks+b].publication = 0
	}
	for w := range s.words {
		s.writers[int(l.shared)*s.words+w].publication = 0
	}
	l.publications = 0
}

// fetch gives a sharer a shared copy.
func (s *simulation) fetch(id uint32, first uint64) {
	h := &s.sharers[id]
	l := &s.lines[s.copies.line(id)]
	h.next, l.sharers = l.sharers, id
	if h.isFlushed = s.copies.state(id) == flushed; !h.isFlushed {
		h.loadsBefore = s.copies.uses(id)[0]
	}
	if l.lastProc < 0 {
		s.copies.setState(id, pure)
	} else {
		s.copies.setState(id, unneeded)
	}
	h.phase, h.region, h.isPrefetch = s.phases.at[h.proc], s.regions.at(first), false
	from := l.lastProc
	if s.shared[l.shared].inMemory {
		from = -1
	}
	s.matrix.line(from, h.proc)
}

// acquire makes the copy of a sharer that stores exclusive. If the store hit, it is an upgrade.
func (s *simulation) acquire(id uint32, first uint64, hit bool) {
	l := &s.lines[s.copies.line(id)]
	if l.owner == id {
		return
	}
	h := &s.sharers[id]
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
			shared.sameWriter++
		case removed == 1 && fromLast:
			shared.fromOther++
		default:
			shared.otherStores++
		}
	}
	if shared := &s.shared[l.shared]; l.shared != 0 {
		if shared.runOf != id {
			shared.runFrom = s.copies.uses(id)[1]
		}
		shared.runOf, shared.inMemory = 0, false
	}
	l.owner, l.lastProc = id, h.proc
}

// removeOthers ends all copies of a line except one. It returns their number, and whether one of
// them belonged to the processor that stored the line last.
func (s *simulation) removeOthers(keep uint32) (removed uint64, fromLast bool) {
	l := &s.lines[s.copies.line(keep)]
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		if id != keep {
			s.endCopy(id, invalid)
			removed++
			fromLast = fromLast || s.sharers[id].proc == l.lastProc
		}
	}
	l.sharers, s.sharers[keep].next = keep, 0
	return removed, fromLast
}

// endCopy ends a copy, because of a store (invalid) or a flush (flushed), and classifies the miss
// that brought it.
func (s *simulation) endCopy(id uint32, to state) {
	h := &s.sharers[id]
	s.classify(id)
	if to == invalid {
		s.endReadRun(id)
	}
	for b := range s.blocks {
		c := s.copies.block(id, b)
		c[quiet] = 0
		if h.isCold || h.isFlushed { // such a miss is essential in any case
			c[stale] = 0
		}
	}
	h.isCold = false
	s.copies.setState(id, to)
	h.publications = s.lines[s.copies.line(id)].publications
}

// classify counts the miss that brought a copy. A prefetch is no miss.
func (s *simulation) classify(id uint32) {
	h := &s.sharers[id]
	if h.isPrefetch {
		return
	}
	t, phase := s.tally(h.region, h.proc), s.phases.count(h.proc, h.phase)
	shared, was := &s.shared[s.lines[s.copies.line(id)].shared], s.copies.state(id)
	switch {
	case h.isFlushed:
		t.flushed++
		phase.flushed++
	case h.isCold && was == pure:
		t.pure++
		phase.cold++
	case h.isCold && was == essential:
		t.coldTrue++
		phase.cold++
	case h.isCold:
		t.coldFalse++
		phase.cold++
	case was == essential:
		t.trues++
		phase.trues++
		shared.trues++
	default:
		t.falses++
		phase.falses++
		shared.falses++
	}
}

// end ends all copies and adds up the counts of lines and sharers.
func (s *simulation) end() {
	for p := range s.phases.at {
		s.phases.sum(trace.Proc(p))
	}
	s.kinds = map[kindKey]kindCounts{}
	s.endSole()
	s.listAll()
	for n := 1; n < len(s.lines); n++ {
		l := &s.lines[n]
		if s.moved && s.usersOf(l) < 2 {
			l.shared = 0 // all others have only prefetched it
		}
		if l.shared != 0 {
			s.publishWrites(l)
			s.endWriteRun(l, 0)
		}
		for id := l.sharers; id != 0; id = s.sharers[id].next {
			switch state := s.copies.state(id); {
			case state == flushed:
				s.endReadRun(id)
			case state != invalid:
				s.endCopy(id, invalid)
			}
		}
		s.addUp(l)
		s.addKindOf(l)
	}
	s.sharerIDs, s.numbers, s.lines, s.sharers, s.copies = nil, nil, nil, nil, copies{}
	s.shared, s.written, s.writers, s.split = nil, nil, nil, nil
}

// listAll puts all sharers of each line into its list.
func (s *simulation) listAll() {
	for n := range s.lines {
		s.lines[n].sharers = 0
	}
	for id := 1; id < len(s.sharers); id++ {
		l := &s.lines[s.copies.line(uint32(id))]
		s.sharers[id].next, l.sharers = l.sharers, uint32(id)
	}
}
