package memsys

import (
	"math"

	lru "spoor/analyze/cache"
)

// frames is the blocks in the memory of one node in LRU order.
type frames struct {
	blocks *lru.LRU // nil: unlimited, and blocks are not tracked
}

// newFrames returns an empty memory with room for a number of blocks; 0: unlimited.
func newFrames(most int) frames {
	if most == 0 {
		return frames{}
	}
	return frames{lru.NewLRU(1, int64(min(most, math.MaxInt32)), 1)}
}

// has reports whether block is in the memory.
func (f *frames) has(block uint64) bool { return f.blocks == nil || f.blocks.Contains(block) }

// touch makes block the most recently used. If there is no room for it, the least recently used block is evicted and
// returned.
func (f *frames) touch(block uint64) (out uint64, pushed bool) {
	if f.blocks == nil {
		return 0, false
	}
	return f.blocks.Use(block)
}

// drop removes block, if it is there.
func (f *frames) drop(block uint64) {
	if f.blocks != nil {
		f.blocks.Drop(block)
	}
}
