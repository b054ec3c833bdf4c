package cache

import "spoor/analyze/lines"

// cause is why a use misses.
type cause uint8

// The causes; the zero cause is that of a use of which nothing is known.
const (
	compulsory cause = 1 + iota // the first use of the line
	capacity                    // a fully associative LRU cache of the same size misses it too
	conflict                    // it would have hit there
)

// classes finds the causes of the misses of one level [hill1989]. Nil finds none.
type classes struct {
	places *places
	full   *full    // the fully associative LRU cache, which sees what the level sees; nil if the level is one itself
	seen   []uint64 // by place, a bit: lines that full missed before
	misses *uint64  // of full
	todo   []uint32 // places of uses that are to be counted
	found  []uint32 // where they are kept
}

// newClasses is for a level from which others take no lines, if alone is set.
func newClasses(l *level, p *places, alone bool) *classes {
	d := l.description
	c := &classes{places: p, misses: &l.FullMisses}
	if !alone || d.Sets > 1 || d.Policy != lruPolicy.Name || d.NoAllocate || d.Inclusion == Exclusive {
		c.full = newFull(uint32(d.Sets * d.Ways))
	}
	return c
}

// begin says what the next uses are, which miss and hits count, and reports whether no line is known to be written back among them.
func (c *classes) begin(keys []key) (noneBack bool) {
	if c == nil || c.full == nil {
		return false
	}
	c.found = c.places.find(keys, c.found)
	c.todo = c.found
	c.reach()
	return len(c.found) == len(keys)
}

// miss counts the next n uses, of which the last one, of a line, missed in the level. It is the cause.
func (c *classes) miss(n int, line uint64) cause {
	if c == nil {
		return 0
	}
	if c.full == nil {
		return c.why(false, c.place(line))
	}
	c.places.line, c.places.latest = line, c.todo[n-1]
	why := c.count(c.todo[:n])
	c.todo = c.todo[n:]
	return why
}

// hits counts the next n uses, all of which hit.
func (c *classes) hits(n int) {
	if c != nil && c.full != nil {
		c.count(c.todo[:n])
		c.todo = c.todo[n:]
	}
}

// use counts one use, and is the cause if it missed.
func (c *classes) use(line uint64, missed bool) cause {
	if c == nil || c.full == nil && !missed {
		return 0
	}
	at := [1]uint32{c.place(line)}
	if c.full == nil {
		return c.why(false, at[0])
	}
	return c.count(at[:])
}

// count has full see uses, and is the cause if the last one missed in the level.
func (c *classes) count(places []uint32) (why cause) {
	for len(places) > 0 {
		n := c.full.use(places)
		if n == len(places) {
			return conflict
		}
		why = c.why(false, places[n])
		places = places[n+1:]
	}
	return why
}

// offer is a write that brings no line.
func (c *classes) offer(line uint64) cause {
	if c == nil {
		return 0
	}
	at := c.place(line)
	return c.why(c.full.hit(at), at)
}

// give is a use that takes the line away.
func (c *classes) give(line uint64) cause {
	if c == nil {
		return 0
	}
	at := c.place(line)
	return c.why(c.full.drop(at), at)
}

// take is a line that comes without a use.
func (c *classes) take(line uint64) {
	if c != nil {
		c.full.use([]uint32{c.place(line)})
	}
}

// why is the cause of a miss of a use that full has hit or missed.
func (c *classes) why(hit bool, place uint32) cause {
	if hit {
		return conflict
	}
	*c.misses++
	word, bit := &c.seen[place>>6], uint64(1)<<(place&63)
	if *word&bit != 0 {
		return capacity
	}
	*word |= bit
	return compulsory
}

// place is that of a line.
func (c *classes) place(line uint64) uint32 {
	at := c.places.of(line)
	c.reach()
	return at
}

// reach makes room for all places that there are.
func (c *classes) reach() {
	if n := c.places.table.Places()/64 + 1; n > len(c.seen) {
		c.seen = append(c.seen, make([]uint64, n-len(c.seen))...)
	}
	if c.full != nil {
		c.full.last = lines.Extend(c.full.last, c.places.table.Places())
	}
}
