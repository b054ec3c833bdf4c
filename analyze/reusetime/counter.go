package reusetime

import (
	"math/bits"
	"slices"

	"spoor/analyze/lines"
)

// counter finds the times of a stream of lines, of which it is told the places: a word for each has the last use.
type counter struct {
	now   uint64   // uses so far
	last  []uint64 // use of each line, by place: its position, from 1, and shortTimes; 0: none yet, which is so long ago
	times *Times

	// Reuse times below shortTimes, the last element what is not. Most are short, and are counted without a branch that is hard to
	// predict.
	short [shortTimes + 1]uint64
	long  [lines.Batch]interval // those of a batch that are not short
}

// interval is a use and the one of the same line before it.
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
	last, now, n := c.last, c.now+shortTimes, 0
	for _, at := range place {
		now++
		was := last[at]
		last[at] = now
		t := now - was
		_, short := bits.Sub64(t, shortTimes, 0)
		c.short[(t|(short-1))&shortTimes]++
		c.long[n&(lines.Batch-1)] = interval{was, now}
		n += int(1 - short)
	}
	c.now = now - shortTimes
	for _, use := range c.long[:n] {
		if use.last == 0 {
			c.times.First.add(use.now - shortTimes)
		} else {
			c.times.Reuse.add(use.now - use.last)
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
			c.times.Last.add(c.now + shortTimes + 1 - use)
			c.times.Lines++
		}
	}
	c.times.Uses = c.now
}
