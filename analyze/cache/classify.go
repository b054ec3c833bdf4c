package cache

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
	full   *list // the fully associative LRU cache, which sees what the level sees; nil if the level is one itself
	seen   lineSet
	misses *uint64 // of it
}

// newClasses is for a level from which others take no lines, if alone is set.
func newClasses(l *level, alone bool) *classes {
	d := l.description
	c := &classes{seen: lineSet{}, misses: &l.FullMisses}
	if !alone || d.Sets > 1 || d.Policy != lruPolicy.Name || d.NoAllocate || d.Inclusion == Exclusive {
		c.full = newList(newGeometry(1, d.Sets*d.Ways), true)
	}
	return c
}

// use uses lines, of which the last missed in the level if missed is set; then its cause is returned.
func (c *classes) use(keys []key, missed bool) cause {
	if c == nil {
		return 0
	}
	if c.full == nil {
		if !missed {
			return 0
		}
		return c.found(false, keys[len(keys)-1]>>1)
	}
	why := conflict
	for len(keys) > 0 {
		n, _ := c.full.use(keys)
		if n == len(keys) {
			break
		}
		why = c.found(false, keys[n]>>1)
		if keys = keys[n+1:]; len(keys) > 0 {
			why = conflict
		}
	}
	return why
}

// offer is a write that brings no line.
func (c *classes) offer(k key) cause {
	if c == nil {
		return 0
	}
	return c.found(c.full.hit(k), k>>1)
}

// give is a use that takes the line away.
func (c *classes) give(line uint64) cause {
	if c == nil {
		return 0
	}
	return c.found(c.full.drop(line) != empty, line)
}

// take is a line that comes without a use.
func (c *classes) take(k key) {
	if c != nil {
		c.full.use([]key{k})
	}
}

func (c *classes) found(hit bool, line uint64) cause {
	if hit {
		return conflict
	}
	*c.misses++
	if c.seen.add(line) {
		return compulsory
	}
	return capacity
}

// lineSet is a set of lines, a bit for each of 64 neighbours.
type lineSet map[uint64]uint64

// add reports whether a line is new.
func (s lineSet) add(line uint64) bool {
	word, bit := s[line>>6], uint64(1)<<(line&63)
	if word&bit != 0 {
		return false
	}
	s[line>>6] = word | bit
	return true
}
