package footprint

import (
	"runtime"

	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// space is memory as blocks of one size, with who uses them.
type space struct {
	Blocks
	uses    *lines.Uses // of the piece at hand
	coarser *coarser    // where they come from, if not from the piece
	firsts  firsts      // of one processor alone
	taken   int         // of its uses
	window  uint64      // the open one, from 1
	stamp   uint32      // likewise, from firstStamp and over again
	members []member
	blocks  []block     // by place, sixteen neighbours side by side
	names   lines.Names // their numbers
	all     counts      // of all processors together
	turns   []*turns    // by shape, if they are simulated
	longest int         // streams that are kept for that
	tooLong bool        // one was longer
	kept    windows
	spans   *spans // nil if there is one processor alone
}

// block is a block of memory, as all processors use it.
type block struct {
	owner  trace.Proc // who uses it; several if more do
	first  trace.Proc // who used it first in its window; several if others did too
	window uint64     // the latest in which it was used
	visits uint64     // windows in which it was used
}

// several stands for more than one processor.
const several trace.Proc = -2

// member is what one processor uses.
type member struct {
	stamps  []uint32 // by place among the processor's own: of the latest window in which it is known to be used
	uses    []use    // by place among the processor's own
	numbers []uint32 // of sixteen neighbours: by place / 16, place / 16 in the blocks of all
	last    uint64   // block of the latest use + 1; 0 if that was in an earlier window
	counts  counts
	fills   []fill   // by shape
	stream  []uint64 // blocks used in the open window, repetitions left out, if turns are simulated
	set     []uint64 // distinct ones, likewise, by first use
	used    []uint32 // their places in uses
	lasts   []latest // they by last use, if that is needed
	again   []uint64
	runs    [][2][]uint64 // by shape, of blocks, one after the other, that its caches are to see of the window
	before  []uint64      // those of its window before
}

// use is a block of memory as one processor uses it.
type use struct {
	window uint64 // the latest in which the processor used it
	visits uint64 // windows in which it did
	at     uint32 // behind its latest place in the stream, if turns are simulated
}

// Groups are the pages of places of [lines.Table]: of neighbours, but where lines are scattered.
const (
	groupShift  = uint(lines.Neighbours)
	groupBlocks = 1 << groupShift
)

// newSpace is of blocks that nobody has used; of a window, so many uses by all processors are kept at most.
func newSpace(b Blocks, procs, maxTurn int) *space {
	s := &space{kept: windows{limit: maxWindows}, Blocks: b, window: 1, stamp: firstStamp, members: make([]member, procs)}
	for i := range s.members {
		m := &s.members[i]
		m.runs = make([][2][]uint64, len(b.Shapes))
		for _, shape := range b.Shapes {
			m.fills = append(m.fills, fill{shape: shape})
		}
	}
	if s.longest = maxTurn / procs; procs > 1 && len(b.Shapes) > 0 {
		s.spans = newSpans(b.Shapes, procs)
		for i, shape := range b.Shapes {
			s.turns = append(s.turns, newTurns(shape, i, procs))
		}
	}
	return s
}

// begin goes on to another piece, none of whose uses have been taken yet.
func (s *space) begin(p *analysis.Chunk) (err error) {
	if s.coarser != nil {
		return nil
	}
	if s.uses, err = p.Uses(s.Size); err != nil {
		return err
	}
	s.taken = 0
	s.reach(s.uses.Room)
	return nil
}

// add takes the uses of the piece's references, which are of these processors, up to one with an index.
func (s *space) add(of []trace.Proc, to int) error {
	switch {
	case s.isAlone():
		return s.addAlone(to)
	case s.turns == nil:
		s.addFirsts(of, to)
		return nil
	}
	blocks := s.uses.Lines
	own, places, refs := s.uses.Own[:len(blocks)], s.uses.Places[:len(blocks)], s.uses.Refs[:len(blocks)]
	i := s.taken
	for ; i < len(blocks) && int(refs[i]) < to; i++ {
		p := of[refs[i]]
		if m := &s.members[p]; m.last != blocks[i]+1 {
			s.use(p, m, blocks[i], own[i], places[i])
		}
	}
	s.taken = i
	return nil
}

// isAlone reports whether there is but one processor.
func (s *space) isAlone() bool { return len(s.members) == 1 }

// reach makes room for so many places.
func (s *space) reach(places int) {
	if s.isAlone() {
		s.members[0].stamps = lines.Reach(s.members[0].stamps, uint32(places-1))
		return
	}
	for len(s.blocks) < places {
		s.blocks = append(s.blocks, block{owner: trace.Everyone})
	}
	s.names.Reach(places)
}

// use is one of a block other than the processor's latest, by its places among the processor's own and all.
func (s *space) use(p trace.Proc, m *member, b uint64, own, place uint32) {
	m.last = b + 1
	if s.turns != nil {
		s.keep(m, b)
	}
	if int(own) >= len(m.uses) {
		m.uses = lines.Reach(m.uses, own)
		m.numbers = grown(m.numbers, len(m.uses)>>groupShift)
	}
	u := &m.uses[own]
	if u.at = uint32(len(m.stream)); u.window == s.window {
		return
	}
	if u.visits == 0 {
		m.numbers[own>>groupShift] = place >> groupShift
		s.names.Set(place, b)
	}
	if s.spans != nil {
		s.spans.use(p, place, u.window, s.window)
	}
	u.window = s.window
	u.visits++
	m.counts.now++
	s.share(p, m, &s.blocks[place])
	for i := range m.fills {
		m.fills[i].add(b, s.window)
	}
	if s.turns != nil {
		m.set, m.used = append(m.set, b), append(m.used, own)
	}
}

// keep keeps a use until the window is simulated, unless there are too many: then nothing is.
func (s *space) keep(m *member, b uint64) {
	if len(m.stream) < s.longest {
		m.stream = append(m.stream, b)
		return
	}
	s.turns, s.tooLong = nil, true
	for i := range s.members {
		m := &s.members[i]
		m.stream, m.set, m.used, m.lasts, m.again, m.before = nil, nil, nil, nil, nil, nil
		clear(m.runs)
	}
}

// share counts the first use of a block by p in the open window.
func (s *space) share(p trace.Proc, m *member, b *block) {
	switch b.owner {
	case p, several:
	case trace.Everyone: // nobody yet
		b.owner = p
	default:
		b.owner = several
	}
	switch {
	case b.window != s.window:
		b.window, b.first = s.window, p
		b.visits++
		s.all.now++
	case b.first != several:
		s.members[b.first].counts.sharedNow++
		m.counts.sharedNow++
		s.all.sharedNow++
		b.first = several
	default:
		m.counts.sharedNow++
	}
}

// close ends the open window.
func (s *space) close() {
	if s.isAlone() {
		s.all.now = s.members[0].counts.now
	}
	if s.all.now == 0 {
		return
	}
	s.simulate()
	s.kept.add(s.window, s.members)
	s.all.close()
	for i := range s.members {
		m := &s.members[i]
		if m.counts.now == 0 {
			continue
		}
		for j := range m.fills {
			m.fills[j].close(m.counts.now)
		}
		m.counts.close()
		m.last = 0
		m.stream = m.stream[:0]
		m.before, m.set, m.used = m.set, m.before[:0], m.used[:0]
	}
	s.window++
	s.nextStamp()
}

// simulate has processes take turns of the window, and counts the spans that end with it. Nothing of this needs anything of the
// rest: with many processors, this is most of what a footprint takes.
func (s *space) simulate() {
	if s.spans == nil {
		return
	}
	var work []func()
	ending := s.spans.ending(s.window)
	if len(ending) > 0 {
		for i := range s.Shapes {
			work = append(work, func() { s.spans.count(i, ending, &s.names) })
		}
	}
	uses := 0
	for i := range s.members {
		if s.turns != nil {
			s.members[i].condense()
		}
		uses += len(s.members[i].stream)
	}
	for _, t := range s.turns {
		for _, k := range t.by {
			work = append(work, func() { k.run(s.members) })
		}
	}
	if cores := runtime.GOMAXPROCS(0); uses > fewUses && cores > 1 {
		analysis.InParallel(len(work), cores, func(i int) { work[i]() })
	} else {
		for _, do := range work {
			do()
		}
	}
	s.spans.next(s.window)
}

// fewUses are simulated before other cores are at work.
const fewUses = 1 << 12

// again is how often processors used anything in a window, having done so in one before, so that others could have taken something
// from them in between.
func (s *space) again() (n uint64) {
	for i := range s.members {
		n += max(s.members[i].counts.windows, 1) - 1
	}
	return n
}

// end sums up by sharing over the trace, and lets go of what only uses need.
func (s *space) end() {
	for i := range s.members {
		m := &s.members[i]
		for j, u := range m.uses {
			b := &s.blocks[m.numbers[j>>groupShift]<<groupShift|uint32(j&(groupBlocks-1))]
			m.counts.sum(u.visits, b.owner == several)
		}
		if s.isAlone() {
			m.counts.total = known(m.stamps)
		}
		m.numbers, m.uses, m.stamps = nil, nil, nil
		m.stream, m.set, m.used, m.lasts, m.again, m.before = nil, nil, nil, nil, nil, nil
		clear(m.runs)
	}
	for _, b := range s.blocks {
		s.all.sum(b.visits, b.owner == several)
	}
	if s.isAlone() {
		s.all.total = s.members[0].counts.total
	}
	s.coarser, s.firsts = nil, firsts{}
}
