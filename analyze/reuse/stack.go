package reuse

import (
	"fmt"
	"math"
	"math/bits"
)

// Stack finds the exact LRU stack distance of every line of a stream, in O(log M)
// steps for M distinct lines, whatever the length of the stream.
//
// Every line has a slot, the newest the highest; using a line clears its slot and
// takes a new one, so that the distance is the number of live slots above the old
// one. Live slots are bits, 448 to a block, with counts above them ([counts]). Slots
// run out after several uses of every line; then the live ones are renumbered from
// the bottom.
//
// The newest four lines have no slots: [recent] finds their distances by comparing,
// which is most uses in most programs. The rest goes through a batch at a time, so
// that the cache misses of its steps overlap.
type Stack struct {
	hist []uint64 // uses by distance
	cold uint64

	recent recent
	lines  lineTable
	blocks []block
	counts counts
	slot   uint32 // the next slot, named by position: block<<blockShift | bit; 0 is never used
	open   uint32 // live slots in the block of slot

	// One batch.
	keys  [batch]uint64          // lines that were not recent when they came
	leave [batch]uint16          // which line stopped being recent then: an index in place
	place [newest + batch]uint32 // in the table of lines: of the recent ones at the start of the batch, then of keys
	dist  [batch]uint32
}

// batch is how many lines go through each step together: enough to cover the
// latency of memory, few enough for the first-level cache.
const batch = 256

// A block holds the live bits of 448 slots in seven words; the eighth has for each of
// the seven how many live slots the words above it have, nine bits each.
type block [8]uint64

const (
	blockSlots = 7 * 64
	blockShift = 9 // of the block number within a slot's name
	aboveBits  = 9 // of a field of the eighth word
	aboveMask  = 1<<aboveBits - 1
)

// below[w] has a one in the field of every word below w.
var below = func() (b [8]uint64) {
	for w := 1; w < 8; w++ {
		b[w] = b[w-1] | 1<<(aboveBits*(w-1))
	}
	return b
}()

const (
	minBlocks    = 64                           // with fewer, compacting would show
	maxBlocks    = math.MaxUint32 >> blockShift // a slot's name has 32 bits
	slotsPerLine = 8                            // after a compaction: one in so many uses less one renumbers a line
)

// NewStack is a stack of no lines.
func NewStack() *Stack {
	s := &Stack{hist: make([]uint64, 64)}
	s.lines.init()
	s.reserve(minBlocks)
	return s
}

// Distances is the number of uses by stack distance so far, up to the largest one
// found, and the number of first uses. The stack owns what it returns.
func (s *Stack) Distances() (uses []uint64, cold uint64) {
	n := len(s.hist)
	for n > 0 && s.hist[n-1] == 0 {
		n--
	}
	return s.hist[:n], s.cold
}

// Touch uses lines in order. Its error says that there are too many distinct ones.
func (s *Stack) Touch(lines []uint64) error {
	for len(lines) > 0 && s.recent.full < newest {
		if s.touchFirst(lines[0]) {
			s.cold++
		}
		lines = lines[1:]
	}
	for len(lines) > 0 {
		n := min(len(lines), batch)
		if err := s.makeRoom(); err != nil {
			return err
		}
		keys := s.filter(lines[:n])
		copy(s.place[:newest], s.recent.place[:])
		s.lines.find(keys, s.place[newest:])
		s.measure(keys)
		s.recent.settle(&s.place)
		lines = lines[n:]
	}
	return nil
}

// makeRoom ensures slots and table entries for a batch.
func (s *Stack) makeRoom() error {
	const perBatch = batch/blockSlots + 2
	if int(s.slot>>blockShift)+perBatch >= len(s.blocks) {
		if err := s.compact(); err != nil {
			return err
		}
	}
	return s.lines.makeRoom()
}

