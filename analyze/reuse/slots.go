package reuse

import "math/bits"

// A block holds the live bits of 448 slots in seven words; the eighth has for each of
// the seven how many live slots the words above it have, nine bits each.
type block [8]uint64

// A slot is named by its position: block<<blockShift | bit. Slot 0 is never used.
const (
	blockSlots   = 7 * 64
	blockShift   = 9 // of the block number within a slot's name
	positionMask = 1<<blockShift - 1
	aboveBits    = 9 // of a field of the eighth word
	aboveMask    = 1<<aboveBits - 1
)

// below[w] has a one in the field of every word below w.
var below = func() (b [8]uint64) {
	for w := 1; w < 8; w++ {
		b[w] = b[w-1] | 1<<(aboveBits*(w-1))
	}
	return b
}()

// era is the slots between two renumberings: live bits, and counts above the blocks.
type era struct {
	blocks []block
	counts counts
	level  int    // spans are nodes of this level of the counts
	apart  uint32 // how many lines, the newest, have no slots
	edge   edge   // what has been counted ends there
}

// edge is where slots are taken.
type edge struct {
	slot   uint32 // the next
	live   uint32 // slots in its block
	closed closed
}

// reset makes e an era of n blocks. As many of its lowest slots are live, and what is
// left of their span is skipped.
func (e *era) reset(n, level int, live uint32) *era {
	if n == len(e.blocks) {
		clear(e.blocks)
	} else {
		e.blocks = make([]block, n)
	}
	e.counts.reset(n)
	e.level = level
	e.edge = edge{slot: 1}
	e.pushAll(&e.edge, live, topLevel)
	if e.edge.slot&positionMask == blockSlots {
		e.closeBlock(&e.edge, topLevel)
	}
	if level < topLevel && e.edge.slot > 1 {
		e.skip(&e.edge)
	}
	return e
}

// restart makes e an era of n blocks that is one span, and returns how many slots there are to take.
func (e *era) restart(n, live int) (room int) {
	e.reset(n, topLevel, uint32(live))
	return (n-int(e.edge.slot>>blockShift))*blockSlots - int(e.edge.slot&positionMask)
}

// push takes the next slot.
func (e *era) push(at *edge) {
	slot := at.slot
	b := &e.blocks[slot>>blockShift]
	w := slot >> 6 & 7
	b[w] |= 1 << (slot & 63)
	b[7] += below[w]
	at.live++
	at.slot++
	if at.slot&positionMask == blockSlots {
		e.closeBlock(at, topLevel)
	}
}

// pushAll takes the next n slots. A block that they fill stays open until more are taken. Counts above the level top stay as they are.
func (e *era) pushAll(at *edge, n uint32, top int) {
	for n > 0 {
		if at.slot&positionMask == blockSlots {
			e.closeBlock(at, top)
		}
		from := at.slot & positionMask
		fit := min(n, blockSlots-from)
		e.blocks[at.slot>>blockShift].fill(from, fit)
		at.live += fit
		at.slot += fit
		n -= fit
	}
}

// closeBlock goes on with the next block. Counts above the level top stay as they are.
func (e *era) closeBlock(at *edge, top int) {
	number := at.slot >> blockShift
	e.counts.close(0, top, number, at.live, &at.closed)
	at.live = 0
	at.slot = (number + 1) << blockShift
}

// skip goes on to the start of the next span, if it is not at the start of one.
func (e *era) skip(at *edge) {
	for at.slot&(e.spanBlocks()<<blockShift-1) != 0 {
		e.closeBlock(at, topLevel)
	}
}

func (e *era) spanBlocks() uint32 { return 1 << (2 * e.level) }

// remove clears a live slot and returns how many live slots lie above it.
func (e *era) remove(slot uint32, at *edge) uint32 {
	number := slot >> blockShift
	d := e.blocks[number].remove(slot)
	if current := at.slot >> blockShift; number != current {
		return d + at.live + e.counts.remove(number, current, &at.closed)
	}
	at.live--
	return d
}

// above is how many live slots lie above one.
func (e *era) above(slot uint32, at *edge) uint32 {
	number := slot >> blockShift
	d := e.blocks[number].above(slot)
	if current := at.slot >> blockShift; number != current {
		return d + at.live + e.counts.above(number, current, &at.closed)
	}
	return d
}

// fill makes n slots live, from one on.
func (b *block) fill(from, n uint32) {
	for n > 0 {
		w := from >> 6 & 7
		fit := min(n, 64-from&63)
		b[w] |= (1<<fit - 1) << (from & 63)
		b[7] += below[w] * uint64(fit)
		from += fit
		n -= fit
	}
}

// above is how many live slots of the block lie above one.
func (b *block) above(slot uint32) uint32 {
	w := slot >> 6 & 7
	return uint32(bits.OnesCount64(b[w]>>(slot&63))) - 1 + uint32(b[7]>>(aboveBits*w))&aboveMask
}

// remove clears a live slot and returns how many of the block lie above it.
func (b *block) remove(slot uint32) uint32 {
	w := slot >> 6 & 7
	word, above := b[w], b[7]
	bit := slot & 63
	b[w] = word &^ (1 << bit)
	b[7] = above - below[w]
	return uint32(bits.OnesCount64(word>>bit)) - 1 + uint32(above>>(aboveBits*w))&aboveMask
}
