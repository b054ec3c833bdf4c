package footprint

import (
	"spoor/traces/trace"
)

// space is memory as blocks of one size, with who uses them.
type space struct {
	Blocks
	shift   uint
	window  uint64 // the open one, from 1
	members []member
	blocks  []block           // by group
	index   map[uint64]uint32 // place of a group in blocks
	groups  []uint64          // by that place
	all     counts            // of all processors together
	turns   []*turns          // by shape, if they are simulated
	longest int               // streams that are kept for that
	tooLong bool              // one was longer
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
	known   []known
	index   map[uint64]uint32 // place of a group in uses
	numbers []uint32          // of these groups, their places in the blocks of all
	uses    []use
	last    uint64 // block of the latest use + 1; 0 if that was in an earlier window
	counts  counts
	fills   []fill   // by shape
	stream  []uint64 // blocks used in the open window, repetitions left out, if turns are simulated
	set     []uint64 // distinct ones, likewise, by first use
	used    []uint32 // their places in uses
	lasts   []latest // they by last use, if that is needed
	again   []uint64
	runs    [2][]uint64 // of blocks, one after the other, that caches of a shape are to see of the window
	before  []uint64    // those of its window before
}

// use is a block of memory as one processor uses it.
type use struct {
	window uint64 // the latest in which the processor used it
	visits uint64 // windows in which it did
	at     uint32 // behind its latest place in the stream, if turns are simulated
}

// Sixteen neighbouring blocks have their uses side by side, so that tables that find them
// are so much smaller: programs that use a block use its neighbours.
const (
	groupShift  = 4
	groupBlocks = 1 << groupShift
)

// known is a group that was lately looked up.
type known struct {
	group   uint64 // + 1
	uses    uint32 // of the processor: the group's place in uses
	numbers uint32 // and in blocks
}

// knownGroups is how many a processor remembers, by the low bits of the group: they spare
// most searches of the map, which is too large for the first-level cache.
const knownGroups = 512

// newSpace is of blocks that nobody has used; of a window, so many uses by all processors are kept at most.
func newSpace(b Blocks, procs, maxTurn int) *space {
	s := &space{kept: windows{limit: maxWindows}, Blocks: b, shift: b.Size.Shift(), window: 1, members: make([]member, procs), index: map[uint64]uint32{}}
	for i := range s.members {
		m := &s.members[i]
		m.index = map[uint64]uint32{}
		m.known = make([]known, knownGroups)
		for _, shape := range b.Shapes {
			m.fills = append(m.fills, fill{shape: shape})
		}
	}
	if s.longest = maxTurn / procs; procs > 1 && len(b.Shapes) > 0 {
		s.spans = newSpans(b.Shapes, procs)
		for _, shape := range b.Shapes {
			s.turns = append(s.turns, newTurns(shape, procs))
		}
	}
	return s
}

// refs uses the blocks of loads and stores; one that crosses blocks uses each of them, in order.
func (s *space) refs(of []trace.Proc, r trace.Refs) {
	size, op := r.Size[:len(r.Addr)], r.Op[:len(r.Addr)]
	for i, addr := range r.Addr {
		if !op[i].Data() {
			continue
		}
		p := of[i]
		m := &s.members[p]
		last := (addr + uint64(size[i]) - 1) >> s.shift
		for b := addr >> s.shift; ; b++ {
			if m.last != b+1 {
				s.use(p, m, b)
			}
			if b == last {
				break
			}
		}
	}
}

// use is one of a block other than the processor's latest.
func (s *space) use(p trace.Proc, m *member, b uint64) {
	m.last = b + 1
	if s.turns != nil {
		s.keep(m, b)
	}
	number, place := s.find(m, b)
	u := &m.uses[number]
	if u.at = uint32(len(m.stream)); u.window == s.window {
		return
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
		m.set, m.used = append(m.set, b), append(m.used, number)
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
		m.stream, m.set, m.used, m.lasts, m.before = nil, nil, nil, nil, nil
	}
}

// find is the place of the processor's use of a block, and that of the block.
func (s *space) find(m *member, b uint64) (number, place uint32) {
	group, at := b>>groupShift, uint32(b&(groupBlocks-1))
	k := &m.known[group%knownGroups]
	if k.group != group+1 {
		*k = s.look(m, group)
	}
	return k.uses<<groupShift | at, k.numbers<<groupShift | at
}

