package store

import (
	"math/bits"

	"spoor/traces/trace"
)

// This file has the computations that the writer and the reader of the archive profile
// share: positions in the columns, and guesses.

// dictionary holds the blocks of a batch.
type dictionary struct {
	archiveColumns
	addr []uint64 // by reference of all blocks: the address of an ifetch, else 0
	pcs  []uint64 // by reference of all blocks, or nil
	from []int32  // first reference of each block, and the end

	data     []dataRef // data references of all blocks
	dataFrom []int32   // first data reference of each block, and the end
	slots    int
	keys     map[uint64]int32 // slots by key

	nextAt  []int32 // first run of each block in next, and the end
	guessAt []int32 // first reference of each slot in guess, and the end
}

// dataRef is a data reference of a block.
type dataRef struct {
	at   int32 // within its block
	slot int32
}

// layOut finds the slots and all positions in the columns. The columns of blocks, addr and
// pcs must be complete and consistent.
func (d *dictionary) layOut() {
	blocks := len(d.blockRefs)
	d.from, d.dataFrom = d.from[:0], d.dataFrom[:0]
	d.data, d.slots = d.data[:0], 0
	if d.keys == nil {
		d.keys = map[uint64]int32{}
	}
	clear(d.keys)
	at := int32(0)
	for _, n := range d.blockRefs {
		d.from, d.dataFrom = append(d.from, at), append(d.dataFrom, int32(len(d.data)))
		d.findSlots(int(at), int(at)+int(n))
		at += int32(n)
	}
	d.from, d.dataFrom = append(d.from, at), append(d.dataFrom, int32(len(d.data)))
	d.nextAt = resize(d.nextAt, blocks+1)
	d.guessAt = fillTo(d.guessAt, d.slots+1, 0)
	runs := int32(0)
	for b, n := range d.blockRuns {
		d.nextAt[b] = runs
		runs += int32(n)
		for _, r := range d.data[d.dataFrom[b]:d.dataFrom[b+1]] {
			d.guessAt[r.slot] += int32(n)
		}
	}
	d.nextAt[blocks] = runs
	sum := int32(0)
	for i, n := range d.guessAt {
		d.guessAt[i] = sum
		sum += n
	}
}

// findSlots appends the data references of the block in rows from to to.
func (d *dictionary) findSlots(from, to int) {
	k := slotKey{}
	for i := from; i < to; i++ {
		if d.op[i] == trace.Ifetch {
			k.fetched(d.addr[i])
			continue
		}
		if d.pcs != nil {
			k.at(d.pcs[i])
		}
		key := k.key(static(d.instr[i], d.size[i], d.op[i]))
		slot, ok := d.keys[key]
		if !ok {
			slot = int32(d.slots)
			d.keys[key] = slot
			d.slots++
		}
		d.data = append(d.data, dataRef{int32(i - from), slot})
	}
}

// slotKey identifies a data reference in a block by the last ifetch, or else the pc, and
// the number of data references since. Without ifetches and pcs, it uses the preceding
// data references of the block. If two slots happen to have the same key, writer and
// reader treat them as one slot; only compression suffers.
type slotKey struct {
	place   uint64 // hash of the last ifetch or pc
	kind    uint8
	after   uint64    // data references since then
	context [4]uint64 // the last data references
}

const (
	byContext = iota
	byPC
	byFetch
)

func (k *slotKey) fetched(addr uint64) { k.kind, k.place, k.after = byFetch, addr, 0 }

func (k *slotKey) at(pc uint64) {
	if k.kind == byContext || (k.kind == byPC && k.place != pc) {
		k.kind, k.place, k.after = byPC, pc, 0
	}
}

func (k *slotKey) key(static uint64) uint64 {
	h := mixed(uint64(k.kind), k.place)
	if k.kind != byContext {
		k.after++
		return mixed(h, k.after)
	}
	copy(k.context[1:], k.context[:])
	k.context[0] = static
	for _, s := range k.context {
		h = mixed(h, s)
	}
	return h
}

// static packs the properties that a reference has in all runs of its block.
func static(instr uint32, size uint16, op trace.Op) uint64 {
	return uint64(instr)<<24 | uint64(size)<<8 | uint64(op)
}

// mixed returns h with v hashed into it.
func mixed(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	return h ^ h>>29
}

// blockPredictor guesses the next block.
type blockPredictor struct {
	last   [4]int32 // the last blocks, most recent first
	after4 []int32  // hash of the last four: the block that followed, + 1
	after1 []int32  // the last block: the block that followed, + 1
	shift  int
}

// begin resets the predictor. Block 0 runs first.
func (p *blockPredictor) begin(blocks, runs int) {
	log := min(max(bits.Len(uint(runs))+1, 6), 17)
	p.shift = 64 - log
	p.after4 = fillTo(p.after4, 1<<log, 0)
	p.after1 = fillTo(p.after1, blocks, 0)
	p.last = [4]int32{}
}

// lastFourHash returns the index of the last four blocks in after4.
func (p *blockPredictor) lastFourHash() uint64 {
	h := uint64(p.last[0])<<32 | uint64(p.last[1])
	h = h*0x9E3779B97F4A7C15 ^ (uint64(p.last[2])<<32 | uint64(p.last[3]))
	return h * 0xD6E8FEB86659FD93 >> p.shift
}

// update records that block b ran next; place is lastFourHash before b.
func (p *blockPredictor) update(b int32, place uint64) {
	p.after4[place] = b + 1
	p.after1[p.last[0]] = b + 1
	p.last = [4]int32{b, p.last[0], p.last[1], p.last[2]}
}

// recent holds the last addresses of data references, most recent first.
type recent [recentAddrs]uint64

// slot guesses the addresses of one slot.
type slot struct {
	last, step, stride uint64 // the stride is a step that occurred twice in a row
	from               recent // distance from each recent address to the last one of the slot
	seen               bool
	code               uint8 // of the last guess; for the writer
}

// base returns the address to which the distance of a miss is relative.
func (s *slot) base(r *recent) uint64 {
	if s.seen {
		return s.last
	}
	return r[0]
}

// update records that the slot referred to addr.
func (s *slot) update(addr uint64, r *recent) {
	step := addr - s.last
	if step == s.step {
		s.stride = step
	}
	s.last, s.step, s.seen = addr, step, true
	for i := range r {
		s.from[i] = addr - r[i]
	}
	*r = recent{addr, r[0], r[1], r[2]}
}

func zigzag(v uint64) uint64   { return v<<1 ^ uint64(int64(v)>>63) }
func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }
