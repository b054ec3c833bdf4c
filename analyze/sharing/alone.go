package sharing

import (
	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// quiet is the accesses of a line that tell nothing new, of a processor that is alone: nobody else changes which these are, so that
// masks tell them, and they need not be added to what the holder of the line does before the end.
type quiet struct {
	words    [2]uint64 // whose loads, and whose stores, tell nothing new
	uses     [2]uint64 // loads and stores that did not
	accesses uint64    // of words, by these
}

// isAlone reports whether there is but one processor, and a line has one block.
func (s *simulation) isAlone() bool { return len(s.holdings) == 1 && s.blocks == 1 }

// addAlone is add for a processor that is alone.
func (s *simulation) addAlone(uses *lines.Uses, p *analysis.Piece) error {
	last := uint32(uses.Room - 1)
	s.numbers, s.holdings[0], s.quiet = lines.Reach(s.numbers, last), lines.Reach(s.holdings[0], last), lines.Reach(s.quiet, last)
	s.phases.uses[0] += uint64(len(uses.Lines))
	refs, places := uses.Refs[:len(uses.Lines)], uses.Places[:len(uses.Lines)]
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
		q := &s.quiet[places[i]]
		if words&^q.words[store] == 0 {
			q.uses[store]++
			q.accesses += more + 1
		} else if err := s.tell(q, places[i], first, last, store == 1); err != nil {
			return err
		}
	}
	return nil
}

// tell simulates an access that tells something new, or is one of a line with parts in several regions, and finds out which are
// quiet after it.
func (s *simulation) tell(q *quiet, place uint32, first, last uint64, isStore bool) error {
	if err := s.use(0, &s.holdings[0][place], place, first, last, isStore); err != nil {
		return err
	}
	id := s.holdings[0][place]
	if !s.holders[id].isMixed {
		q.words[0] = s.copies[id].quiet
		if s.copies[id].dirty != 0 {
			q.words[1] = q.words[0]
		}
	}
	return nil
}

// settle gives holders what is known as quiet.
func (s *simulation) settle() {
	for place, q := range s.quiet {
		id := s.holdings[0][place] // the first, of which nobody hears, if there is none
		s.copies[id].uses[0] += q.uses[0]
		s.copies[id].uses[1] += q.uses[1]
		s.accesses[id] += q.accesses
	}
}
