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
	level *level
	shift uint
	keep  bool // a store leaves its line there for sure, and nobody else needs to know of it
	last  key  // the latest use, after which the line is there; or empty
}

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

// request is that of the use at i.
func (b *batch) request(i int, shift uint) request {
	o := op(b.info[i] & infoOp)
	return request{addr: b.keys[i] >> 1 << shift, ref: 1 + b.base + uint64(b.info[i]>>infoShift), op: o, fetch: o != write, write: o == write}
}

// add takes references. The processors are those of the interleaved order; nil otherwise.
func (f *feed) add(refs *trace.Refs, of []trace.Proc) {
	n := len(refs.Addr)
	addrs, sizes, kinds := refs.Addr, refs.Size[:n], refs.Op[:n]
	at := &f.of[0]
	for i, addr := range addrs {
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
		k := first << 1
		if o == write {
			k |= 1
		}
		p.level.Uses[o]++
		if first == last && (k == p.last || k|1 == p.last) {
			continue // a hit that changes nothing
		}
		if len(f.batch.keys) >= batchUses {
			f.flush()
		}
		f.use(number, k, last, o)
	}
}

// use adds the uses of one reference: lines from that of k to last.
func (f *feed) use(number int32, k key, last uint64, o op) {
	b, p := &f.batch, &f.ports[number]
	if number != f.latest || len(b.runs) == 0 {
		if f.coupled {
			f.ports[f.latest].last = empty
		}
		f.latest = number
		b.runs = append(b.runs, run{number, len(b.keys)})
	}
	info := uint32(len(b.keys))<<infoShift | uint32(o)
	for ; ; k += 2 {
		b.keys, b.info = append(b.keys, k), append(b.info, info)
		if k>>1 == last {
			break
		}
		p.level.Uses[o]++
	}
	if p.last = k; o == write && !p.keep {
		p.last = empty
	}
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
