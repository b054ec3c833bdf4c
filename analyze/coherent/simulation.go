package coherent

import (
	"spoor/analyze/lines"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation is the caches of all processors at one line size.
type simulation struct {
	line   unit.Bytes
	shift  uint
	caches []*cache // by processor; nil until its first use
	places *lines.Table
	first  []holder     // by place: the first of the list of those whose copy is valid
	found  []*Distances // by processor, at the end
}

// cache is that of one processor, without limit: what all sizes have in common. How deep lines lie is the stack's
// business.
type cache struct {
	places *lines.Table
	copy   []uint32 // by place: index in copies; 0: none
	copies []held   // in the order of first use; the first is nobody's
	stack  *reuse.HoledStack

	top      uint64 // the line used last, whose distance is 0 as long as its copy is valid
	topCopy  uint32
	topState state
	topUses  uint64 // that so needed nothing else
}

// held is a line that the processor has used, and may have still.
type held struct {
	home  uint32 // its place among the lines of all processors
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
	return &simulation{line: line, shift: line.Shift(), caches: make([]*cache, procs), places: lines.NewTable()}
}

// refs simulates references of the processors in of; one that crosses lines uses each of them, in order.
func (s *simulation) refs(of []trace.Proc, r *trace.Refs) error {
	size, op := r.Size[:len(of)], r.Op[:len(of)]
	for i, addr := range r.Addr[:len(of)] {
		if !op[i].Data() {
			continue
		}
		wanted := shared
		if op[i] == trace.Store {
			wanted = exclusive
		}
		c := s.caches[of[i]]
		line, last := addr>>s.shift, (addr+uint64(size[i])-1)>>s.shift
		if c == nil {
			c = &cache{places: lines.NewTable(), copies: make([]held, 1), stack: reuse.NewHoledStack()}
			s.caches[of[i]] = c
		} else if line == last && line == c.top && c.topState >= wanted {
			c.topUses++
			continue
		}
		for ; ; line++ {
			if err := s.use(c, of[i], line, wanted); err != nil {
				return err
			}
			if line == last {
				break
			}
		}
	}
	return nil
}

// use simulates a load, which wants a copy shared at least, or a store, which wants it exclusive.
func (s *simulation) use(c *cache, p trace.Proc, line uint64, wanted state) error {
	place, err := c.places.Place(line)
	if err != nil {
		return err
	}
	c.copy = lines.Extend(c.copy, c.places)
	number := &c.copy[place]
	if *number == 0 {
		*number = uint32(len(c.copies))
		c.copies = append(c.copies, held{})
	}
	who := holder{p, *number}
	own := &c.copies[who.copy]
	if own.state < wanted {
		if own.home == 0 {
			if own.home, err = s.places.Place(line); err != nil {
				return err
			}
			s.first = lines.Extend(s.first, s.places)
		}
		if wanted == exclusive {
			err = s.store(own, who)
		} else {
			s.fetch(own, who)
		}
		if err != nil {
			return err
		}
	}
	c.top, c.topCopy, c.topState = line, who.copy, own.state
	return c.stack.Use(who.copy)
}

// fetch gives a processor a valid copy. If another has it exclusive, it does no longer.
func (s *simulation) fetch(own *held, who holder) {
	first := &s.first[own.home]
	if first.copy != 0 {
		s.caches[first.proc].set(first.copy, shared)
	}
	own.state, own.next = shared, *first
	*first = who
}

// store makes a copy the only one.
func (s *simulation) store(own *held, who holder) error {
	first := &s.first[own.home]
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
	if number == c.topCopy {
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
	s.caches, s.places, s.first = nil, nil, nil
	return nil
}
