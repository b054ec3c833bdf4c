package reuse

import "math/bits"

// A block holds the live bits of 448 slots in seven words. The eighth word has, for each of the seven, the
// number of live slots in the words above it, nine bits each.
type block [8]uint64

// A slot is numbered block<<blockShift | bit. Slot 0 is never used.
const (
	blockSlots   = 7 * 64
	blockShift   = 9 // of the block number within a slot number
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

// epoch holds the slots between two renumberings: their live bits, and the counts above blocks.
type epoch struct {
	blocks      []block
	counts      counts
	level       int    // windows are nodes of this level of the counts
	topExcluded uint32 // number of newest lines without slots
	edge        edge   // end of the counted slots
}

// edge is the position of the next slot to assign.
type edge struct {
	slot   uint32 // the next slot
	live   uint32 // live slots in its block
	closed closed
}

// reset makes e an epoch of n blocks. The lowest slots are live, as many as given. The rest of their window
// is skipped.
func (e *epoch) reset(n, level int, live uint32) *epoch {
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

// restart makes e an epoch of n blocks with a single window. It returns the number of free slots.
func (e *epoch) restart(n, live int) (room int) {
	e.reset(n, topLevel, uint32(live))
	return (n-int(e.edge.slot>>blockShift))*blockSlots - int(e.edge.slot&positionMask)
}

// push assigns the next slot.
func (e *epoch) push(at *edge) {
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

// pushAll assigns the next n slots. A full block stays open until another slot is assigned. Counts above the
// level top do not change.
func (e *epoch) pushAll(at *edge, n uint32, top int) {
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

// closeBlock moves to the next block. Counts above the level top do not change.
func (e *epoch) closeBlock(at *edge, top int) {
	number := at.slot >> blockShift
	e.counts.close(0, top, number, at.live, &at.closed)
	at.live = 0
	at.slot = (number + 1) << blockShift
}

// skip moves to the start of the next window, unless it is at the start of one.
func (e *epoch) skip(at *edge) {
	for at.slot&(e.windowBlocks()<<blockShift-1) != 0 {
		e.closeBlock(at, topLevel)
	}
}

func (e *epoch) windowBlocks() uint32 { return 1 << (2 * e.level) }

// remove clears a live slot and returns the number of live slots above it.
func (e *epoch) remove(slot uint32, at *edge) uint32 {
	number := slot >> blockShift
	d := e.blocks[number].remove(slot)
	if current := at.slot >> blockShift; number != current {
		return d + at.live + e.counts.remove(number, current, &at.closed)
	}
	at.live--
	return d
}

// above returns the number of live slots above one.
func (e *epoch) above(slot uint32, at *edge) uint32 {
	number := slot >> blockShift
	d := e.blocks[number].above(slot)
	if current := at.slot >> blockShift; number != current {
		return d + at.live + e.counts.above(number, current, &at.closed)
	}
	return d
}

// fill makes n slots live, starting at from.
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

// above returns the number of live slots of the block above one.
func (b *block) above(slot uint32) uint32 {
	w := slot >> 6 & 7
	return uint32(bits.OnesCount64(b[w]>>(slot&63))) - 1 + uint32(b[7]>>(aboveBits*w))&aboveMask
}

// remove clears a live slot and returns the number of live slots of the block above it.
func (b *block) remove(slot uint32) uint32 {
	w := slot >> 6 & 7
	word, above := b[w], b[7]
	bit := slot & 63
	b[w] = word &^ (1 << bit)
	b[7] = above - below[w]
	return uint32(bits.OnesCount64(word>>bit)) - 1 + uint32(above>>(aboveBits*w))&aboveMask
}
