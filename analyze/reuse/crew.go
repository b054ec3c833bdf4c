package reuse

import "slices"

// crew counts the spans of a stack in parallel. Each has a goroutine of its own: it takes the slots of its uses as
// soon as all before have theirs, measures the span, and joins it to those before as soon as they
// have been joined. Meanwhile the caller's goroutine looks up the lines of a later span. Whatever
// happens to the stack, goroutines end by themselves.
//
// What a span costs to join is what its older uses cost anyway; besides, nothing is done
// twice. [niu2012] splits time too, but there every chunk of the
// stream makes its own table of lines and its own tree, and every line of a chunk
// is looked up again when it is merged.
type crew struct {
	jobs  []*job // in turns; the last one sent is before the one at hand
	turn  int
	busy  bool  // there is a job at hand
	level int   // of the smallest spans
	join  tally // of older uses; owned by the goroutine that joins
}

// job is a span with the uses to measure.
type job struct {
	span
	left          []uint32      // places of the lines; once slots have been taken, the slots that they leave
	gone          []uint32      // places of the lines that take slots, where those are driven out of the newest
	taken, joined chan struct{} // closed then
}

// spanLevel is the level of the smallest spans: 64 blocks take about a millisecond.
const spanLevel = 3

// largeLevel is the level of the largest spans. What a job has then fits the second-level cache: with four
// times as much, two cores are up to 9 % slower.
const largeLevel = 4

// ahead is how many jobs there are besides one for each core: one is being filled, one joined.
const ahead = 2

// mostBands is how many bitmaps of slots there are at most: two bytes of a line each.
const mostBands = 4

func newCrew(cores, level int) *crew {
	c := &crew{level: level}
	for range cores + ahead {
		j := &job{taken: make(chan struct{}), joined: make(chan struct{})}
		close(j.taken)
		close(j.joined)
		c.jobs = append(c.jobs, j)
	}
	return c
}

// bands is how many cores renumber lines, one without a crew. Each needs a bit for every slot.
func (c *crew) bands() int {
	if c == nil {
		return 1
	}
	return min(len(c.jobs)-ahead, mostBands)
}

// current is the job that is being filled.
func (c *crew) current() *job { return c.jobs[c.turn] }

// start waits until there is a free job, and puts it at hand.
func (c *crew) start(e *era, slot uint32) {
	j := c.current()
	<-j.joined
	j.start(e, slot, edge{slot: slot})
	n := int(e.spanBlocks()) * blockSlots
	j.left, j.gone = slices.Grow(j.left[:0], n), j.gone[:0]
	if e.apart > 0 {
		j.gone = slices.Grow(j.gone, n)
	}
	j.taken, j.joined, c.busy = make(chan struct{}), make(chan struct{}), true
}

// last is the job before the one at hand, or, if there is none, the one that was sent last.
func (c *crew) last() *job { return c.jobs[(c.turn+len(c.jobs)-1)%len(c.jobs)] }

// settle waits until the uses of all jobs have their slots.
func (c *crew) settle() { <-c.last().taken }

// send has the job at hand, if there is one, done, with slots of s.
func (c *crew) send(s *Stack) {
	if !c.busy {
		return
	}
	c.busy = false
	j := c.current()
	taken, joined, places := c.last().taken, c.last().joined, s.lines.Places()
	c.turn = (c.turn + 1) % len(c.jobs)
	go func() {
		<-taken
		j.take(s, places)
		close(j.taken)
		j.older = slices.Grow(j.older, len(j.left))
		for left := j.left; len(left) > 0; left = left[min(batch, len(left)):] {
			j.measure(left[:min(batch, len(left))])
		}
		<-joined
		j.join(&c.join)
		close(j.joined)
	}()
}

// drain waits until all jobs of s are done, and hands over what they have counted.
func (c *crew) drain(s *Stack) {
	c.send(s)
	for _, j := range c.jobs {
		<-j.joined
		s.tally.drain(&j.tally)
	}
	s.tally.drain(&c.join)
}
