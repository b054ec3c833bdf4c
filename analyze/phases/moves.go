package phases

import (
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// move simulates the prefetches or flushes of a chunk up to index to.
func (s *simulation) move(p *analysis.Chunk, to int) {
	u := s.lineUses
	for ; s.usesRead < len(u.Lines) && int(u.Refs[s.usesRead]) < to; s.usesRead++ {
		line, id := u.Lines[s.usesRead], u.Places[s.usesRead]
		if p.Moves == trace.Flush {
			s.flushLine(line, id)
		} else {
			s.prefetch(p.RefProcs[u.Refs[s.usesRead]], line, id)
		}
	}
}

// prefetch simulates a load that counts as no use.
func (s *simulation) prefetch(p trace.Proc, line uint64, id uint32) {
	if s.latestLines[p] == nil {
		s.latestLines[p] = make([]latestLine, s.mask+1)
	}
	t := s.latest(p, line)
	if t.hits(line, false) {
		return
	}
	uses := s.uses[p]
	var before [][MaxWays + 1 - invalidated]uint64
	for _, c := range s.caches {
		before = append(before, c.tallies[p].reuse[0])
	}
	s.use(t, p, line, id, false)
	s.uses[p] = uses
	for i, c := range s.caches {
		c.tallies[p].reuse[0] = before[i]
	}
}

// flushLine removes a line from the caches of all processors.
func (s *simulation) flushLine(line uint64, id uint32) {
	for w, word := range s.directory.valid(id) {
		for ; word != 0; word &= word - 1 {
			p := trace.Proc(64*w + bits.TrailingZeros64(word))
			if t := s.latest(p, line); t.line == line {
				t.valid = false
			}
			for _, c := range s.caches {
				c.writeBack(p, line, id)
				c.invalidate(p, line, id)
			}
		}
	}
	clear(s.directory.valid(id))
	s.directory.owner[id] = -1
}

// writeBack counts the write-back of a line that all caches of a processor lose, in those that have it
// exclusive.
func (c *cache) writeBack(p trace.Proc, line uint64, id uint32) {
	s := c.stack(p, line)
	d := s.depth(id)
	if d == MaxWays || s.maxDistance[d] == notOwner {
		return
	}
	for ways := max(d, int(s.maxDistance[d])) + 1; ways <= MaxWays; ways++ {
		c.tallies[p].writebacks[ways]++
	}
}
