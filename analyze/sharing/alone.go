package sharing

import (
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// alone is what a processor that is alone does with lines of one block, by place. Nobody else takes a copy or stores a word, so that
// the words of a line that it has accessed, and whether it has stored one, tell all that the protocol would. Lines with parts in several
// regions are simulated like those of several processors.
type alone struct {
	lines   []loneLine
	regions []int32             // of the line
	often   map[uint32]loneUses // by place: uses that are not in the line's counter
}

// loneLine is a line of a processor that is alone.
type loneLine struct {
	words [2]uint64 // whose loads, and whose stores, tell nothing new: those accessed, and likewise once one was stored
	uses  loneCount
}

// loneUses is uses of a line.
type loneUses struct {
	by   [2]uint64 // loads and stores
	more uint64    // words that these accessed beyond one each
}

// loneCount is loneUses in one word, each below a bit that says that its part is full. What one use adds is less than half of a part.
type loneCount uint64

const (
	countBits = 21
	moreShift = 2 * countBits
	countFull = 1<<(countBits-1) | 1<<(2*countBits-1) | 1<<(3*countBits-1)
	countMask = 1<<countBits - 1
)

// one is the count of a load or store of so many words beyond one.
func one(store int, more uint64) loneCount {
	return 1<<(store*countBits&63) + loneCount(more)<<moreShift
}

// addTo adds what was counted to uses.
func (c loneCount) addTo(u *loneUses) {
	u.by[0] += uint64(c & countMask)
	u.by[1] += uint64(c >> countBits & countMask)
	u.more += uint64(c >> moreShift & countMask)
}

// isAlone reports whether there is but one processor, and a line has one block.
func (s *simulation) isAlone() bool { return len(s.holdings) == 1 && s.blocks == 1 }

// reach makes room for places up to the last.
func (a *alone) reach(last uint32) {
	a.lines, a.regions = lines.Reach(a.lines, last), lines.Reach(a.regions, last)
}

// addAlone is add for a processor that is alone.
func (s *simulation) addAlone(uses *lines.Uses, p *analysis.Chunk) error {
	s.alone.reach(uint32(uses.Room - 1))
	s.phases.uses[0] += uint64(len(uses.Lines))
	refs, places, known := uses.Refs[:len(uses.Lines)], uses.Places[:len(uses.Lines)], s.alone.lines
	sizes, ops := p.Refs.Size[:len(p.Refs.Addr)], p.Refs.Op[:len(p.Refs.Addr)]
	within, wordShift, wordMask := uint64(1)<<s.lineShift-1, s.wordShift&63, uint64(s.words-1)
	for i, number := range uses.Lines {
		r := refs[i]
		first := p.Refs.Addr[r]
		last := first + uint64(sizes[r]) - 1
		if first^last > within {
			base := number << s.lineShift
			first, last = max(first, base), min(last, base|within)
		}
		store := 0
		if ops[r] == trace.Store {
			store = 1
		}
		more := last>>wordShift - first>>wordShift
		words := (uint64(2)<<(more&63) - 1) << (first >> wordShift & wordMask)
		l := &known[places[i]]
		if words&^l.words[store] != 0 {
			isMixed, err := s.tell(l, places[i], first, last, words, store)
			if err != nil {
				return err
			}
			if isMixed {
				continue
			}
		}
		if l.uses += one(store, more); l.uses&countFull != 0 {
			s.alone.spill(l, places[i])
		}
	}
	return nil
}

// spill empties the counter of a line.
func (a *alone) spill(l *loneLine, place uint32) {
	u := a.often[place]
	l.uses.addTo(&u)
	a.often[place], l.uses = u, 0
}

// tell takes what is new of an access of a processor that is alone, and all of it if the line has parts in several regions.
func (s *simulation) tell(l *loneLine, place uint32, first, last, words uint64, store int) (isMixed bool, err error) {
	hit := l.words[0] != 0
	if !hit {
		base := first &^ (1<<s.lineShift - 1)
		region := s.regions.within(base, base+uint64(s.line)-1)
		if region == mixed {
			s.numbers, s.holdings[0] = lines.Reach(s.numbers, place), lines.Reach(s.holdings[0], place)
			return true, s.use(0, &s.holdings[0][place], place, first, last, store)
		}
		s.alone.regions[place] = region
		s.tally(region, 0).pure++
		s.phases.count(0, s.phases.at[0]).cold++
		s.matrix.line(-1, 0)
	}
	switch {
	case store == 0:
		s.matrix.memory[0].words += uint64(bits.OnesCount64(words &^ l.words[0]))
	case hit && l.words[1] == 0:
		s.tally(s.alone.regions[place], 0).silent++
	}
	l.words[0] |= words
	if store == 1 || l.words[1] != 0 {
		l.words[1] = l.words[0]
	}
	return false, nil
}

// endAlone adds up what was counted by line.
func (s *simulation) endAlone() {
	a := &s.alone
	kinds := make([][2]kindCounts, len(s.tallies)) // by region, of lines without stores and with
	for place, l := range a.lines {
		u := a.often[uint32(place)]
		l.uses.addTo(&u)
		n := u.by[0] + u.by[1]
		if n == 0 {
			continue
		}
		region := a.regions[place]
		s.tally(region, 0).use(usage{loads: u.by[0], stores: u.by[1], words: n + u.more}, 0)
		k := &kinds[region][min(u.by[1], 1)]
		k.lines, k.uses = k.lines+1, k.uses+n
	}
	for region, byWriters := range kinds {
		for writers, n := range byWriters {
			if n.lines > 0 {
				s.addKind(kindKey{region: int32(region), kind: private, users: 1, writers: int32(writers)}, n)
			}
		}
	}
	s.alone = alone{}
}
