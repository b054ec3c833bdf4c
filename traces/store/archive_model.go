package store

import (
	"spoor/traces/store/internal/guess"
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
	k := guess.SlotKey{}
	for i := from; i < to; i++ {
		if d.op[i] == trace.Ifetch {
			k.Fetched(d.addr[i])
			continue
		}
		if d.pcs != nil {
			k.At(d.pcs[i])
		}
		key := k.Key(guess.Static(d.instr[i], d.size[i], d.op[i]))
		slot, ok := d.keys[key]
		if !ok {
			slot = int32(d.slots)
			d.keys[key] = slot
			d.slots++
		}
		d.data = append(d.data, dataRef{int32(i - from), slot})
	}
}

func zigzag(v uint64) uint64   { return v<<1 ^ uint64(int64(v)>>63) }
func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }
