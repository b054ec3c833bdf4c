package reuse

import (
	"errors"
	"math"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// position is when something ends, in instructions. Index 0 is the end of the latest item, 1 that of the latest reference,
// and 2 that of the latest event. A trace counts the last two separately, see [analysis.Chunk].
type position [3]int64

// delay is a time in a slice as a function of the position where the slice starts: the latest of the three times of the
// position, each with its delay. never is the delay of a time that has no influence.
type delay [3]int64

const never = math.MinInt64

// at returns the time for a start, or the largest number if the time is later.
func (d delay) at(start position) (time int64) {
	for i := range d {
		switch {
		case d[i] == never:
		case start[i] > math.MaxInt64-d[i]:
			return math.MaxInt64
		default:
			time = max(time, start[i]+d[i])
		}
	}
	return time
}

// later returns the delay after further instructions.
func (d delay) later(instr int64) delay {
	for i := range d {
		if d[i] > never {
			d[i] += instr
		}
	}
	return d
}

// latest returns the later one of two times.
func (d delay) latest(other delay) delay {
	for i := range d {
		d[i] = max(d[i], other[i])
	}
	return d
}

// sliceClocks is the position after the items of a slice so far.
type sliceClocks [3]delay

func newSliceClocks() sliceClocks {
	return sliceClocks{{0, never, never}, {never, 0, never}, {never, never, 0}}
}

// references advances the clocks by at least one reference.
func (c *sliceClocks) references(instr []uint32) {
	now := c[0].latest(c[1].later(int64(instr[0]))).later(int64(analysis.SumInstr(instr[1:])))
	c[0], c[1] = now, now
}

// event advances the clocks by an event with some work beyond its Instr.
func (c *sliceClocks) event(e *trace.Event, work int64) {
	now := c[0].latest(c[2].later(int64(e.Instr))).later(work)
	c[0], c[1], c[2] = now, c[1].later(work), now
}

// at returns the position for a start.
func (c *sliceClocks) at(start position) (end position, err error) {
	for i := range c {
		end[i] = c[i].at(start)
	}
	if end[0] == math.MaxInt64 {
		err = errors.New("a processor executes more than 2^63 instructions")
	}
	return end, err
}
