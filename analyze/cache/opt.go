package cache

import (
	"errors"
	"math"
)

var optPolicy = Policy{Name: "opt", Doc: "Belady's optimum: the line whose next use is farthest away leaves [belady1966]; among those never used again, the one first used last"}

// record is all that is asked of one level, in order, for OPT needs the future. Eight bytes a use go to a
// temporary file; a pass backwards over it finds each use's next use, eight bytes more; a pass
// forwards simulates. In memory are the distinct lines.
type record struct {
	ids     map[uint64]uint32 // by line, in order of first use
	lines   []uint64          // by id
	log     spill             // of entries
	lastRef uint64
	err     error
}

// An entry is the id of a line, the cause that a miss would have, what the processor did, and flags.
const (
	entryDirty  = 1 << iota // the line becomes dirty
	entryMark               // a write-back from above, which is no use: log2 of its bytes is above
	entrySame               // of the same reference as the use before it
	entryOp     = 3         // shifts
	entryCause  = 5
	entryID     = 8
	entryOpMask = 3
	entrySize   = 2
	entryLog    = 1<<(entryID-entrySize) - 1
)

func newRecord() *record { return &record{ids: map[uint64]uint32{}} }

func (c *record) use(k key, ref uint64, o op, why cause) {
	e := k&1*entryDirty | uint64(o)<<entryOp | uint64(why)<<entryCause
	if ref == c.lastRef {
		e |= entrySame
	}
	c.lastRef = ref
	c.add(k>>1, e)
}

// mark makes a line dirty if it is there at this time, of which 2^size bytes come.
func (c *record) mark(line uint64, size uint) {
	c.add(line, uint64(size)<<entrySize|entryDirty|entryMark)
}

func (c *record) add(line uint64, e uint64) {
	id, ok := c.ids[line]
	if !ok {
		if id = uint32(len(c.lines)); id == math.MaxUint32 && c.err == nil {
			c.err = errors.New("opt: more than 2^32 distinct lines; use longer lines")
		}
		c.ids[line] = id
		c.lines = append(c.lines, line)
	}
	if err := c.log.add(uint64(id)<<entryID | e); err != nil && c.err == nil {
		c.err = err
	}
}

// never is the next use of a line that is not used again: later than any, and different by line.
const never = 1 << 63

// nextUses is the position of the next use of the same line, by entry.
func (c *record) nextUses() (*spill, error) {
	last := make([]uint64, len(c.lines))
	for id := range last {
		last[id] = never | uint64(id)
	}
	next := &spill{chunks: c.log.chunks}
	words := make([]uint64, 0, chunkWords)
	for i := c.log.chunks; i >= 0; i-- {
		var err error
		if words, err = c.log.get(i, words); err != nil {
			return next, err
		}
		for j := len(words) - 1; j >= 0; j-- {
			e := words[j]
			if e&entryMark == 0 {
				id := e >> entryID
				words[j], last[id] = last[id], uint64(i)*chunkWords+uint64(j)
			}
		}
		if i == c.log.chunks {
			next.tail = append(next.tail, words...)
		} else if err := next.put(i, words); err != nil {
			return next, err
		}
	}
	return next, nil
}

// replay simulates OPT, counting into c what depends on it. The record is gone then.
func (c *record) replay(g geometry, counts *Counts) error {
	if c.err != nil {
		return c.err
	}
	defer c.log.close()
	next, err := c.nextUses()
	defer next.close()
	if err != nil {
		return err
	}
	o := &opt{geometry: g, Counts: counts, lines: c.lines, sets: make([]optSet, g.sets), state: make([]uint8, len(c.lines))}
	entries, uses := make([]uint64, 0, chunkWords), make([]uint64, 0, chunkWords)
	for i := range c.log.chunks + 1 {
		if entries, err = c.log.get(i, entries); err != nil {
			return err
		}
		if uses, err = next.get(i, uses); err != nil {
			return err
		}
		for j, e := range entries {
			o.entry(e, uses[j], uint64(i)*chunkWords+uint64(j))
		}
	}
	*c = record{}
	return nil
}

// opt is the caches of OPT.
type opt struct {
	geometry
	*Counts
	lines   []uint64
	sets    []optSet
	state   []uint8 // by id
	refMiss bool    // a use of the present reference has missed
}

// The state of a line.
const (
	present = 1 << iota
	dirty
)

// optSet is the lines of a set, as a heap with the farthest next use on top. A use adds the
// line with its new next use and leaves the old one, which is past by then: of those that
// lie ahead, any is farther, so that the past ones never come to the top of a full set.
type optSet struct {
	heap []optLine
	full uint64 // ways with a line
}

type optLine struct{ next, id uint64 }

// entry is the next thing that is asked, at time now.
func (o *opt) entry(e, next, now uint64) {
	id := e >> entryID
	if e&entryMark != 0 {
		if o.state[id]&present != 0 {
			o.state[id] |= dirty
		} else {
			o.Passed += 1 << (e >> entrySize & entryLog)
		}
		return
	}
	s := &o.sets[o.set(o.lines[id])]
	if e&entrySame == 0 {
		o.refMiss = false
	}
	if o.state[id]&present == 0 {
		o.miss(s, e)
	}
	o.state[id] |= present
	if e&entryDirty != 0 {
		o.state[id] |= dirty
	}
	s.push(optLine{next, id})
	if uint64(len(s.heap)) > 2*o.ways+8 {
		s.forget(now)
	}
}

func (o *opt) miss(s *optSet, e uint64) {
	o.Misses[e>>entryOp&entryOpMask]++
	o.blame(cause(e >> entryCause & entryOpMask))
	if o.refMiss {
		o.Split++
	}
	o.refMiss = true
	if s.full < o.ways {
		s.full++
		return
	}
	victim := s.pop().id
	o.Evictions++
	if o.state[victim]&dirty != 0 {
		o.Writebacks++
	}
	o.state[victim] = 0
}

func (s *optSet) push(l optLine) {
	s.heap = append(s.heap, l)
	i := len(s.heap) - 1
	for i > 0 && s.heap[(i-1)/2].next < l.next {
		s.heap[i] = s.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	s.heap[i] = l
}

func (s *optSet) pop() optLine {
	top, last := s.heap[0], len(s.heap)-1
	l := s.heap[last]
	s.heap = s.heap[:last]
	if last > 0 {
		s.sink(0, l)
	}
	return top
}

// sink puts a line at or below place i.
func (s *optSet) sink(i int, l optLine) {
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.heap[child+1].next > s.heap[child].next {
			child++
		}
		if s.heap[child].next <= l.next {
			break
		}
		s.heap[i] = s.heap[child]
		i = child
	}
	s.heap[i] = l
}

// forget removes what is past.
func (s *optSet) forget(now uint64) {
	kept := s.heap[:0]
	for _, l := range s.heap {
		if l.next > now {
			kept = append(kept, l)
		}
	}
	s.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		s.sink(i, kept[i])
	}
}
