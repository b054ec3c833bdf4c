package reuse

import (
	"slices"
	"sync"
)

// crew counts the spans of a stack in parallel. Each has a goroutine of its own: it takes the slots of its uses as
// soon as all before have theirs, measures the span, and joins it to those before as soon as they
// have been joined; another one counts the distances that this found. Meanwhile the caller's goroutine looks up the lines of a later span. Whatever
// happens to the stack, goroutines end by themselves.
//
// What a span costs to join is what its older uses cost anyway; besides, nothing is done
// twice. [niu2012] splits time too, but there every chunk of the
// stream makes its own table of lines and its own tree, and every line of a chunk
// is looked up again when it is merged.
type crew struct {
	jobs  []*job // in turns; the last one sent is before the one at hand
	turn  int
	busy  bool // there is a job at hand
	level int  // of the smallest spans

	counting sync.Mutex
	older    tally // of older uses; under the lock
}

// job is a span with the uses to measure.
type job struct {
	span
	left                []uint32      // places of the lines; once slots have been taken, the slots that they leave
	gone                []uint32      // places of the lines that take slots, where those are driven out of the newest
	taken, joined, done chan struct{} // closed then
}

// spanLevel is the level of the smallest spans: 64 blocks take about a millisecond.
const spanLevel = 3

// largeLevel is the level of the largest spans. What a job has then fits the second-level cache; with four
// times as much, two cores are not measurably faster.
const largeLevel = 4

// ahead is how many jobs there are besides one for each core: one is being filled, one joined.
const ahead = 2

// mostBands is how many bitmaps of slots there are at most: two bytes of a line each.
const mostBands = 4

// newCrew is nil for a single core.
func newCrew(cores, level int) *crew {
	if cores < 2 {
		return nil
	}
	c := &crew{level: level}
	for range cores + ahead {
		j := &job{taken: make(chan struct{}), joined: make(chan struct{}), done: make(chan struct{})}
		close(j.taken)
		close(j.joined)
		close(j.done)
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
	<-j.done
	j.start(e, slot, edge{slot: slot})
	n := int(e.spanBlocks()) * blockSlots
	j.left, j.gone = slices.Grow(j.left[:0], n), j.gone[:0]
	if e.apart > 0 {
		j.gone = slices.Grow(j.gone, n)
	}
	j.taken, j.joined, j.done, c.busy = make(chan struct{}), make(chan struct{}), make(chan struct{}), true
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
	taken, before, places := c.last().taken, c.last().joined, s.lines.Places()
	joined := j.joined // j has another one as soon as its uses are counted
	c.turn = (c.turn + 1) % len(c.jobs)
	go func() {
		<-taken
		j.take(s, places)
		close(j.taken)
		j.older = j.left[:0] // is never longer than what has been read
		for left := j.left; len(left) > 0; left = left[min(batch, len(left)):] {
			j.measure(left[:min(batch, len(left))])
		}
		<-before
		found := j.join()
		go c.count(j, found) // on another core, if one is free: the caches of this one have what the next join needs
		close(joined)
	}()
}

// count counts the distances of older uses of a job, which is then free.
func (c *crew) count(j *job, found []uint32) {
	c.counting.Lock()
	for ; len(found) > 0; found = found[min(batch, len(found)):] {
		c.older.add(found[:min(batch, len(found))])
	}
	c.counting.Unlock()
	close(j.done)
}

// drain waits until all jobs of s are done, and hands over what they have counted: most of it while the last ones are at work.
func (c *crew) drain(s *Stack) {
	c.send(s)
	c.handOver(s)
	for _, j := range c.jobs {
		<-j.done
		s.tally.drain(&j.tally)
	}
	c.handOver(s)
}

// handOver hands over the older uses that are counted.
func (c *crew) handOver(s *Stack) {
	c.counting.Lock()
	s.tally.drain(&c.older)
	c.counting.Unlock()
}
