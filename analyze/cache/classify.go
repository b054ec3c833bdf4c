package cache

import "spoor/analyze/internal/lines"

// cause is the reason for a miss.
type cause uint8

// The causes. The zero cause belongs to a use that was not classified.
const (
	compulsory cause = 1 + iota // the first use of the line
	capacity                    // a fully associative LRU cache of the same size misses it too
	conflict                    // it would have hit there
)

// classes determines the causes of the misses of one level [hill1989]. A nil value classifies
// nothing.
type classes struct {
	places *places
	full   *full    // the fully associative LRU cache with the same uses; nil if the level itself is one
	seen   []uint64 // a bit for each line number: full missed the line before
	misses *uint64  // of full
	todo   []uint32 // line numbers of uses to be counted
	all    bool     // none of their keys is a write-back
	missed []uint32 // uses that full missed
	at     []uint32 // uses that the level missed
	found  []uint32 // memory for line numbers that were looked up
}

// newClasses creates the classification for a level. Set alone if no other level takes lines from
// it.
func newClasses(l *level, p *places, alone bool) *classes {
	d := l.description
	c := &classes{places: p, misses: &l.FullMisses}
	if !alone || d.Sets > 1 || d.Policy != lruPolicy.Name || d.NoAllocate || d.Inclusion == Exclusive {
		c.full = newFull(uint32(d.Sets * d.Ways))
	}
	return c
}

// numbered returns the line numbers of the level, or nil if misses are not classified.
func (l *level) numbered() *places {
	switch {
	case l.classifiedLRU != nil:
		return l.classifiedLRU.places
	case l.classes != nil:
		return l.classes.places
	}
	return nil
}

// finds reports whether the level needs the numbers of all used lines.
func (l *level) finds() bool { return l.classifiedLRU != nil || l.classes.finds() }

// finds reports whether the numbers of all used lines are needed.
func (c *classes) finds() bool { return c != nil && c.full != nil }

// begin sets the next uses, which miss, hits and causes count.
func (c *classes) begin(b *batch, from, to int) {
	if !c.finds() {
		return
	}
	if b.placed {
		c.todo = b.places[from:to]
	} else {
		c.found = c.places.find(b.keys[from:to], false, c.found)
		c.todo = c.found
	}
	c.reach()
	c.all = len(c.todo) == to-from
}

// miss counts the next n uses. The last of them missed in the level. It returns the cause.
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

// use counts one use. If it missed, use returns the cause.
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

// count passes uses to full. If the last one missed in the level, count returns the cause.
func (c *classes) count(places []uint32) (why cause) {
	c.missed = c.full.use(places, c.missed[:0])
	why = conflict
	for _, i := range c.missed {
		if w := c.why(false, places[i]); int(i) == len(places)-1 {
			why = w
		}
	}
	return why
}

// causes counts the uses among keys, and adds the causes of those that missed in the level to
// counts.
func (c *classes) causes(keys []key, out []miss, counts *Counts) {
	if c.full == nil {
		for i := range out {
			if k := keys[out[i].at]; k < back {
				counts.blame(c.why(false, c.place(k>>1)))
			}
		}
		return
	}
	n := c.among(keys, out)
	places, at := c.todo[:n], c.at
	c.todo = c.todo[n:]
	counts.Conflict += uint64(len(at)) // those that full missed, too, are counted below
	c.missed = c.full.use(places, c.missed[:0])
	for _, i := range c.missed {
		why := c.why(false, places[i])
		for len(at) > 0 && at[0] < i {
			at = at[1:]
		}
		if len(at) > 0 && at[0] == i {
			counts.Conflict--
			counts.blame(why)
		}
	}
}

// among finds the uses among keys that missed in the level, and returns the number of uses.
func (c *classes) among(keys []key, out []miss) (uses int) {
	c.at = c.at[:0]
	if c.all {
		for i := range out {
			c.at = append(c.at, uint32(out[i].at))
		}
		return len(keys)
	}
	for i, k := range keys {
		if len(out) > 0 && out[0].at == i {
			if k < back {
				c.at = append(c.at, uint32(uses))
			}
			out = out[1:]
		}
		uses += 1 - int(k>>63)
	}
	return uses
}

// offer counts a write that loads no line.
func (c *classes) offer(line uint64) cause {
	if c == nil {
		return 0
	}
	at := c.place(line)
	return c.why(c.full.hit(at), at)
}

// give counts a use that removes the line.
func (c *classes) give(line uint64) cause {
	if c == nil {
		return 0
	}
	at := c.place(line)
	return c.why(c.full.drop(at), at)
}

// take adds a line that comes without a use.
func (c *classes) take(line uint64) {
	if c != nil {
		at := [1]uint32{c.place(line)}
		c.missed = c.full.use(at[:], c.missed[:0])
	}
}

// why returns the cause of a miss from whether full hit or missed.
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

// place returns the number of a line.
func (c *classes) place(line uint64) uint32 {
	at := c.places.of(line)
	c.reach()
	return at
}

// reach allocates state for all line numbers.
func (c *classes) reach() {
	if n := c.places.room/64 + 1; n > len(c.seen) {
		c.seen = append(c.seen, make([]uint64, n-len(c.seen))...)
	}
	if c.full != nil {
		c.full.last = lines.Extend(c.full.last, c.places.room)
	}
}
