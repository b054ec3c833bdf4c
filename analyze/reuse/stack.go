package reuse

import (
	"math"

	"spoor/analyze/internal/lines"
)

// Stack measures the exact LRU stack distance of every use of a line in a stream. A use takes O(log M) steps
// for M distinct lines, whatever the length of the stream.
//
// Every line has a slot, the newest line the highest. A use clears the line's slot and takes a new one. The
// distance is the number of live slots above the old slot. There are two steps, which share only slots. The
// first step, here, looks up old slots and assigns new ones. The second step, [window], counts. Slots run out
// after several uses of every line. Then the live slots are renumbered from the bottom, and a new [epoch]
// begins.
//
// The newest four lines have no slots. [recent] finds their distances by comparing, and these are most uses
// of most programs. If a program rarely uses them, they have slots in the next epoch. All other uses are
// processed in batches, so that the cache misses of their steps overlap.
type Stack struct {
	recent           recent
	lines            table
	slots            []uint32 // by place in the table of lines; 0: none; owned by the workers while they have jobs
	slot             uint32   // the next slot to assign; with workers, the first of the window
	free             int      // slots left in the window
	window           window   // all slots, if the caller's goroutine counts
	workers          *workers // count in parallel; nil: no workers
	epoch            *epoch
	minBlocks        int   // minimum number of blocks of an epoch
	minPlacesToCheck int   // with fewer places, pages are not checked
	checkPlacesAt    int   // with more places, pages are checked again
	tally            tally // of recent lines, and from the window or the workers
	recency          recencyStats
	first            *[]uint64 // lines in the order of their first uses; nil: not kept; only without workers

	// One batch.
	missed    [batch]uint64          // lines that were not recent when used
	displaced [batch]uint16          // the line that each of these displaces from the newest: an index in place
	place     [newest + batch]uint32 // in the table of lines: of the recent lines at the start of the batch, then of missed
	oldSlots  [batch]uint32          // of the used lines; only without workers

	touched uint32
}

const batch = lines.Batch

// NewStack returns an empty stack.
func NewStack() *Stack { return newParallelStack(1) }

// newParallelStack returns an empty stack that counts on goroutines of its own, enough for the given number
// of cores. The results are those of a stack on one core.
func newParallelStack(cores int) *Stack {
	return newStack(newWorkers(cores, minWindowLevel))
}

func newStack(c *workers) *Stack {
	s := &Stack{workers: c, minBlocks: minBlocks, minPlacesToCheck: minPlacesToCheck, checkPlacesAt: minPlacesToCheck, lines: lines.NewTable(), tally: tally{uses: make([]uint64, newest)}}
	s.begin(0, newest)
	return s
}

// Distances returns the number of uses so far by stack distance, up to the largest, and the number of first
// uses. The stack owns the slice.
func (s *Stack) Distances() (uses []uint64, cold uint64) {
	if s.workers != nil {
		s.workers.drain(s)
		s.free = 0
	} else {
		s.tally.drain(&s.window.tally)
	}
	return s.tally.nonZero(), s.tally.cold
}

// Touch uses lines in order. It returns an error if there are too many distinct lines.
func (s *Stack) Touch(lines []uint64) error {
	for len(lines) > 0 && s.recent.count < newest {
		s.touchInitial(lines[0])
		lines = lines[1:]
	}
	for len(lines) > 0 {
		n := min(len(lines), batch)
		if err := s.makeRoom(); err != nil {
			return err
		}
		if s.epoch.topExcluded == 0 {
			s.touchBatch(lines[:n])
		} else {
			s.touchExcluding(lines[:n])
		}
		s.recency.uses += uint64(n)
		lines = lines[n:]
	}
	return nil
}

// touchBatch uses a batch of lines when all lines have slots.
func (s *Stack) touchBatch(lines []uint64) {
	s.free -= len(lines)
	if s.workers != nil {
		s.lines.Find(lines, s.workers.currentJob().grow(len(lines)))
		return
	}
	oldSlots := s.oldSlots[:len(lines)]
	s.lines.Find(lines, oldSlots)
	s.extendSlots(s.lines.Places())
	s.slot = s.assignSlots(oldSlots, s.slot)
	if s.first != nil {
		s.keepFirst(lines, oldSlots)
	}
	s.window.measure(oldSlots)
}

