package cache

import "spoor/traces/trace"

// feed turns references into uses of lines for the levels that processors use directly:
// those of the caches, or those of the TLBs, of one description.
type feed struct {
	ports   []port
	of      [][ops]int32 // by processor, or for all: the port of each operation, none if left out
	coupled bool         // levels take lines from each other, so hits cannot be told beforehand across ports
	batch   batch
	latest  int32 // port of the latest use
}

const none = -1

// port is a first level.
type port struct {
	level  *level
	shift  uint
	last   key      // the latest use, if its line is there for sure after it, and nobody else needs to know of the next; else empty
	forget [ops]key // what makes last empty after an operation, or 0
}

// dirties is what an operation adds to the key.
var dirties = [ops]key{stores: 1}

// batch is uses that have not been simulated yet, as columns.
type batch struct {
	keys []key
	info []uint32 // the operation below the index of the reference's first use
	runs []run
	base uint64 // uses before the batch
}

// run is a run of uses of one port, up to that of the next run.
type run struct {
	port  int32
	start int
}

const (
	batchUses = 1 << 12
	infoShift = 2
	infoOp    = 1<<infoShift - 1
)

// op is what the processor did at use i.
func (b *batch) op(i int) op { return op(b.info[i] & infoOp) }

// ref is the number of the reference of use i.
func (b *batch) ref(i int) uint64 { return 1 + b.base + uint64(b.info[i]>>infoShift) }

// add takes references. The processors are those of the interleaved order; nil otherwise.
func (f *feed) add(refs *trace.Refs, of []trace.Proc) {
	n := len(refs.Addr)
	sizes, kinds := refs.Size[:n], refs.Op[:n]
	at := &f.of[0]
	for i, addr := range refs.Addr {
		o := opOf(kinds[i])
		if o >= ops {
			continue
		}
		if of != nil && len(f.of) > 1 {
			at = &f.of[of[i]]
		}
		number := at[o]
		if number == none {
			continue
		}
		p := &f.ports[number]
		first, last := addr>>(p.shift&63), (addr+uint64(sizes[i])-1)>>(p.shift&63)
		k := first<<1 | dirties[o]
		p.level.Uses[o]++
		if first != last {
			f.cross(number, k, last, o)
		} else if k != p.last && k|1 != p.last { // else a hit that changes nothing
			b := &f.batch
			if n := len(b.keys); number == f.latest && n > 0 && n < batchUses { // most uses, here to spare the call
				p.last = k | p.forget[o]
				b.keys, b.info = b.keys[:n+1], b.info[:n+1]
				b.keys[n], b.info[n] = k, uint32(n)<<infoShift|uint32(o)
				continue
			}
			f.use(number, k, o, len(b.keys))
		}
	}
}

// use adds a use of a line by the reference whose first use has that index.
func (f *feed) use(number int32, k key, o op, first int) {
	b := &f.batch
	if b.keys == nil {
		b.keys, b.info = make([]key, 0, batchUses), make([]uint32, 0, batchUses)
	}
	if len(b.keys) >= batchUses && first == len(b.keys) {
		f.flush()
		first = 0
	}
	p := &f.ports[number]
	p.last = k | p.forget[o]
	if number != f.latest || len(b.keys) == 0 {
		f.turn(number)
	}
	b.keys, b.info = append(b.keys, k), append(b.info, uint32(first)<<infoShift|uint32(o))
}

// cross adds the uses of a reference to several lines, of which the first is counted.
func (f *feed) cross(number int32, k key, last uint64, o op) {
	if len(f.batch.keys) >= batchUses {
		f.flush()
	}
	first := len(f.batch.keys)
	f.use(number, k, o, first)
	for k>>1 != last {
		k += 2
		f.ports[number].level.Uses[o]++
		f.use(number, k, o, first)
	}
}

// turn begins a run of uses of a port.
func (f *feed) turn(number int32) {
	if f.coupled && number != f.latest {
		f.ports[f.latest].last = empty
	}
	f.latest = number
	f.batch.runs = append(f.batch.runs, run{number, len(f.batch.keys)})
}

// flush simulates the batch.
func (f *feed) flush() {
	b := &f.batch
	for i, r := range b.runs {
		to := len(b.keys)
		if i+1 < len(b.runs) {
			to = b.runs[i+1].start
		}
		f.ports[r.port].level.run(b, r.start, to)
	}
	b.base += uint64(len(b.keys))
	b.keys, b.info, b.runs = b.keys[:0], b.info[:0], b.runs[:0]
}
