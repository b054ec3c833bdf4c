package grow

// numbering is how the recorder numbers nonblocking operations.
type numbering struct {
	counts bool  // each gets the next number; otherwise the lowest free one
	first  int32 // the lowest number
}

// numberingOf returns how all recorded ranks number their operations. It returns false if no rule fits.
func numberingOf(all []*track) (numbering, bool) {
	first, any := int32(0), false
	for _, t := range all {
		for i := range t.rows {
			if e := &t.rows[i]; opens(e) && (!any || e.Request < first) {
				first, any = e.Request, true
			}
		}
	}
	for _, n := range []numbering{{true, first}, {false, first}} {
		if n.fits(all) {
			return n, true
		}
	}
	return numbering{}, false
}

func (n numbering) fits(all []*track) bool {
	for _, t := range all {
		c := counter{numbering: n, next: n.first}
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
	used []bool
}

// open returns the number of an operation.
func (c *counter) open() int32 {
	if c.counts {
		c.next++
		return c.next - 1
	}
	for i, used := range c.used {
		if !used {
			c.used[i] = true
			return c.first + int32(i)
		}
	}
	c.used = append(c.used, true)
	return c.first + int32(len(c.used)) - 1
}

// close frees a number.
func (c *counter) close(number int32) {
	if i := number - c.first; !c.counts && i >= 0 && int(i) < len(c.used) {
		c.used[i] = false
	}
}

// reset prepares c for another rank.
func (c *counter) reset() {
	c.next = c.first
	c.used = c.used[:0]
}
