package cache

import "slices"

// batch holds uses that have not been simulated yet, as columns. Below the first levels, it also
// holds lines that are written back.
type batch struct {
	keys []key
	info []uint32 // the operation below the index of the reference's first use among those of the first levels; for a written-back line log2 of its bytes
	runs []run
	base uint64 // uses of first levels before the batch

	crossed bool // a reference of first levels uses several lines

	placed bool     // the numbers of lines are known, see [feed.hand]
	places []uint32 // if placed, the line numbers of keys

	sizes   []request // by store to a first level that may pass it on: its request
	counted int       // number of sizes that have been simulated
}

// run is a sequence of uses of one level. It ends where the next run starts.
type run struct {
	level *level
	start int
}

const (
	batchUses = 1 << 10 // with their requests to the levels below, they fit the first-level cache
	infoShift = 2
	infoOp    = 1<<infoShift - 1
)

// newBatch creates a batch for first levels. References that cross many lines may make it longer.
func newBatch() *batch {
	return &batch{keys: make([]key, 0, batchUses), info: make([]uint32, 0, batchUses)}
}

// op returns the operation of use i.
func (b *batch) op(i int) op { return op(b.info[i] & infoOp) }

// addStore adds the requests that a store makes of a level with lines of 2^shift bytes: one for
// every line that it touches.
func (b *batch) addStore(addr, size uint64, shift uint) {
	for size > 0 {
		part := min(size, 1<<shift-addr&(1<<shift-1))
		b.sizes = append(b.sizes, write|request(part)<<requestBytes)
		addr, size = addr+part, size-part
	}
}

// store returns the request of the next store to a first level that may pass it on.
func (b *batch) store() request {
	b.counted++
	return b.sizes[b.counted-1]
}

// ref returns the number of the reference of use i.
func (b *batch) ref(i int) uint64 { return 1 + b.base + uint64(b.info[i]>>infoShift) }

// turn begins a new run if the last one belongs to another level.
func (b *batch) turn(l *level) {
	if n := len(b.runs); n == 0 || b.runs[n-1].level != l {
		b.runs = append(b.runs, run{l, len(b.keys)})
	}
}

// room returns memory for n more uses and one that is discarded. The caller writes them and then
// calls add.
func (b *batch) room(n int) ([]key, []uint32) {
	b.keys, b.info = slices.Grow(b.keys, n+1), slices.Grow(b.info, n+1)
	at := len(b.keys)
	return b.keys[at : at+n+1], b.info[at : at+n+1]
}

// spare returns memory for n more line numbers and one that is discarded.
func (b *batch) spare(n int) []uint32 {
	b.places = slices.Grow(b.places, n+1)
	return b.places[len(b.places):][:n+1]
}

// add adds n uses of a level, which have been written into room.
func (b *batch) add(l *level, n int) {
	b.turn(l)
	b.keys, b.info = b.keys[:len(b.keys)+n], b.info[:len(b.info)+n]
}

// simulate simulates the uses and empties the batch. If levels are simulated one after the other,
// misses go to below.
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
