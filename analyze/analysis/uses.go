package analysis

import (
	"sync"

	"spoor/analyze/lines"
	"spoor/traces/unit"
)

// Uses is what the chunk's loads and stores use of lines of a size. Lines have their places for the whole order, so that what a
// shard keeps of lines can be in plain arrays: all shards that ask share the search of one hash table, done when the
// first asks. One that asks at all asks of every chunk. What is returned is as valid as the chunk. The error says that there are
// too many lines.
func (p *Chunk) Uses(line unit.Bytes) (*lines.Uses, error) { return p.useCache.of(line, p) }

// shareUses tells shards which uses others ask for. Of a lone processor both orders have the same.
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

// NumberLines lets chunks that do not come from a run be asked for their uses: they are one order, of so many processors.
func NumberLines(chunks []Chunk, procs int) {
	n := newNumbers(procs)
	for i := range chunks {
		chunks[i].useCache = &useCache{numbers: n}
	}
}

// numbers gives the lines of an order their places.
type numbers struct {
	procs int
	mu    sync.Mutex // shards may look at chunks at the same time
	sizes []*numbering
}

func newNumbers(procs int) *numbers {
	return &numbers{procs: procs}
}

// useCache is what one chunk uses, as far as anybody has asked.
type useCache struct {
	numbers *numbers
	sizes   []*lineUses
}

// lineUses is the uses of lines of one size.
type lineUses struct {
	line  unit.Bytes
	known bool // of this chunk
	uses  lines.Uses
	err   error
}

// reset is for the next chunk.
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

// known is the uses of one size, which it finds if need be.
func (s *useCache) known(line unit.Bytes, p *Chunk) *lineUses {
	u := s.size(line)
	if u.known {
		return u
	}
	u.known = true
	n := s.numbers.of(line)
	if n.fine == 0 {
		u.err = n.Number(&p.Refs, p.RefProcs, &u.uses)
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

// numbering is that of lines of one size.
type numbering struct {
	*lines.Numbering
	line unit.Bytes
	fine unit.Bytes // size of the lines from whose places it gets its own; 0: none
}

// of is the numbering of a size, which gets its places from the first smaller one that was asked for, if that is small enough.
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
