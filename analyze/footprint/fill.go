package footprint

import "spoor/analyze/internal/kind"

// modulo is a number of sets.
type modulo uint64

// setOf returns the set of a block. It avoids a slow division for powers of two, which most numbers of sets
// are.
func (m modulo) setOf(block uint64) uint64 {
	if m&(m-1) == 0 {
		return block & uint64(m-1)
	}
	return block % uint64(m)
}

// fill computes the projection of footprints in one cache: in every set, up to as many blocks as it has ways.
type fill struct {
	shape    Shape
	sets     []uint64 // window << waysBits | blocks in the window, up to the ways
	current  uint64   // projection of the open window
	previous uint64   // projection of the last window
	sum      uint64   // sum of projections over windows
	conflict bool     // several blocks of the open window are in one set
}

// maxBlocks is the maximum number of blocks of a cache that is filled or simulated.
const maxBlocks = 1<<waysBits - 1

// Flags accept no larger caches.
var _ [maxBlocks - kind.MaxBlocks]struct{}

const waysBits = 24

// add adds a block that is new in the window.
func (f *fill) add(b, window uint64) {
	if !f.ensureSets() {
		return
	}
	set := &f.sets[modulo(f.shape.Sets).setOf(b)]
	had := inWindow(*set, window)
	if *set = had; had&maxBlocks < uint64(f.shape.Ways) {
		*set++
		f.current++
	}
	f.conflict = f.conflict || had&maxBlocks > 0
}

// addAll adds blocks that are new in the window.
func (f *fill) addAll(blocks []uint64, window uint64) {
	if !f.ensureSets() {
		return
	}
	sets, number, ways := f.sets, modulo(f.shape.Sets), uint64(f.shape.Ways)
	crowd, more := uint64(0), uint64(0)
	for _, b := range blocks {
		set := &sets[number.setOf(b)]
		had := inWindow(*set, window)
		crowd |= had & maxBlocks
		if had&maxBlocks < ways {
			had++
			more++
		}
		*set = had
	}
	f.conflict, f.current = f.conflict || crowd > 0, f.current+more
}

// ensureSets reports whether the cache has several sets, and allocates them.
func (f *fill) ensureSets() bool {
	if f.shape.Sets > 1 && f.sets == nil {
		f.sets = make([]uint64, f.shape.Sets)
	}
	return f.shape.Sets > 1
}

// inWindow returns the state of a set in a window, given its last state.
func inWindow(set, window uint64) uint64 {
	if set>>waysBits != window {
		return window << waysBits
	}
	return set
}

// close ends a window with the given number of distinct blocks.
func (f *fill) close(blocks uint64) {
	if f.shape.Sets == 1 {
		f.current = min(blocks, uint64(f.shape.Ways))
	}
	f.sum += f.current
	f.previous, f.current, f.conflict = f.current, 0, false
}
