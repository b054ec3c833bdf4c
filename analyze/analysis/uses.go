package analysis

import (
	"sync"

	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Uses returns which lines of the given size the chunk's references use: those of [Options.Refs], or
// all if they move lines. Each line has one
// number for the whole order, so that shards can keep the state of lines in plain arrays. The first
// shard that calls Uses searches the hash table; the others reuse its result. A shard must call it
// for every chunk or for none. The result is as valid as the chunk. An error means that there are
// too many lines.
func (p *Chunk) Uses(line unit.Bytes) (*lines.Uses, error) { return p.useCache.of(line, p) }

// shareUses tells shards which line sizes other shards request. For a lone processor, both orders
// share the same uses.
func shareUses(procs int, orders []order) {
	if procs == 1 {
		orders = []order{{shards: shardsOf(orders)}}
	}
	for _, o := range orders {
		asked := map[unit.Bytes]bool{}
		for _, s := range o.shards {
			if u, ok := s.(LineUsesShard); ok {
				for _, line := range u.LineSizes() {
					asked[line] = true
				}
			}
		}
		for _, s := range o.shards {
			if u, ok := s.(OptionalUsesShard); ok {
				for line := range asked {
					u.ShareUses(line)
				}
			}
		}
	}
}

// NumberLines prepares chunks that do not come from a run, so that [Chunk.Uses] works. They form
// one order of procs processors.
func NumberLines(chunks []Chunk, procs int) {
	n := newNumbers(procs, trace.DataOps)
	for i := range chunks {
		chunks[i].useCache = &useCache{numbers: n}
	}
}

// numbers assigns numbers to the lines of an order.
type numbers struct {
	procs int
	refs  trace.OpSet // references that use lines
	mu    sync.Mutex  // several shards may process chunks at the same time
	sizes []*numbering
}

func newNumbers(procs int, refs trace.OpSet) *numbers {
	return &numbers{procs: procs, refs: refs}
}

// usesOf returns the operations of a chunk that use lines.
func (n *numbers) usesOf(p *Chunk) trace.OpSet {
	if p.Moves != 0 {
		return trace.SetOf(p.Moves)
	}
	return n.refs
}

// useCache holds the line uses of one chunk for the sizes requested so far.
type useCache struct {
	numbers *numbers
	sizes   []*lineUses
}

// lineUses holds the uses of lines of one size.
type lineUses struct {
	line  unit.Bytes
	known bool // valid for the current chunk
	uses  lines.Uses
	err   error
}

// reset prepares for the next chunk.
func (s *useCache) reset() {
	for _, u := range s.sizes {
		u.known = false
	}
}

func (s *useCache) of(line unit.Bytes, p *Chunk) (*lines.Uses, error) {
	s.numbers.mu.Lock()
	defer s.numbers.mu.Unlock()
	u := s.known(line, p)
	return &u.uses, u.err
}

// known returns the uses of one line size, computing them if necessary.
func (s *useCache) known(line unit.Bytes, p *Chunk) *lineUses {
	u := s.size(line)
	if u.known {
		return u
	}
	u.known = true
	n := s.numbers.of(line)
	if n.fine == 0 {
		u.err = n.Number(&p.Refs, s.numbers.usesOf(p), p.RefProcs, &u.uses)
		return u
	}
	fine := s.known(n.fine, p)
	if u.err = fine.err; u.err == nil {
		u.err = n.NumberCoarse(p.RefProcs, &fine.uses, n.fine.Shift(), &u.uses)
	}
	return u
}

func (s *useCache) size(line unit.Bytes) *lineUses {
	for _, u := range s.sizes {
		if u.line == line {
			return u
		}
	}
	s.sizes = append(s.sizes, &lineUses{line: line})
	return s.sizes[len(s.sizes)-1]
}

// numbering numbers the lines of one size.
type numbering struct {
	*lines.Numbering
	line unit.Bytes
	fine unit.Bytes // the smaller line size whose numbers it derives its own from; 0: none
}

// of returns the numbering of a line size. A new numbering derives its numbers from the first
// requested smaller size that is small enough.
func (n *numbers) of(line unit.Bytes) *numbering {
	for _, x := range n.sizes {
		if x.line == line {
			return x
		}
	}
	x := &numbering{Numbering: lines.NewNumbering(line.Shift(), n.procs), line: line}
	for _, y := range n.sizes {
		if x.fine == 0 && y.line<<lines.Neighbours <= line {
			x.fine = y.line
		}
	}
	n.sizes = append(n.sizes, x)
	return x
}
