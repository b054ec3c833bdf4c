package footprint

import (
	"runtime"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// space is memory divided into blocks of one size, with their users.
type space struct {
	Blocks
	uses           *lines.Uses // of the current chunk
	coarser        *coarser    // source of the uses, if not the chunk
	firstUses      firstUses   // of a single processor
	usesRead       int         // number of uses processed
	window         uint64      // number of the open window, from 1
	stamp          uint32      // of the open window, from firstStamp; it wraps around
	processors     []processor
	blocks         []block      // by place; sixteen neighbours are adjacent
	names          lines.Names  // numbers of the blocks
	all            counts       // of all processors together
	schedules      []*schedules // by shape, if simulated
	maxStream      int          // maximum length of a recorded stream
	overflowed     bool         // a stream was longer
	sampledWindows windowSample
	spanModel      *spanModel // nil for a single processor
}

// block is a block of memory, as all processors use it.
type block struct {
	owner  trace.Proc // the only user, or severalProcs
	first  trace.Proc // the first user in the window, or severalProcs if others used it too
	window uint64     // the last window in which it was used
	visits uint64     // number of windows in which it was used
}

// severalProcs stands for more than one processor.
const severalProcs trace.Proc = -2

// Groups are the pages of places of [lines.Table]. They contain neighbours, except where lines are scattered.
const (
	groupShift  = uint(lines.Neighbours)
	groupBlocks = 1 << groupShift
)

// newSpace returns a space without users. maxTurn is the maximum number of uses in a window, of all
// processors, that are recorded.
func newSpace(b Blocks, procs, maxTurn int) *space {
	s := &space{sampledWindows: windowSample{limit: maxWindows}, Blocks: b, window: 1, stamp: firstStamp, processors: make([]processor, procs)}
	for i := range s.processors {
		m := &s.processors[i]
		m.runs = make([][2][]uint64, len(b.Shapes))
		for _, shape := range b.Shapes {
			m.fills = append(m.fills, fill{shape: shape})
		}
	}
	if s.maxStream = maxTurn / procs; procs > 1 && len(b.Shapes) > 0 {
		s.spanModel = newSpanModel(b.Shapes, procs)
		for i, shape := range b.Shapes {
			s.schedules = append(s.schedules, newSchedules(shape, i, procs))
		}
	}
	return s
}

// begin starts a chunk.
func (s *space) begin(p *analysis.Chunk) (err error) {
	if s.coarser != nil {
		return nil
	}
	if p.Moves != 0 {
		s.uses, s.usesRead = new(lines.Uses), 0
		return nil
	}
	if s.uses, err = p.Uses(s.Size); err != nil {
		return err
	}
	s.usesRead = 0
	s.reach(s.uses.Room)
	return nil
}

// add processes the uses of the chunk's references up to index to. procs has the processor of each reference.
func (s *space) add(procs []trace.Proc, to int) error {
	switch {
	case s.isSingle():
		return s.addAlone(to)
	case s.schedules == nil:
		s.addFirsts(procs, to)
		return nil
	}
	blocks := s.uses.Lines
	own, places, refs := s.uses.Own[:len(blocks)], s.uses.Places[:len(blocks)], s.uses.Refs[:len(blocks)]
	i := s.usesRead
	for ; i < len(blocks) && int(refs[i]) < to; i++ {
		p := procs[refs[i]]
		if m := &s.processors[p]; m.lastBlock != blocks[i]+1 {
			s.use(p, m, blocks[i], own[i], places[i])
		}
	}
	s.usesRead = i
	return nil
}

// isSingle reports whether there is only one processor.
func (s *space) isSingle() bool { return len(s.processors) == 1 }

// reach extends the arrays to the given number of places.
func (s *space) reach(places int) {
	if s.isSingle() {
		s.processors[0].stamps = lines.Reach(s.processors[0].stamps, uint32(places-1))
		return
	}
	for len(s.blocks) < places {
		s.blocks = append(s.blocks, block{owner: trace.Everyone})
	}
	s.names.Reach(places)
}

// use processes a use of a block other than the processor's latest. own is the processor's own place of the
// block, place the place among those of all processors.
func (s *space) use(p trace.Proc, m *processor, b uint64, own, place uint32) {
	m.lastBlock = b + 1
	if s.schedules != nil {
		s.record(m, b)
	}
	if int(own) >= len(m.uses) {
		m.uses = lines.Reach(m.uses, own)
		m.numbers = extend(m.numbers, len(m.uses)>>groupShift)
	}
	u := &m.uses[own]
	if u.at = uint32(len(m.stream)); u.window == s.window {
		return
	}
	if u.visits == 0 {
		m.numbers[own>>groupShift] = place >> groupShift
		s.names.Set(place, b)
	}
	if s.spanModel != nil {
		s.spanModel.use(p, place, u.window, s.window)
	}
	u.window = s.window
	u.visits++
	m.counts.current++
	s.share(p, m, &s.blocks[place])
	for i := range m.fills {
		m.fills[i].add(b, s.window)
	}
	if s.schedules != nil {
		m.set, m.usePlaces = append(m.set, b), append(m.usePlaces, own)
	}
}

// record appends a use for the simulation of the window. If there are too many, it ends all simulation.
func (s *space) record(m *processor, b uint64) {
	if len(m.stream) < s.maxStream {
		m.stream = append(m.stream, b)
		return
	}
	s.schedules, s.overflowed = nil, true
	for i := range s.processors {
		m := &s.processors[i]
		m.stream, m.set, m.usePlaces, m.lastUses, m.byLast, m.previousSet = nil, nil, nil, nil, nil, nil
		clear(m.runs)
	}
}

// share counts the first use of a block by p in the open window.
func (s *space) share(p trace.Proc, m *processor, b *block) {
	switch b.owner {
	case p, severalProcs:
	case trace.Everyone: // not used yet
		b.owner = p
	default:
		b.owner = severalProcs
	}
	switch {
	case b.window != s.window:
		b.window, b.first = s.window, p
		b.visits++
		s.all.current++
	case b.first != severalProcs:
		s.processors[b.first].counts.currentShared++
		m.counts.currentShared++
		s.all.currentShared++
		b.first = severalProcs
	default:
		m.counts.currentShared++
	}
}

// close ends the open window.
func (s *space) close() {
	if s.isSingle() {
		s.all.current = s.processors[0].counts.current
	}
	if s.all.current == 0 {
		return
	}
	s.simulate()
	s.sampledWindows.add(s.window, s.processors)
	s.all.close()
	for i := range s.processors {
		m := &s.processors[i]
		if m.counts.current == 0 {
			continue
		}
		for j := range m.fills {
			m.fills[j].close(m.counts.current)
		}
		m.counts.close()
		m.lastBlock = 0
		m.stream = m.stream[:0]
		m.previousSet, m.set, m.usePlaces = m.set, m.previousSet[:0], m.usePlaces[:0]
	}
	s.window++
	s.nextStamp()
}

// simulate simulates the turns of processes in the window, and counts the spans that end with it. All tasks
// are independent. With many processors, they take most of the time of a footprint.
func (s *space) simulate() {
	if s.spanModel == nil {
		return
	}
	var work []func()
	ending := s.spanModel.endingLevels(s.window)
	if len(ending) > 0 {
		for i := range s.Shapes {
			work = append(work, func() { s.spanModel.count(i, ending, &s.names) })
		}
	}
	uses := 0
	for i := range s.processors {
		if s.schedules != nil {
			s.processors[i].prepareRuns()
		}
		uses += len(s.processors[i].stream)
	}
	for _, t := range s.schedules {
		for _, k := range t.bySize {
			work = append(work, func() { k.run(s.processors) })
		}
	}
	if cores := runtime.GOMAXPROCS(0); uses > minParallelUses && cores > 1 {
		analysis.InParallel(len(work), cores, func(i int) { work[i]() })
	} else {
		for _, do := range work {
			do()
		}
	}
	s.spanModel.advance(s.window)
}

// minParallelUses is the number of uses above which other cores are used.
const minParallelUses = 1 << 12

// reruns returns how often processors used anything in a window after an earlier one. In between, others
// could have evicted their blocks.
func (s *space) reruns() (n uint64) {
	for i := range s.processors {
		n += max(s.processors[i].counts.windows, 1) - 1
	}
	return n
}

// end computes sums by sharing over the trace, and frees everything else.
func (s *space) end() {
	for i := range s.processors {
		m := &s.processors[i]
		for j, u := range m.uses {
			b := &s.blocks[m.numbers[j>>groupShift]<<groupShift|uint32(j&(groupBlocks-1))]
			m.counts.addBlock(u.visits, b.owner == severalProcs)
		}
		if s.isSingle() {
			m.counts.total = countStamped(m.stamps)
		}
		m.numbers, m.uses, m.stamps = nil, nil, nil
		m.stream, m.set, m.usePlaces, m.lastUses, m.byLast, m.previousSet = nil, nil, nil, nil, nil, nil
		clear(m.runs)
	}
	for _, b := range s.blocks {
		s.all.addBlock(b.visits, b.owner == severalProcs)
	}
	if s.isSingle() {
		s.all.total = s.processors[0].counts.total
	}
	s.coarser, s.firstUses = nil, firstUses{}
}
