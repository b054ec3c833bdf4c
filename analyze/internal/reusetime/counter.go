package reusetime

import (
	"math/bits"
	"slices"

	"spoor/analyze/internal/lines"
)

// counter measures the times of a stream of lines, given by their places. It needs one word for each line:
// its last use.
type counter struct {
	now     uint64   // uses so far
	lastUse []uint64 // by place: position of the last use, from 1, plus shortTimes; 0: no use yet, far in the past
	times   *Times

	// Counts of reuse times below shortTimes; the last element counts all others. Most times are short. They
	// are counted without a branch, because it would be hard to predict.
	short [shortTimes + 1]uint64
	long  [lines.Batch]usePair // the uses of a batch with long times
}

// usePair is a use and the previous use of the same line.
type usePair struct{ last, now uint64 }

const shortTimes = exactTimes - 1

// add processes uses in order.
func (c *counter) add(uses *lines.Uses) {
	c.lastUse = lines.Extend(c.lastUse, uses.Room)
	for places := range slices.Chunk(uses.Places, lines.Batch) {
		c.measure(places)
	}
}

func (c *counter) measure(place []uint32) {
	last, now, n := c.lastUse, c.now+shortTimes, 0
	for _, at := range place {
		now++
		previous := last[at]
		last[at] = now
		t := now - previous
		_, short := bits.Sub64(t, shortTimes, 0)
		c.short[(t|(short-1))&shortTimes]++
		c.long[n&(lines.Batch-1)] = usePair{previous, now}
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

// end counts the last uses, which are known only at the end of the stream.
func (c *counter) end() {
	for t, n := range c.short[:shortTimes] {
		if n > 0 {
			c.times.Reuse.addMany(uint64(t), n)
		}
	}
	for _, use := range c.lastUse {
		if use > 0 {
			c.times.Last.add(c.now + shortTimes + 1 - use)
			c.times.Lines++
		}
	}
	c.times.Uses = c.now
}
