package cache

import "slices"

// batch is uses that have not been simulated yet, as columns; below the first levels, the lines that are written back among them.
type batch struct {
	keys []key
	info []uint32 // the operation below the index of the reference's first use among those of the first levels; of a line that is written back log2 of its bytes
	runs []run
	base uint64 // uses of first levels before the batch

	crossed bool // a reference of first levels uses several lines

	placed bool     // the places of lines are known, see [feed.hand]
	places []uint32 // if so, those of keys

	sizes   []ask // of the stores to first levels that may pass them on, in order: what they ask
	counted int   // of these, how many have been simulated
}

// run is a run of uses of one level, up to that of the next run.
type run struct {
	level *level
	start int
}

const (
	batchUses = 1 << 10 // with what they ask of the levels below, they fit the first-level cache
	infoShift = 2
	infoOp    = 1<<infoShift - 1
)

// newBatch is one of first levels. References of many lines may make it longer.
func newBatch() *batch {
	return &batch{keys: make([]key, 0, batchUses), info: make([]uint32, 0, batchUses)}
}

// op is what the processor did at use i.
func (b *batch) op(i int) op { return op(b.info[i] & infoOp) }

// addStore adds what a store asks of a level whose lines are of 2^shift bytes, for every line that it crosses.
func (b *batch) addStore(addr, size uint64, shift uint) {
	for size > 0 {
		part := min(size, 1<<shift-addr&(1<<shift-1))
		b.sizes = append(b.sizes, write|ask(part)<<askBytes)
		addr, size = addr+part, size-part
	}
}

// store is what the next store asks of a first level that may pass it on.
func (b *batch) store() ask {
	b.counted++
	return b.sizes[b.counted-1]
}

// ref is the number of the reference of use i.
func (b *batch) ref(i int) uint64 { return 1 + b.base + uint64(b.info[i]>>infoShift) }

// turn begins a run of uses of a level, if the last one is of another.
func (b *batch) turn(l *level) {
	if n := len(b.runs); n == 0 || b.runs[n-1].level != l {
		b.runs = append(b.runs, run{l, len(b.keys)})
	}
}

// room is where so many uses more, and one that is not kept, can be written, to be added then.
func (b *batch) room(n int) ([]key, []uint32) {
	b.keys, b.info = slices.Grow(b.keys, n+1), slices.Grow(b.info, n+1)
	at := len(b.keys)
	return b.keys[at : at+n+1], b.info[at : at+n+1]
}

// spare is where so many places more, and one that is not kept, can be written.
func (b *batch) spare(n int) []uint32 {
	b.places = slices.Grow(b.places, n+1)
	return b.places[len(b.places):][:n+1]
}

// add adds the uses of a level that have been written.
func (b *batch) add(l *level, n int) {
	b.turn(l)
	b.keys, b.info = b.keys[:len(b.keys)+n], b.info[:len(b.info)+n]
}

// simulate simulates the uses, and empties the batch. What misses goes to below, if levels are simulated one after the other.
func (b *batch) simulate(below *batch) {
	if below != nil {
		below.crossed = b.crossed
	}
	for i, r := range b.runs {
		to := len(b.keys)
		if i+1 < len(b.runs) {
			to = b.runs[i+1].start
		}
		if below != nil {
			r.level.sweep(b, r.start, to, below)
		} else {
			r.level.run(b, r.start, to)
		}
	}
	for _, r := range b.runs {
		r.level.lastUse = 0
	}
	b.crossed = false
	b.keys, b.info, b.runs, b.sizes, b.counted = b.keys[:0], b.info[:0], b.runs[:0], b.sizes[:0], 0
	b.places = b.places[:0]
}
