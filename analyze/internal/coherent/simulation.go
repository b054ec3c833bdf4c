package coherent

import (
	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation simulates the caches of all processors at one line size.
type simulation struct {
	line   unit.Bytes
	caches []cache      // by processor
	first  []holder     // by line number: the first in the list of valid copies
	found  []*Distances // by processor, at the end

	touched state // or the compiler drops the loads of touch
}

// cache is the cache of one processor, of unlimited size. It holds what caches of all sizes have in
// common; the stack knows the depth of lines.
type cache struct {
	states []state           // by the processor's own line number: small, because most uses need nothing else
	nexts  []holder          // by the same number: the next valid copy
	stack  *reuse.HoledStack // nil until the first use
}

// holder identifies the copy of a line in a cache.
type holder struct {
	proc trace.Proc
	copy uint32 // its line number there; 0: none
}

// state is the state of a copy.
type state uint8

const (
	absent    state = iota // never used, or another processor has stored the line since
	shared                 // other processors may have the line too
	exclusive              // no other processor has it
)

func newSimulation(procs int, line unit.Bytes) *simulation {
	return &simulation{line: line, caches: make([]cache, procs)}
}

// add simulates the uses of a chunk.
func (s *simulation) add(uses *lines.Uses, p *analysis.Chunk) error {
	s.first = lines.Reach(s.first, uint32(uses.Room-1))
	for from := 0; from < len(uses.Places); from += lines.Batch {
		to := min(from+lines.Batch, len(uses.Places))
		s.touch(uses.Own[from:to], uses.Refs[from:to], p.RefProcs)
		if err := s.addBatch(uses.Places[from:to], uses.Own[from:to], uses.Refs[from:to], p); err != nil {
			return err
		}
	}
	return nil
}

// touch allocates state for lines of processors, and loads their states. The loads overlap because
// nothing waits for them.
func (s *simulation) touch(own, refs []uint32, of []trace.Proc) {
	touched, refs := s.touched, refs[:len(own)]
	for i, place := range own {
		c := &s.caches[of[refs[i]]]
		if int(place) >= len(c.states) {
			c.reach(place)
		}
		touched += c.states[place]
	}
	s.touched = touched
}

// addBatch simulates uses of lines whose state is allocated.
func (s *simulation) addBatch(places, own, refs []uint32, p *analysis.Chunk) error {
	own, refs = own[:len(places)], refs[:len(places)]
	ops, of := p.Refs.Op, p.RefProcs[:len(p.Refs.Op)]
	for i, place := range places {
		ref := refs[i]
		wanted := shared
		if ops[ref] == trace.Store {
			wanted = exclusive
		}
		who := holder{of[ref], own[i]}
		c := &s.caches[who.proc]
		if c.states[who.copy] < wanted {
			if err := s.get(c, who, &s.first[place], wanted); err != nil {
				return err
			}
		}
		if err := c.stack.Use(who.copy); err != nil {
			return err
		}
	}
	return nil
}

// reach makes room for a line of the cache's processor.
func (c *cache) reach(place uint32) {
	if c.stack == nil {
		c.stack = reuse.NewHoledStack()
	}
	c.states, c.nexts = lines.Reach(c.states, place), lines.Reach(c.nexts, place)
}

// get obtains the copy that a use needs: at least shared for a load, exclusive for a store.
func (s *simulation) get(c *cache, who holder, first *holder, wanted state) error {
	if wanted == exclusive {
		return s.store(c, who, first)
	}
	s.fetch(c, who, first)
	return nil
}

// fetch obtains a valid copy. If another processor has it exclusive, that copy becomes shared.
func (s *simulation) fetch(c *cache, who holder, first *holder) {
	if first.copy != 0 {
		s.caches[first.proc].states[first.copy] = shared
	}
	c.states[who.copy], c.nexts[who.copy] = shared, *first
	*first = who
}

// store makes a copy the only one.
func (s *simulation) store(c *cache, who holder, first *holder) error {
	for at := *first; at.copy != 0; {
		other := &s.caches[at.proc]
		next := other.nexts[at.copy]
		if at.proc != who.proc {
			other.states[at.copy] = absent
			if err := other.stack.Remove(at.copy); err != nil {
				return err
			}
		}
		at = next
	}
	c.states[who.copy], c.nexts[who.copy] = exclusive, holder{}
	*first = who
	return nil
}

// end converts the caches to distances.
func (s *simulation) end() error {
	s.found = make([]*Distances, len(s.caches))
	for p := range s.caches {
		c := &s.caches[p]
		s.found[p] = &Distances{Line: s.line}
		if c.stack == nil {
			continue
		}
		d, lost, err := c.stack.Distances()
		if err != nil {
			return err
		}
		s.found[p] = &Distances{Line: s.line, Uses: d.Uses, Lost: lost, Cold: d.Cold, Flushed: d.Flushed, Prefetches: d.Prefetches}
		*c = cache{}
	}
	s.caches, s.first = nil, nil
	return nil
}
