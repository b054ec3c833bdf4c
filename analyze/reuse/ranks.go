package reuse

import (
	"fmt"
	"math/bits"
	"sync"
)

// ranks renumbers live slots from the bottom, in their order.
type ranks struct {
	live  []uint64 // a bit for each slot
	below []uint32 // live slots below each word
}

// bitmap returns n bits, of which those of the given slots are set. It fills count bitmaps in parallel and
// merges them.
func bitmap(slots []uint32, n, count int) []uint64 {
	bands := make([][]uint64, count)
	inBands(len(slots), count, func(band, from, to int) {
		live := make([]uint64, n/64)
		for _, slot := range slots[from:to] {
			live[slot>>6] |= 1 << (slot & 63)
		}
		bands[band] = live
	})
	for _, other := range bands[1:] {
		for i, word := range other {
			bands[0][i] |= word
		}
	}
	return bands[0]
}

// inBands divides n indexes into bands, and runs do for all of them in parallel.
func inBands(n, count int, do func(band, from, to int)) {
	var others sync.WaitGroup
	for band := 1; band < count; band++ {
		others.Go(func() { do(band, n*band/count, n*(band+1)/count) })
	}
	do(0, 0, n/count)
	others.Wait()
}

// rank counts the set bits. Slot 0 keeps its number and is not counted. It returns an error if half of all
// slots would be live.
func rank(live []uint64) (r ranks, n int, err error) {
	live[0] |= 1
	r = ranks{live, make([]uint32, len(live))}
	for i, word := range live {
		r.below[i] = uint32(n)
		n += bits.OnesCount64(word)
	}
	if n--; n > maxBlocks*blockSlots/2 {
		err = fmt.Errorf("more than %d distinct lines in one stream; use a larger line size", n)
	}
	return r, n, err
}

// slot returns the new number of a live slot.
func (r *ranks) slot(old uint32) uint32 {
	word := old >> 6
	rank := r.below[word] + uint32(bits.OnesCount64(r.live[word]&(1<<(old&63)-1)))
	return slotOf(rank)
}

// slotOf returns the slot of a rank, from 1, just after slots were renumbered.
func slotOf(rank uint32) uint32 { return rank/blockSlots<<blockShift | rank%blockSlots }

// rankOf returns the rank of such a slot.
func rankOf(slot uint32) uint32 { return slot>>blockShift*blockSlots + slot&positionMask }
