package reuse

import (
	"math"

	"spoor/analyze/lines"
)

// Stack finds the exact LRU stack distance of every line of a stream, in O(log M)
// steps for M distinct lines, whatever the length of the stream.
//
// Every line has a slot, the newest the highest; using a line clears its slot and
// takes a new one, so that the distance is the number of live slots above the old
// one. That makes two steps, which share nothing but slots. The first, here, looks up the
// slot that each use leaves, and takes new ones; the second, [span], counts.
// Slots run out after several uses of every line; then the live ones are renumbered
// from the bottom, and a new [era] begins.
//
// The newest four lines have no slots: [recent] finds their distances by comparing,
// which is most uses in most programs. In eras of programs that hardly use them again, they have slots like
// others. The rest goes through a batch at a time, so that the cache misses of its steps overlap.
type Stack struct {
	recent recent
	lines  table
	slots  []uint32 // by place in the table of lines; 0: none; a crew's, while it has jobs
	slot   uint32   // the next one to take; with a crew, the first of the span
	room   int      // uses that the span has slots for
	span   span     // of all slots, if the caller's goroutine counts
	crew   *crew    // counts in parallel, or nil
	era    *era
	least  int   // blocks of an era
	few    int   // places that need no care
	check  int   // with more places, pages may have too few lines each
	tally  tally // of recent lines, and what others have handed over
	again  again

	// One batch.
	keys  [batch]uint64          // lines that were not recent when they came
	leave [batch]uint16          // which line stopped being recent then: an index in place
	place [newest + batch]uint32 // in the table of lines: of the recent ones at the start of the batch, then of keys
	left  [batch]uint32          // the slots that they leave, where there is no crew

	touched uint32
}

const batch = lines.Batch

// NewStack is a stack of no lines.
func NewStack() *Stack { return NewParallelStack(1) }

// NewParallelStack is a stack of no lines that counts on goroutines of its own, enough to keep so many cores
// busy. It finds what a stack on one core finds.
func NewParallelStack(cores int) *Stack {
	return newStack(newCrew(cores, spanLevel))
}

func newStack(c *crew) *Stack {
	s := &Stack{crew: c, least: minBlocks, few: fewPlaces, check: fewPlaces, lines: lines.NewTable(), tally: tally{uses: make([]uint64, newest)}}
	s.begin(0, newest)
	return s
}

// Distances is the number of uses by stack distance so far, up to the largest one
// found, and the number of first uses. The stack owns what it returns.
func (s *Stack) Distances() (uses []uint64, cold uint64) {
	if s.crew != nil {
		s.crew.drain(s)
		s.room = 0
	} else {
		s.tally.drain(&s.span.tally)
	}
	return s.tally.trimmed(), s.tally.cold
}

// Touch uses lines in order. Its error says that there are too many distinct ones.
func (s *Stack) Touch(lines []uint64) error {
	for len(lines) > 0 && s.recent.full < newest {
		s.touchFirst(lines[0])
		lines = lines[1:]
	}
	for len(lines) > 0 {
		n := min(len(lines), batch)
		if err := s.makeRoom(); err != nil {
			return err
		}
		if s.era.apart == 0 {
			s.touchAll(lines[:n])
		} else {
			s.touchApart(lines[:n])
		}
		s.again.uses += uint64(n)
		lines = lines[n:]
	}
	return nil
}

// touchAll uses a batch of lines when all have slots.
func (s *Stack) touchAll(lines []uint64) {
	s.room -= len(lines)
	if s.crew != nil {
		s.lines.Find(lines, s.crew.current().more(len(lines)))
		return
	}
	left := s.left[:len(lines)]
	s.lines.Find(lines, left)
	s.reach(s.lines.Places())
	s.slot = s.take(left, s.slot)
	s.span.measure(left)
}

