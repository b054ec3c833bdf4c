package sharing

import (
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// move simulates a chunk of prefetches or flushes.
func (s *simulation) move(uses *lines.Uses, p *analysis.Chunk) error {
	s.moved = true
	s.numbers = lines.Reach(s.numbers, uint32(uses.Room-1))
	if s.isSole() {
		s.sole.reach(uint32(uses.Room - 1))
	}
	for i, place := range uses.Places {
		err := error(nil)
		switch r := uses.Refs[i]; {
		case p.Moves == trace.Prefetch:
			err = s.prefetch(p.RefProcs[r], uses.Own[i], place, max(p.Refs.Addr[r], uses.Lines[i]<<s.lineShift))
		case s.isSole() && s.numbers[place] == 0:
			s.sole.flush(place)
		default:
			err = s.flush(s.numbers[place])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flush removes a line from all caches. Number 0 is a line that no cache has had.
func (s *simulation) flush(number uint32) error {
	l := &s.lines[number]
	if l.owner != 0 {
		if l.shared == 0 {
			if len(s.shared) == math.MaxUint32 {
				return errLines
			}
			l.shared = s.newShared()
		}
		s.publishWrites(l)
	}
	if l.shared != 0 {
		s.shared[l.shared].inMemory = true
	}
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		s.endCopy(id, flushed)
	}
	l.sharers = 0
	return nil
}

// prefetch brings the line of an address into the cache of a processor.
func (s *simulation) prefetch(p trace.Proc, own, place uint32, first uint64) error {
	if s.isSole() {
		base := first &^ (1<<s.lineShift - 1)
		if region := s.regions.within(base, base+uint64(s.line)-1); region != mixed {
			if s.sole.prefetch(place, region) {
				s.tally(region, int32(p)).fills++
				s.matrix.line(-1, int32(p))
			}
			return nil
		}
		own = place
	}
	held := &s.sharerIDs[p]
	*held = lines.Reach(*held, own)
	sharer := &(*held)[own]
	if *sharer != 0 && s.copies.isValid(*sharer) {
		return nil
	}
	if err := s.obtain(p, sharer, place, first); err != nil {
		return err
	}
	h := &s.sharers[*sharer]
	h.isPrefetch = true
	s.tally(h.region, h.proc).fills++
	return nil
}

// usersOf returns the number of sharers in the list of a line that have used it.
func (s *simulation) usersOf(l *line) (n int) {
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		if of := s.copies.uses(id); of[0]+of[1] > 0 {
			n++
		}
	}
	return n
}

// soleMove is the state of a line of a sole processor that has been flushed or prefetched, and not
// used since.
type soleMove struct {
	accessed uint64 // words, before
	isHere   bool   // prefetched after the last flush, if any
	flushed  bool   // a flush removed the line
}

// flush removes a line from the cache.
func (a *sole) flush(place uint32) {
	l, m := &a.lines[place], a.moves[place]
	if l.words[0] == 0 && !m.isHere {
		return
	}
	a.moves[place] = soleMove{accessed: m.accessed | l.words[0], flushed: true}
	l.words = [2]uint64{}
}

// prefetch brings a line of a region into the cache, and reports whether it was not there.
func (a *sole) prefetch(place uint32, region int32) bool {
	m := a.moves[place]
	if a.lines[place].words[0] != 0 || m.isHere {
		return false
	}
	m.isHere = true
	a.moves[place], a.regions[place] = m, region
	return true
}