// look finds the places of a group, new ones for a new one.
func (s *space) look(m *member, group uint64) known {
	if i, ok := m.index[group]; ok {
		return known{group + 1, i, m.numbers[i]}
	}
	n, ok := s.index[group]
	if !ok {
		n = uint32(len(s.blocks) >> groupShift)
		s.index[group], s.groups = n, append(s.groups, group)
		for range groupBlocks {
			s.blocks = append(s.blocks, block{owner: trace.Everyone})
		}
	}
	i := uint32(len(m.numbers))
	m.index[group] = i
	m.numbers = append(m.numbers, n)
	m.uses = append(m.uses, make([]use, groupBlocks)...)
	return known{group + 1, i, n}
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
	if s.all.now == 0 {
		return
	}
	for i, t := range s.turns {
		t.run(s.members, i)
	}
	s.kept.add(s.window, s.members)
	if s.spans != nil {
		s.spans.close(s.window, s.groups)
	}
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
}

// runs is in how many windows processors used anything, each counted for itself.
func (s *space) runs() (n uint64) {
	for i := range s.members {
		n += s.members[i].counts.windows
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
		m.known, m.index, m.numbers, m.uses = nil, nil, nil, nil
		m.stream, m.set, m.used, m.lasts, m.before = nil, nil, nil, nil, nil
	}
	for _, b := range s.blocks {
		s.all.sum(b.visits, b.owner == several)
	}
	s.index = nil
}

// counts is the windows of a processor.
type counts struct {
	now, sharedNow     uint64 // in the open window: distinct blocks, and those shared within it
	windows            uint64
	blocks, most       uint64 // sum over windows, and the most in one
	shared, mostShared uint64 // within the window
	mostPrivate        uint64
	traceShared        uint64 // sum over windows, by sharing over the trace
	total, totalShared uint64 // of the trace
}

func (c *counts) close() {
	c.windows++
	c.blocks += c.now
	c.most = max(c.most, c.now)
	c.shared += c.sharedNow
	c.mostShared = max(c.mostShared, c.sharedNow)
	c.mostPrivate = max(c.mostPrivate, c.now-c.sharedNow)
	c.now, c.sharedNow = 0, 0
}

// sum adds a block that was used in so many windows, if it was used.
func (c *counts) sum(visits uint64, shared bool) {
	if visits == 0 {
		return
	}
	c.total++
	if shared {
		c.totalShared++
		c.traceShared += visits
	}
}

// mean is a sum over windows, divided by their number.
func (c *counts) mean(sum uint64) float64 {
	if c.windows == 0 {
		return 0
	}
	return float64(sum) / float64(c.windows)
}

// fill is the projection of footprints in one cache: of every set, as many blocks as it has ways.
type fill struct {
	shape Shape
	sets  []uint64 // window << waysBits | blocks in the window, up to the ways
	now   uint64   // blocks of the open window that the cache holds
	left  uint64   // likewise, of the window before
	sum   uint64   // over windows
	crowd bool     // several blocks of the open window belong to one set
}

// MaxBlocks is how many blocks a cache has at most that is filled or simulated.
const MaxBlocks = 1<<waysBits - 1

const waysBits = 24

// add adds a block that is new in the window.
func (f *fill) add(b, window uint64) {
	if f.shape.Sets == 1 {
		return
	}
	if f.sets == nil {
		f.sets = make([]uint64, f.shape.Sets)
	}
	set := &f.sets[b%uint64(f.shape.Sets)]
	if *set>>waysBits != window {
		*set = window << waysBits
	}
	n := *set & MaxBlocks
	f.crowd = f.crowd || n > 0
	if n < uint64(f.shape.Ways) {
		*set++
		f.now++
	}
}

// close ends a window with so many distinct blocks.
func (f *fill) close(blocks uint64) {
	if f.shape.Sets == 1 {
		f.now = min(blocks, uint64(f.shape.Ways))
	}
	f.sum += f.now
	f.left, f.now, f.crowd = f.now, 0, false
}
