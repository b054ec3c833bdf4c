package footprint

// modulo is a number of sets.
type modulo uint64

// of is the set of a block. Divisions are slow, and most numbers of sets powers of two.
func (m modulo) of(block uint64) uint64 {
	if m&(m-1) == 0 {
		return block & uint64(m-1)
	}
	return block % uint64(m)
}

// fill is the projection of footprints in one cache: of every set, as many blocks as it has ways.
type fill struct {
	shape Shape
	sets  []uint64 // window << waysBits | blocks in the window, up to the ways
	now   uint64   // blocks of the open window that the cache holds
	left  uint64   // likewise, of the window before
	sum   uint64   // over windows
	crowd bool     // several blocks of the open window belong to one set
}

// MaxBlocks is how many blocks a cache has at most that is filled or simulated.
const MaxBlocks = 1<<waysBits - 1

const waysBits = 24

// add adds a block that is new in the window.
func (f *fill) add(b, window uint64) {
	if !f.hasSets() {
		return
	}
	set := &f.sets[modulo(f.shape.Sets).of(b)]
	had := inWindow(*set, window)
	if *set = had; had&MaxBlocks < uint64(f.shape.Ways) {
		*set++
		f.now++
	}
	f.crowd = f.crowd || had&MaxBlocks > 0
}

// addAll adds blocks that are new in the window.
func (f *fill) addAll(blocks []uint64, window uint64) {
	if !f.hasSets() {
		return
	}
	sets, number, ways := f.sets, modulo(f.shape.Sets), uint64(f.shape.Ways)
	crowd, more := uint64(0), uint64(0)
	for _, b := range blocks {
		set := &sets[number.of(b)]
		had := inWindow(*set, window)
		crowd |= had & MaxBlocks
		if had&MaxBlocks < ways {
			had++
			more++
		}
		*set = had
	}
	f.crowd, f.now = f.crowd || crowd > 0, f.now+more
}

// hasSets reports whether blocks belong to sets, and makes these.
func (f *fill) hasSets() bool {
	if f.shape.Sets > 1 && f.sets == nil {
		f.sets = make([]uint64, f.shape.Sets)
	}
	return f.shape.Sets > 1
}

// inWindow is what a set has in a window, from what it had last.
func inWindow(set, window uint64) uint64 {
	if set>>waysBits != window {
		return window << waysBits
	}
	return set
}

// close ends a window with so many distinct blocks.
func (f *fill) close(blocks uint64) {
	if f.shape.Sets == 1 {
		f.now = min(blocks, uint64(f.shape.Ways))
	}
	f.sum += f.now
	f.left, f.now, f.crowd = f.now, 0, false
}
