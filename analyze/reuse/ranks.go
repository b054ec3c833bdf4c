package reuse

import (
	"fmt"
	"math/bits"
)

// ranks renumbers live slots from the bottom, in their order.
type ranks struct {
	live  []uint64 // a bit for each slot
	below []uint32 // live slots below each word
}

// rank counts the slots whose bits are set, of which slot 0, which stays what it is, is none.
// So many that half of all slots would be live are an error.
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

// slot is the new name of a live slot.
func (r *ranks) slot(old uint32) uint32 {
	word := old >> 6
	rank := r.below[word] + uint32(bits.OnesCount64(r.live[word]&(1<<(old&63)-1)))
	return slotOf(rank)
}

// slotOf is the slot of a rank, from 1, when slots have just been renumbered.
func slotOf(rank uint32) uint32 { return rank/blockSlots<<blockShift | rank%blockSlots }

// rankOf is the rank of such a slot.
func rankOf(slot uint32) uint32 { return slot>>blockShift*blockSlots + slot&positionMask }
