package reuse

// stop is a point in a stream where a stack tells its counts. Workers count up to there later.
type stop struct {
	at   int // uses of the job before it
	then func(width int, counts func() useCounts)

	recent []uint64   // uses of recent lines so far, by distance
	cold   uint64     // first uses that the caller's goroutine counted so far
	inside classTally // of the job: uses whose old slots are in the window
	width  int        // one more than the largest distance of these
	first  uint64     // first uses of the job, without those among older
	older  int        // older uses of the job
	found  int        // of these, the ones that are no first uses
}

// maxStops is the maximum number of stops of a job.
const maxStops = 64

// countedJobs has the counts of all jobs that are done. These are done in the order of the stream.
type countedJobs struct {
	classes classTally
	cold    uint64
	width   int
}

// counts returns the counts of the stack, with those of recent lines.
func (c *countedJobs) counts(recent []uint64, cold uint64) useCounts {
	uses := append([]uint64(nil), c.classes[:]...)
	for d, n := range recent {
		uses[d] += n // class d is distance d
	}
	cold += c.cold
	return useCounts{trimmed(uses), cold, cold}
}

// whenCounted calls then as soon as all uses so far are counted, with their width and counts. Calls are in the order of
// the stream, but may come from other goroutines. Stacks with workers must count classes.
func (s *Stack) whenCounted(then func(width int, counts func() useCounts)) {
	if s.workers == nil {
		then(s.width(), s.classes)
		return
	}
	j := s.workers.currentJob()
	if s.workers.open && len(j.stops) == maxStops {
		s.settle()
	}
	recent, cold := s.recentCounts()
	if s.workers.open {
		j.stops = append(j.stops, stop{at: len(j.oldSlots), then: then, recent: recent, cold: cold})
		return
	}
	then(max(newest, s.workers.counted.width), s.classes)
}

// settle waits until all uses are counted. Only for stacks with workers.
func (s *Stack) settle() {
	if s.workers.open {
		s.workers.settle(s)
		s.free = 0
	}
}

// recentCounts returns what the caller's goroutine counts: uses of recent lines by distance, and first uses.
func (s *Stack) recentCounts() (uses []uint64, cold uint64) {
	return append([]uint64(nil), s.tally.uses[:newest]...), s.tally.cold
}

// countClasses makes new workers count each use by class.
func (c *workers) countClasses() {
	c.counted = new(countedJobs)
	for _, j := range c.jobs {
		j.tally.byUse = new(classTally)
	}
}

// measureUses processes all uses of the window, and notes the counts at each stop.
func (j *job) measureUses() {
	j.older = j.oldSlots[:0] // never longer than the uses read so far
	j.firstBefore = j.tally.cold
	at := 0
	for i := range j.stops {
		t := &j.stops[i]
		j.measureTo(at, t.at)
		at = t.at
		t.inside, t.width, t.first, t.older = *j.tally.byUse, j.tally.width(), j.tally.cold-j.firstBefore, len(j.older)
	}
	j.measureTo(at, len(j.oldSlots))
}

// measureTo processes the uses from one index to another.
func (j *job) measureTo(from, to int) {
	for uses := j.oldSlots[from:to]; len(uses) > 0; uses = uses[min(batch, len(uses)):] {
		j.measure(uses[:min(batch, len(uses))])
	}
}

// add adds the counts of a job, after those of the job before. The distances are those of older uses. On the way it
// tells the counts at each stop.
func (c *countedJobs) add(j *job, distances []uint32) {
	at := 0
	for i := range j.stops {
		t := &j.stops[i]
		c.addOlder(distances[at:t.found])
		at = t.found
		t.then(max(c.width, t.width), func() useCounts {
			now := countedJobs{classes: c.classes, cold: c.cold + t.first + uint64(t.older-t.found)}
			now.classes.addTally(&t.inside)
			return now.counts(t.recent, t.cold)
		})
	}
	c.addOlder(distances[at:])
	c.classes.addTally(j.tally.byUse)
	*j.tally.byUse = classTally{}
	c.cold += j.tally.cold - j.firstBefore
	c.width = max(c.width, j.tally.width())
}

// addOlder counts distances of older uses.
func (c *countedJobs) addOlder(distances []uint32) {
	for _, d := range distances {
		c.width = max(c.width, int(d)+1)
	}
	c.classes.add(distances)
}

func (t *classTally) addTally(more *classTally) {
	for i, n := range more {
		t[i] += n
	}
}