// touchExcluding uses a batch of lines when the newest have no slots.
func (s *Stack) touchExcluding(lines []uint64) {
	keys := s.filter(lines)
	copy(s.place[:newest], s.recent.place[:])
	s.lines.Find(keys, s.place[newest:])
	s.free -= len(keys)
	if s.workers != nil {
		s.workers.currentJob().add(s.displaced[:len(keys)], &s.place)
	} else {
		s.extendSlots(s.lines.Places())
		oldSlots := s.oldSlots[:len(keys)]
		s.assignBatch(oldSlots)
		if s.first != nil {
			s.keepFirst(keys, oldSlots)
		}
		s.window.measure(oldSlots)
	}
	s.recent.updatePlaces(&s.place)
	s.recency.newest += uint64(len(lines) - len(keys))
}

// makeRoom ensures slots and table entries for a batch.
func (s *Stack) makeRoom() error {
	if s.free < batch {
		if err := s.nextWindow(); err != nil {
			return err
		}
	}
	if s.lines.Places() > s.checkPlacesAt {
		if err := s.checkPages(); err != nil {
			return err
		}
	}
	return s.lines.MakeRoom()
}

// nextWindow starts the next window, or a new epoch.
func (s *Stack) nextWindow() error {
	if s.workers == nil {
		return s.compact()
	}
	s.workers.submit(s)
	size := s.epoch.windowBlocks() << blockShift
	end := uint64(s.slot|(size-1)) + 1
	if end >= uint64(len(s.epoch.blocks))<<blockShift {
		s.workers.waitAssigned()
		return s.compact()
	}
	s.slot, s.free = uint32(end), int(s.epoch.windowBlocks())*blockSlots
	s.workers.startJob(s.epoch, s.slot)
	return nil
}

// compact renumbers the live slots from the bottom, in their order. Lines of the present chunk may have places
// before their first use. These have no slots yet.
func (s *Stack) compact() error {
	s.extendSlots(s.lines.Places())
	slots := s.slots
	if s.epoch.topExcluded > 0 {
		for _, at := range s.recent.place {
			slots[at] = 0 // slots of recent lines are out of date
		}
	}
	bands := s.workers.bands()
	r, n, err := rank(bitmap(slots, len(s.epoch.blocks)<<blockShift, bands))
	if err != nil {
		return err
	}
	inBands(len(slots), bands, func(_, from, to int) {
		for i, slot := range slots[from:to] {
			slots[from+i] = r.slot(slot)
		}
	})
	oldExcluded, excluded := s.epoch.topExcluded, s.recency.topExcluded()
	if oldExcluded == 0 && n < newest {
		excluded = 0 // there are too few lines
	}
	switch {
	case oldExcluded == 0 && excluded > 0:
		s.excludeTop(uint32(n))
	case oldExcluded > 0 && excluded == 0:
		s.includeTop(uint32(n))
	}
	live := n + int(oldExcluded)
	if err := s.adaptPages(live, excluded > 0); err != nil {
		return err
	}
	s.begin(live-int(excluded), excluded)
	return nil
}

const (
	slotsPerLine    = 8                            // at the start of an epoch: one of slotsPerLine-1 uses renumbers a line
	windowsPerEpoch = 16                           // at least, with workers: renumbering waits for no job, but memory of several epochs is in use
	minBlocks       = 64                           // with fewer blocks, compacting would take noticeable time
	maxBlocks       = math.MaxUint32 >> blockShift // a slot has 32 bits
)

// begin starts an epoch with the given numbers of live slots and of newest lines without slots.
func (s *Stack) begin(live int, topExcluded uint32) {
	s.recency = recencyStats{}
	n := min(max(s.minBlocks, live*slotsPerLine/blockSlots), maxBlocks)
	if s.workers == nil {
		if s.epoch == nil {
			s.epoch = new(epoch)
		}
		s.epoch.topExcluded = topExcluded
		s.free = s.epoch.restart(n, live)
		s.window.start(s.epoch, 1, s.epoch.edge)
		s.slot = s.epoch.edge.slot
		return
	}
	level := s.workers.windowLevel
	n *= 2
	for level < maxWindowLevel && n >= windowsPerEpoch<<(2*level+2) {
		level++
	}
	n = min((n/(1<<(2*level))+windowsPerEpoch), maxBlocks>>(2*level)) << (2 * level)
	s.epoch = new(epoch).reset(n, level, uint32(live))
	s.epoch.topExcluded = topExcluded
	s.slot = s.epoch.edge.slot
	s.free = (1<<(2*level)-int(s.slot>>blockShift)&(1<<(2*level)-1))*blockSlots - int(s.slot&positionMask)
	s.workers.startJob(s.epoch, s.slot)
}