// touchApart uses a batch of lines when the newest are apart.
func (s *Stack) touchApart(lines []uint64) {
	keys := s.filter(lines)
	copy(s.place[:newest], s.recent.place[:])
	s.lines.Find(keys, s.place[newest:])
	s.room -= len(keys)
	if s.crew != nil {
		s.crew.current().add(s.leave[:len(keys)], &s.place)
	} else {
		s.reach(s.lines.Places())
		left := s.left[:len(keys)]
		s.takeApart(left)
		s.span.measure(left)
	}
	s.recent.settle(&s.place)
	s.again.newest += uint64(len(lines) - len(keys))
}

// makeRoom ensures slots and table entries for a batch.
func (s *Stack) makeRoom() error {
	if s.room < batch {
		if err := s.nextSpan(); err != nil {
			return err
		}
	}
	if s.lines.Places() > s.check {
		if err := s.fitPages(); err != nil {
			return err
		}
	}
	return s.lines.MakeRoom()
}

// nextSpan goes on to the next stretch of slots.
func (s *Stack) nextSpan() error {
	if s.crew == nil {
		return s.compact()
	}
	s.crew.send(s)
	size := s.era.spanBlocks() << blockShift
	end := uint64(s.slot|(size-1)) + 1
	if end >= uint64(len(s.era.blocks))<<blockShift {
		s.crew.settle()
		return s.compact()
	}
	s.slot, s.room = uint32(end), int(s.era.spanBlocks())*blockSlots
	s.crew.start(s.era, s.slot)
	return nil
}

// compact renumbers the live slots from the bottom, in their order.
func (s *Stack) compact() error {
	slots := s.slots
	if s.era.apart > 0 {
		for _, at := range s.recent.place {
			slots[at] = 0 // what recent lines have is stale
		}
	}
	bands := s.crew.bands()
	r, n, err := rank(bitmap(slots, len(s.era.blocks)<<blockShift, bands))
	if err != nil {
		return err
	}
	inBands(len(slots), bands, func(_, from, to int) {
		for i, slot := range slots[from:to] {
			slots[from+i] = r.slot(slot)
		}
	})
	was, is := s.era.apart, s.again.pays()
	if was == 0 && n < newest {
		is = 0 // there are not so many lines
	}
	switch {
	case was == 0 && is > 0:
		s.setApart(uint32(n))
	case was > 0 && is == 0:
		s.giveSlots(uint32(n))
	}
	live := n + int(was)
	if err := s.suitPages(live, is > 0); err != nil {
		return err
	}
	s.begin(live-int(is), is)
	return nil
}

const (
	slotsPerLine = 8                            // at the start of an era: one in so many uses less one renumbers a line
	spansPerEra  = 16                           // of a crew: renumbering waits for nobody, but memory is left to more than one era
	minBlocks    = 64                           // with fewer, compacting would show
	maxBlocks    = math.MaxUint32 >> blockShift // a slot has 32 bits
)

// begin starts an era in which so many slots are live, and so many lines apart.
func (s *Stack) begin(live int, apart uint32) {
	s.again = again{}
	n := min(max(s.least, live*slotsPerLine/blockSlots), maxBlocks)
	if s.crew == nil {
		if s.era == nil {
			s.era = new(era)
		}
		s.era.apart = apart
		s.room = s.era.restart(n, live)
		s.span.start(s.era, 1, s.era.edge)
		s.slot = s.era.edge.slot
		return
	}
	level := s.crew.level
	n *= 2
	for level < largeLevel && n >= spansPerEra<<(2*level+2) {
		level++
	}
	n = min((n/(1<<(2*level))+spansPerEra), maxBlocks>>(2*level)) << (2 * level)
	s.era = new(era).reset(n, level, uint32(live))
	s.era.apart = apart
	s.slot = s.era.edge.slot
	s.room = (1<<(2*level)-int(s.slot>>blockShift)&(1<<(2*level)-1))*blockSlots - int(s.slot&positionMask)
	s.crew.start(s.era, s.slot)
}
