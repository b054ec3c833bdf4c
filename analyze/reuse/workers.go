package reuse

import (
	"slices"
	"sync"
)

// workers count the windows of a stack in parallel. Each window has its own goroutine. It assigns the slots
// of its uses after all earlier windows have done so. Then it measures the window, and merges it after all
// earlier windows were merged. Another goroutine counts the distances that merging finds. Meanwhile the
// caller's goroutine looks up the lines of a later window. All goroutines end by themselves, whatever happens
// to the stack.
//
// Merging a window costs as much as its older uses cost anyway. No other work is done twice. [niu2012] also
// splits time. But there every chunk of the stream has its own table of lines and its own tree, and merging
// looks up every line of a chunk again.
type workers struct {
	jobs        []*job // circular; the last one submitted is before the current one
	current     int
	open        bool // the current job is being filled
	windowLevel int  // of the smallest windows

	mu         sync.Mutex
	olderTally tally // of older uses; guarded by mu

	counted *countedJobs // nil: classes are not counted
}

// job is a window with its uses.
type job struct {
	window
	oldSlots               []uint32      // places of the used lines; after slots were assigned, their old slots
	displaced              []uint32      // places of the lines that get slots when displaced from the newest
	stops                  []stop        // in the order of the uses
	firstBefore            uint64        // first uses that the job counted for earlier windows
	assigned, merged, done chan struct{} // closed when that is complete
}

// minWindowLevel is the level of the smallest windows: 64 blocks take about a millisecond.
const minWindowLevel = 3

// maxWindowLevel is the level of the largest windows. The data of such a job fits the second-level cache.
// With windows four times as large, two cores are not measurably faster.
const maxWindowLevel = 4

// extraJobs is the number of jobs in addition to one for each core: one is being filled, one merged.
const extraJobs = 2

// maxBands is the maximum number of bitmaps of slots: two bytes for each line.
const maxBands = 4

// newWorkers returns nil for a single core.
func newWorkers(cores, windowLevel int) *workers {
	if cores < 2 {
		return nil
	}
	c := &workers{windowLevel: windowLevel}
	for range cores + extraJobs {
		j := &job{assigned: make(chan struct{}), merged: make(chan struct{}), done: make(chan struct{})}
		close(j.assigned)
		close(j.merged)
		close(j.done)
		c.jobs = append(c.jobs, j)
	}
	return c
}

// bands returns the number of cores that renumber lines: one without workers. Each core needs a bit for every
// slot.
func (c *workers) bands() int {
	if c == nil {
		return 1
	}
	return min(len(c.jobs)-extraJobs, maxBands)
}

// currentJob returns the job that is being filled.
func (c *workers) currentJob() *job { return c.jobs[c.current] }

// startJob waits until a job is free, and makes it the current one.
func (c *workers) startJob(e *epoch, slot uint32) {
	j := c.currentJob()
	<-j.done
	j.start(e, slot, edge{slot: slot})
	n := int(e.windowBlocks()) * blockSlots
	j.oldSlots, j.displaced, j.stops = slices.Grow(j.oldSlots[:0], n), j.displaced[:0], j.stops[:0]
	if e.topExcluded > 0 {
		j.displaced = slices.Grow(j.displaced, n)
	}
	j.assigned, j.merged, j.done, c.open = make(chan struct{}), make(chan struct{}), make(chan struct{}), true
}

// previousJob returns the job before the current one. If there is no current one, this is the last submitted.
func (c *workers) previousJob() *job { return c.jobs[(c.current+len(c.jobs)-1)%len(c.jobs)] }

// waitAssigned waits until the uses of all jobs have slots.
func (c *workers) waitAssigned() { <-c.previousJob().assigned }

// submit starts the current job, if there is one, on the slots of s.
func (c *workers) submit(s *Stack) {
	if !c.open {
		return
	}
	c.open = false
	j := c.currentJob()
	p := c.previousJob()
	taken, before, counted, places := p.assigned, p.merged, p.done, s.lines.Places()
	joined := j.merged // j gets another channel as soon as its uses are counted
	c.current = (c.current + 1) % len(c.jobs)
	go func() {
		<-taken
		j.assignSlots(s, places)
		close(j.assigned)
		j.measureUses()
		<-before
		found := j.mergeOlder(j.stops)
		go c.count(j, found, counted) // on another core, if one is free: the caches of this core have the data of the next merge
		close(joined)
	}()
}

// count counts the distances of older uses of a job, after those of the job before. Then the job is free.
func (c *workers) count(j *job, distances []uint32, before <-chan struct{}) {
	<-before
	c.mu.Lock()
	for rest := distances; len(rest) > 0; rest = rest[min(batch, len(rest)):] {
		c.olderTally.add(rest[:min(batch, len(rest))])
	}
	c.mu.Unlock()
	if c.counted != nil {
		c.counted.add(j, distances)
	}
	close(j.done)
}

// settle waits until all jobs of s are done.
func (c *workers) settle(s *Stack) {
	c.submit(s)
	for _, j := range c.jobs {
		<-j.done
	}
}

// drain waits until all jobs of s are done, and adds their counts. It adds most of them while the last jobs
// run.
func (c *workers) drain(s *Stack) {
	c.submit(s)
	c.collect(s)
	for _, j := range c.jobs {
		<-j.done
		s.tally.drain(&j.tally)
	}
	c.collect(s)
}

// collect adds the counted older uses.
func (c *workers) collect(s *Stack) {
	c.mu.Lock()
	s.tally.drain(&c.olderTally)
	c.mu.Unlock()
}
