package grow

// numbering is how the recorder numbers nonblocking operations.
type numbering struct {
	rule  numberingRule
	first int32 // the lowest number
}

type numberingRule uint8

const (
	lowestFree  numberingRule = iota // the lowest number that no open operation has
	latestFreed                      // the number that was freed last, or else a new one
	counted                          // always a new one
)

// numberingOf returns how all recorded ranks number their operations. It returns false if no rule fits.
func numberingOf(all []*track) (numbering, bool) {
	first, known := int32(0), false
	for _, t := range all {
		for i := range t.rows {
			if e := &t.rows[i]; opens(e) && (!known || e.Request < first) {
				first, known = e.Request, true
			}
		}
	}
	for _, r := range []numberingRule{counted, lowestFree, latestFreed} {
		if n := (numbering{r, first}); n.fits(all) {
			return n, true
		}
	}
	return numbering{}, false
}

func (n numbering) fits(all []*track) bool {
	c := counter{numbering: n}
	for _, t := range all {
		c.reset()
		for i := range t.rows {
			switch e := &t.rows[i]; {
			case opens(e):
				if c.open() != e.Request {
					return false
				}
			case closes(e):
				c.close(e.Request)
			}
		}
	}
	return true
}

// counter gives numbers to the operations of one rank.
type counter struct {
	numbering
	next int32
	free []int32
}

// open returns the number of an operation.
func (c *counter) open() int32 {
	last := len(c.free) - 1
	if c.rule == counted || last < 0 {
		c.next++
		return c.next - 1
	}
	at := last
	if c.rule == lowestFree {
		for i, n := range c.free {
			if n < c.free[at] {
				at = i
			}
		}
	}
	number := c.free[at]
	c.free[at] = c.free[last]
	c.free = c.free[:last]
	return number
}

// close frees a number.
func (c *counter) close(number int32) {
	if c.rule != counted {
		c.free = append(c.free, number)
	}
}

// reset prepares c for another rank.
func (c *counter) reset() {
	c.next = c.first
	c.free = c.free[:0]
}
