package cache

import (
	"errors"
	"math"
	"slices"

	"spoor/analyze/cache/internal/spill"
	"spoor/traces/heap"
)

var optPolicy = policy{Name: "opt", Doc: "Belady's optimum: the line whose next use is farthest away leaves [belady1966]; among those never used again, the one first used last"}

// record stores all requests to one level in order, because OPT needs the future. Each use takes
// eight bytes in a temporary file. A backward pass finds the next use of each use, which takes
// eight more bytes. A forward pass simulates the cache. Memory holds the distinct lines.
type record struct {
	ids     map[uint64]uint32 // by line, in order of first use
	lines   []uint64          // by id
	log     spill.Column      // of entries
	lastRef uint64
	err     error

	prefetching bool // uses are those of prefetches
}

// An entry holds the number of a line, the cause of a possible miss, the operation, and flags.
const (
	entryDirty = 1 << iota // the line becomes dirty
	entryMark              // a write-back from above, which is not a use; log2 of its bytes is above
	// entryMark without entryDirty is a flush of the line
	entrySame       // of the same reference as the previous use
	entryOp     = 3 // shifts
	entryCause  = 5
	entryID     = 8
	entryOpMask = 3
	entrySize   = 2
	entryLog    = 1<<(entryID-entrySize) - 1
)

func newRecord() *record { return &record{ids: map[uint64]uint32{}} }

func (c *record) use(k key, ref uint64, o op, why cause) {
	e := k&1*entryDirty | uint64(o)<<entryOp | uint64(why)<<entryCause
	if c.prefetching {
		e = uint64(ops) << entryOp
	}
	if ref == c.lastRef {
		e |= entrySame
	}
	c.lastRef = ref
	c.add(k>>1, e)
}

// mark makes a line dirty if it is present at this time. 2^size bytes are written.
func (c *record) mark(line uint64, size uint) {
	c.add(line, uint64(size)<<entrySize|entryDirty|entryMark)
}

// drop removes a line if it is present at this time.
func (c *record) drop(line uint64) {
	if _, known := c.ids[line]; known {
		c.add(line, entryMark)
	}
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
	if err := c.log.Add(uint64(id)<<entryID | e); err != nil && c.err == nil {
		c.err = err
	}
}

// never is the next use of a line that is not used again. It is later than any use and differs
// between lines.
const never = 1 << 63

// nextUses puts into next, for each entry, the position of the next use of the same line.
func (c *record) nextUses(next *spill.Column) error {
	last := make([]uint64, len(c.lines))
	for id := range last {
		last[id] = never | uint64(id)
	}
	words := make([]uint64, 0, spill.ChunkWords)
	for i := c.log.Chunks; i >= 0; i-- {
		var err error
		if words, err = c.log.Get(i, words); err != nil {
			return err
		}
		for j := len(words) - 1; j >= 0; j-- {
			e := words[j]
			id := e >> entryID
			switch {
			case e&entryMark == 0:
				words[j], last[id] = last[id], uint64(i)*spill.ChunkWords+uint64(j)
			case e&entryDirty == 0: // no use before the flush profits from one after it
				last[id] = never | id
			}
		}
		if i == c.log.Chunks {
			next.Tail = append(next.Tail, words...)
		} else if err := next.Put(i, words); err != nil {
			return err
		}
	}
	return nil
}

// replay simulates OPT and adds its counts to counts. The record is then released.
func (c *record) replay(g geometry, counts *Counts) error {
	if c.err != nil {
		return c.err
	}
	defer c.log.Close()
	next := &spill.Column{Chunks: c.log.Chunks}
	defer next.Close()
	if err := c.nextUses(next); err != nil {
		return err
	}
	o := &opt{geometry: g, Counts: counts, lines: c.lines, sets: make([]optSet, g.sets), state: make([]uint8, len(c.lines))}
	entries, uses := make([]uint64, 0, spill.ChunkWords), make([]uint64, 0, spill.ChunkWords)
	for i := range c.log.Chunks + 1 {
		var err error
		if entries, err = c.log.Get(i, entries); err != nil {
			return err
		}
		if uses, err = next.Get(i, uses); err != nil {
			return err
		}
		for j, e := range entries {
			o.entry(e, uses[j], uint64(i)*spill.ChunkWords+uint64(j))
		}
	}
	*c = record{}
	return nil
}

// opt simulates a cache with OPT.
type opt struct {
	geometry
	*Counts
	lines   []uint64
	sets    []optSet
	state   []uint8 // by id
	refMiss bool    // a use of the current reference has missed
}

// The state of a line.
const (
	present = 1 << iota
	dirty
)

// optSet holds the lines of a set, as a heap with the farthest next use on top. A use adds the line
// with its new next use and leaves the old entry, which is in the past by then. Future uses are
// farther, so past entries never reach the top of a full set.
type optSet struct {
	heap heap.Heap[uint64, uint8, uint8, uint32]
	full uint64 // ways with a line
}

// optLine is the id of a line. Its key is the complement of the next use.
type optLine = heap.Item[uint64, uint8, uint8, uint32]

// entry processes the next entry, at time now.
func (o *opt) entry(e, next, now uint64) {
	id := e >> entryID
	if e&entryMark != 0 {
		if e&entryDirty == 0 {
			o.drop(id, now)
			return
		}
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
	s.heap.Push(optLine{Key: ^next, Value: uint32(id)})
	if uint64(len(s.heap)) > 2*o.ways+8 {
		s.forget(now)
	}
}

// drop removes a line, with the entry of its next use.
func (o *opt) drop(id, now uint64) {
	if o.state[id]&present == 0 {
		return
	}
	o.Flushed++
	if o.state[id]&dirty != 0 {
		o.Writebacks++
	}
	o.state[id] = 0
	s := &o.sets[o.set(o.lines[id])]
	s.full--
	s.heap = slices.DeleteFunc(s.heap, func(l optLine) bool { return uint64(l.Value) == id })
	s.forget(now)
}

func (o *opt) miss(s *optSet, e uint64) {
	if by := op(e >> entryOp & entryOpMask); by == ops {
		o.PrefetchFills++
	} else {
		o.Misses[by]++
		o.blame(cause(e >> entryCause & entryOpMask))
		if o.refMiss {
			o.Split++
		}
		o.refMiss = true
	}
	if s.full < o.ways {
		s.full++
		return
	}
	victim := s.heap.Pop().Value
	o.Evictions++
	if o.state[victim]&dirty != 0 {
		o.Writebacks++
	}
	o.state[victim] = 0
}

// forget removes entries in the past.
func (s *optSet) forget(now uint64) {
	s.heap = slices.DeleteFunc(s.heap, func(l optLine) bool { return ^l.Key <= now })
	s.heap.Init()
}
