package sharing

import (
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// sole simulates a trace of one processor with lines of one block. No other processor takes a copy
// or stores a word. Therefore two facts replace the protocol: which words of a line have been
// accessed, and whether one has been stored. Lines with parts in several regions are simulated as
// for several processors.
type sole struct {
	lines   []soleLine
	regions []int32             // of the line
	often   map[uint32]soleUses // by line number: uses that are not in the line's counter
	moves   map[uint32]soleMove // by line number: flushed or prefetched, and not used since
}

// soleLine is the state of one line.
type soleLine struct {
	words [2]uint64 // words whose loads, and whose stores, change no count: those accessed, and for stores only after the first store
	uses  soleCount
}

// soleUses counts uses of a line.
type soleUses struct {
	by   [2]uint64 // loads and stores
	more uint64    // words accessed beyond one for each use
}

// soleCount is soleUses in one word. Each part has a bit above it that says that the part is full.
// One use adds less than half of the range of a part.
type soleCount uint64

const (
	countBits = 21
	moreShift = 2 * countBits
	countFull = 1<<(countBits-1) | 1<<(2*countBits-1) | 1<<(3*countBits-1)
	countMask = 1<<countBits - 1
)

// one returns the count of one load or store of 1 + more words.
func one(store int, more uint64) soleCount {
	return 1<<(store*countBits&63) + soleCount(more)<<moreShift
}

// addTo adds the counts to u.
func (c soleCount) addTo(u *soleUses) {
	u.by[0] += uint64(c & countMask)
	u.by[1] += uint64(c >> countBits & countMask)
	u.more += uint64(c >> moreShift & countMask)
}

// isSole reports whether the trace has only one processor and a line has one block.
func (s *simulation) isSole() bool { return len(s.sharerIDs) == 1 && s.blocks == 1 }

// reach allocates state for lines up to the last number.
func (a *sole) reach(last uint32) {
	a.lines, a.regions = lines.Reach(a.lines, last), lines.Reach(a.regions, last)
}

// addSole is add for a single processor.
func (s *simulation) addSole(uses *lines.Uses, p *analysis.Chunk) error {
	s.sole.reach(uint32(uses.Room - 1))
	s.phases.uses[0] += uint64(len(uses.Lines))
	refs, places, known := uses.Refs[:len(uses.Lines)], uses.Places[:len(uses.Lines)], s.sole.lines
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
			isMixed, err := s.countAccess(l, places[i], first, last, words, store)
			if err != nil {
				return err
			}
			if isMixed {
				continue
			}
		}
		if l.uses += one(store, more); l.uses&countFull != 0 {
			s.sole.spill(l, places[i])
		}
	}
	return nil
}

// spill moves the counter of a line to the large counters.
func (a *sole) spill(l *soleLine, place uint32) {
	u := a.often[place]
	l.uses.addTo(&u)
	a.often[place], l.uses = u, 0
}

// countAccess counts the effects of a sole processor's access to words. A line with parts in
// several regions is simulated in full.
func (s *simulation) countAccess(l *soleLine, place uint32, first, last, words uint64, store int) (isMixed bool, err error) {
	hit := l.words[0] != 0
	if !hit {
		base := first &^ (1<<s.lineShift - 1)
		region := s.regions.within(base, base+uint64(s.line)-1)
		if region == mixed {
			s.numbers, s.sharerIDs[0] = lines.Reach(s.numbers, place), lines.Reach(s.sharerIDs[0], place)
			return true, s.use(0, &s.sharerIDs[0][place], place, first, last, store)
		}
		s.sole.regions[place] = region
		hit = s.countMiss(l, place)
	}
	switch {
	case store == 0:
		s.matrix.memory[0].words += uint64(bits.OnesCount64(words &^ l.words[0]))
	case hit && l.words[1] == 0:
		s.tally(s.sole.regions[place], 0).silent++
	}
	l.words[0] |= words
	if store == 1 || l.words[1] != 0 {
		l.words[1] = l.words[0]
	}
	return false, nil
}

// countMiss counts a miss of a sole processor, unless the line has been prefetched.
func (s *simulation) countMiss(l *soleLine, place uint32) (hit bool) {
	m, isMoved := s.sole.moves[place]
	if isMoved {
		l.words[0] = m.accessed
		delete(s.sole.moves, place)
	}
	t, phase := s.tally(s.sole.regions[place], 0), s.phases.count(0, s.phases.at[0])
	switch {
	case m.isHere:
		return true
	case m.flushed:
		t.flushed++
		phase.flushed++
	default:
		t.pure++
		phase.cold++
	}
	s.matrix.line(-1, 0)
	return false
}

// endSole adds up the counts of all lines.
func (s *simulation) endSole() {
	a := &s.sole
	kinds := make([][2]kindCounts, len(s.tallies)) // by region; lines without and with stores
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
	s.sole = sole{}
}