// measure takes keys through the slots: each loses the slot it has, and the line that
// it drives out of the recent ones gets a new one.
func (s *Stack) measure(keys []uint64) {
	slots, blocks := s.lines.slots, s.blocks
	place := s.place[newest:][:len(keys)]
	// This pass only makes the cache misses overlap: what it reads may change before
	// the next one comes to it.
	var touched uint64
	for _, at := range place {
		touched += blocks[slots[at]>>blockShift][7]
	}
	s.dist[0] = uint32(touched) // or the compiler drops the pass
	n := 0
	for i, at := range place {
		if slot := slots[at]; slot != 0 {
			s.dist[n&(batch-1)] = s.remove(slot) + newest
			n++
		} else {
			s.cold++
		}
		slots[s.place[s.leave[i&(batch-1)]]] = s.push()
	}
	s.count(s.dist[:n])
}

// count adds distances to the histogram.
func (s *Stack) count(dist []uint32) {
	top := uint32(0)
	for _, d := range dist {
		top = max(top, d)
	}
	if int(top) >= len(s.hist) {
		grown := make([]uint64, max(int(top)+1, 2*len(s.hist)))
		copy(grown, s.hist)
		s.hist = grown
	}
	for _, d := range dist {
		s.hist[d]++
	}
}

// remove clears a live slot and returns how many live slots lie above it.
func (s *Stack) remove(slot uint32) uint32 {
	number := slot >> blockShift
	b := &s.blocks[number]
	w := slot >> 6 & 7
	word, above := b[w], b[7]
	bit := slot & 63
	d := uint32(bits.OnesCount64(word>>bit)) - 1 + uint32(above>>(aboveBits*w))&aboveMask
	b[w] = word &^ (1 << bit)
	b[7] = above - below[w]
	if current := s.slot >> blockShift; number != current {
		return d + s.open + s.counts.remove(number, current)
	}
	s.open--
	return d
}

// push takes the next slot.
func (s *Stack) push() uint32 {
	slot := s.slot
	b := &s.blocks[slot>>blockShift]
	w := slot >> 6 & 7
	b[w] |= 1 << (slot & 63)
	b[7] += below[w]
	s.open++
	s.slot++
	if s.slot&(1<<blockShift-1) == blockSlots {
		s.closeBlock()
	}
	return slot
}

func (s *Stack) closeBlock() {
	number := s.slot >> blockShift
	s.counts.closeBlock(number, s.open)
	s.open = 0
	s.slot = (number + 1) << blockShift
}

// reserve makes room for n blocks of slots, all of them free.
func (s *Stack) reserve(n int) {
	if n == len(s.blocks) {
		clear(s.blocks)
	} else {
		s.blocks = make([]block, n)
	}
	s.counts.reset(n)
	s.slot, s.open = 1, 0
}

// compact renumbers the live slots from the bottom, in their order, and makes
// more of them if the lines have become many.
func (s *Stack) compact() error {
	before := make([]uint32, len(s.blocks)) // live slots below each block
	live := uint32(0)
	for i := range s.blocks {
		before[i] = live
		live += s.blocks[i].rank(blockSlots)
	}
	if uint64(live)*2 > maxBlocks*blockSlots {
		return fmt.Errorf("more than %d distinct lines in one stream; use a larger line size", live)
	}
	slots := s.lines.slots
	for i, slot := range slots {
		if slot != 0 { // of a recent line it is stale, and will be replaced before it is used
			r := before[slot>>blockShift] + s.blocks[slot>>blockShift].rank(slot&(1<<blockShift-1)) + 1
			slots[i] = r/blockSlots<<blockShift | r%blockSlots
		}
	}
	s.reserve(min(max(minBlocks, int(live)*slotsPerLine/blockSlots), maxBlocks))
	for range live {
		s.push()
	}
	return nil
}

// rank is how many of the lowest bits of b are live.
func (b *block) rank(bit uint32) uint32 {
	n := 0
	for w := range b[:7] {
		if bit < 64 {
			return uint32(n + bits.OnesCount64(b[w]&(1<<bit-1)))
		}
		n += bits.OnesCount64(b[w])
		bit -= 64
	}
	return uint32(n)
}
