package memsys

// frames is the blocks in the memory of one node in LRU order.
type frames struct {
	capacity int              // blocks that fit; 0: unlimited, and blocks are not tracked
	at       map[uint64]int32 // index of a block in ring
	// a ring; element 0 is no block: its older neighbour is the latest used, its newer neighbour the oldest
	ring []frame
	free []int32 // free places in ring
}

type frame struct {
	block        uint64
	newer, older int32
}

func newFrames(most int) frames {
	return frames{capacity: most, at: map[uint64]int32{}, ring: make([]frame, 1)}
}

// has reports whether block is in the memory.
func (f *frames) has(block uint64) bool {
	_, ok := f.at[block]
	return ok || f.capacity == 0
}

// touch makes block the most recently used. If there is no room for it, the least recently used block is evicted and
// returned.
func (f *frames) touch(block uint64) (out uint64, pushed bool) {
	if f.capacity == 0 {
		return 0, false
	}
	i, ok := f.at[block]
	if ok {
		f.unlink(i)
		f.link(i)
		return 0, false
	}
	if len(f.at) == f.capacity {
		out, pushed = f.ring[f.ring[0].newer].block, true
		f.drop(out)
	}
	if n := len(f.free); n > 0 {
		i, f.free = f.free[n-1], f.free[:n-1]
	} else {
		i = int32(len(f.ring))
		f.ring = append(f.ring, frame{})
	}
	f.at[block] = i
	f.ring[i].block = block
	f.link(i)
	return out, pushed
}

// drop removes block, if it is there.
func (f *frames) drop(block uint64) {
	if i, ok := f.at[block]; ok {
		f.unlink(i)
		f.free = append(f.free, i)
		delete(f.at, block)
	}
}

func (f *frames) link(i int32) {
	latest := f.ring[0].older
	f.ring[i].older, f.ring[i].newer = latest, 0
	f.ring[latest].newer = i
	f.ring[0].older = i
}

func (f *frames) unlink(i int32) {
	this := f.ring[i]
	f.ring[this.newer].older = this.older
	f.ring[this.older].newer = this.newer
}
