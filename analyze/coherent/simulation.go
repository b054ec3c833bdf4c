package coherent

import (
	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation is the caches of all processors at one line size.
type simulation struct {
	line   unit.Bytes
	caches []*cache     // by processor; nil until its first use
	first  []holder     // by place: the first of the list of those whose copy is valid
	found  []*Distances // by processor, at the end
}

// cache is that of one processor, without limit: what all sizes have in common. How deep lines lie is the stack's
// business.
type cache struct {
	copies []held // by place among the processor's own lines
	stack  *reuse.HoledStack

	top      uint32 // of copies: of the line used last, whose distance is 0 as long as its copy is valid
	topState state
	topUses  uint64 // that so needed nothing else
}

// held is a line that the processor has used, and may have still.
type held struct {
	next  holder // the next one whose copy is valid
	state state
}

// holder is the copy of a line in a cache.
type holder struct {
	proc trace.Proc
	copy uint32 // of its copies; 0: nobody
}

// state is that of a copy.
type state uint8

const (
	absent    state = iota // never used, or another has stored the line since
	shared                 // others may have the line too
	exclusive              // no other has it
)

func newSimulation(procs int, line unit.Bytes) *simulation {
	return &simulation{line: line, caches: make([]*cache, procs)}
}

// add simulates the uses of a piece.
func (s *simulation) add(uses *lines.Uses, p *analysis.Piece) error {
	s.first = lines.Reach(s.first, uint32(uses.Room-1))
	own, refs := uses.Own[:len(uses.Places)], uses.Refs[:len(uses.Places)]
	for i, place := range uses.Places {
		ref := refs[i]
		wanted := shared
		if p.Refs.Op[ref] == trace.Store {
			wanted = exclusive
		}
		who := holder{p.Of[ref], own[i]}
		c := s.caches[who.proc]
		if c == nil {
			c = &cache{stack: reuse.NewHoledStack()}
			s.caches[who.proc] = c
		}
		if who.copy == c.top && c.topState >= wanted {
			c.topUses++
		} else if err := s.use(c, who, place, wanted); err != nil {
			return err
		}
	}
	return nil
}

// use simulates a load, which wants a copy shared at least, or a store, which wants it exclusive.
func (s *simulation) use(c *cache, who holder, place uint32, wanted state) error {
	c.copies = lines.Reach(c.copies, who.copy)
	own := &c.copies[who.copy]
	if own.state < wanted {
		if wanted == shared {
			s.fetch(own, who, &s.first[place])
		} else if err := s.store(own, who, &s.first[place]); err != nil {
			return err
		}
	}
	c.top, c.topState = who.copy, own.state
	return c.stack.Use(who.copy)
}

// fetch gives a processor a valid copy. If another has it exclusive, it does no longer.
func (s *simulation) fetch(own *held, who holder, first *holder) {
	if first.copy != 0 {
		s.caches[first.proc].set(first.copy, shared)
	}
	own.state, own.next = shared, *first
	*first = who
}

// store makes a copy the only one.
func (s *simulation) store(own *held, who holder, first *holder) error {
	for at := *first; at.copy != 0; {
		other := s.caches[at.proc]
		next := other.copies[at.copy].next
		if at.proc != who.proc {
			other.set(at.copy, absent)
			if err := other.stack.Remove(at.copy); err != nil {
				return err
			}
		}
		at = next
	}
	own.state, own.next = exclusive, holder{}
	*first = who
	return nil
}

// set gives a copy another state.
func (c *cache) set(number uint32, to state) {
	c.copies[number].state = to
	if number == c.top {
		c.topState = to
	}
}

// end turns caches into distances.
func (s *simulation) end() error {
	s.found = make([]*Distances, len(s.caches))
	for p, c := range s.caches {
		s.found[p] = &Distances{Line: s.line}
		if c == nil {
			continue
		}
		uses, lost, cold, err := c.stack.Distances()
		if err != nil {
			return err
		}
		if c.topUses > 0 && len(uses) == 0 {
			uses = []uint64{0}
		}
		if c.topUses > 0 {
			uses[0] += c.topUses
		}
		s.found[p] = &Distances{Line: s.line, Uses: uses, Lost: lost, Cold: cold}
		s.caches[p] = nil
	}
	s.caches, s.first = nil, nil
	return nil
}
