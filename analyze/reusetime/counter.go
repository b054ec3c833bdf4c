package reusetime

import (
	"slices"

	"spoor/analyze/lines"
)

// counter finds the times of a stream of lines, of which it is told the places: a word for each has the last use.
type counter struct {
	now   uint64   // uses so far; the latest was at this time
	last  []uint64 // use of each line, by place; 0: none yet
	times *Times

	// Reuse times below shortTimes, the last element what is not: most are short, and counting these
	// without a branch saves a third of the time.
	short [shortTimes + 1]uint64
	long  [lines.Batch]interval // those of a batch that are not short
}

// interval is a use and the one of the same line before it, 0 for none.
type interval struct{ last, now uint64 }

const shortTimes = exactTimes - 1

// add uses lines in order.
func (c *counter) add(uses *lines.Uses) {
	c.last = lines.Extend(c.last, uses.Room)
	for places := range slices.Chunk(uses.Places, lines.Batch) {
		c.measure(places)
	}
}

func (c *counter) measure(place []uint32) {
	last, now, n := c.last, c.now, 0
	for _, at := range place {
		now++
		was := last[at]
		last[at] = now
		t := now - was
		c.short[min(t, shortTimes)]++
		c.long[n&(lines.Batch-1)] = interval{was, now}
		if t >= shortTimes || was == 0 {
			n++
		}
	}
	c.now = now
	for _, use := range c.long[:n] {
		switch t := use.now - use.last; {
		case use.last == 0:
			c.times.First.add(t)
			if t < shortTimes {
				c.short[t]-- // it is no reuse
			}
		default:
			c.times.Reuse.add(t)
		}
	}
}

// end counts what only the end of the stream tells.
func (c *counter) end() {
	for t, n := range c.short[:shortTimes] {
		if n > 0 {
			c.times.Reuse.addMany(uint64(t), n)
		}
	}
	for _, use := range c.last {
		if use > 0 {
			c.times.Last.add(c.now + 1 - use)
			c.times.Lines++
		}
	}
	c.times.Uses = c.now
}
