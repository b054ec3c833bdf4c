package coherent

import (
	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// move simulates a chunk of prefetches or flushes.
func (s *simulation) move(uses *lines.Uses, p *analysis.Chunk) error {
	s.first = lines.Reach(s.first, uint32(uses.Room-1))
	for i, place := range uses.Places {
		who := holder{p.RefProcs[uses.Refs[i]], uses.Own[i]}
		move := s.flush
		if p.Moves == trace.Prefetch {
			move = s.prefetch
		}
		if err := move(who, &s.first[place]); err != nil {
			return err
		}
	}
	return nil
}

// flush removes a line from all caches.
func (s *simulation) flush(_ holder, first *holder) error {
	for at := *first; at.copy != 0; {
		other := &s.caches[at.proc]
		other.states[at.copy] = absent
		if err := other.stack.Flush(at.copy); err != nil {
			return err
		}
		at = other.nexts[at.copy]
	}
	*first = holder{}
	return nil
}

// prefetch brings a line into the cache of a processor, as a load does.
func (s *simulation) prefetch(who holder, first *holder) error {
	c := &s.caches[who.proc]
	c.reach(who.copy)
	if c.states[who.copy] == absent {
		s.fetch(c, who, first)
	}
	return c.stack.Prefetch(who.copy)
}
