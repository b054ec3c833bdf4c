// Package guess guesses the next block of instructions of a trace, and the addresses of its data, from those before. The
// writer and the reader of the archive profile make the same guesses.
package guess

import (
	"math/bits"

	"spoor/traces/trace"
)

// The codes of guesses: the stride of the slot, then one for each recent address, then a miss.
const (
	Addrs    = 4
	ByStride = 0
	ByRecent = 1
	Miss     = ByRecent + Addrs
)

// SlotKey identifies a data reference in a block by the last ifetch, or else the pc, and
// the number of data references since. Without ifetches and pcs, it uses the preceding
// data references of the block. If two slots happen to have the same key, writer and
// reader treat them as one slot; only compression suffers.
type SlotKey struct {
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

// Fetched begins the data references of an ifetch.
func (k *SlotKey) Fetched(addr uint64) { k.kind, k.place, k.after = byFetch, addr, 0 }

// At begins the data references of a pc, unless there are ifetches.
func (k *SlotKey) At(pc uint64) {
	if k.kind == byContext || (k.kind == byPC && k.place != pc) {
		k.kind, k.place, k.after = byPC, pc, 0
	}
}

// Key returns the key of the next data reference.
func (k *SlotKey) Key(static uint64) uint64 {
	h := Mixed(uint64(k.kind), k.place)
	if k.kind != byContext {
		k.after++
		return Mixed(h, k.after)
	}
	copy(k.context[1:], k.context[:])
	k.context[0] = static
	for _, s := range k.context {
		h = Mixed(h, s)
	}
	return h
}

// Static packs the properties that a reference has in all runs of its block.
func Static(instr uint32, size uint16, op trace.Op) uint64 {
	return uint64(instr)<<24 | uint64(size)<<8 | uint64(op)
}

// Mixed returns h with v hashed into it.
func Mixed(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	return h ^ h>>29
}

// Blocks guesses the next block.
type Blocks struct {
	last   [4]int32 // the last blocks, most recent first
	After4 []int32  // hash of the last four: the block that followed, + 1
	After1 []int32  // the last block: the block that followed, + 1
	shift  int
}

// Begin resets the predictor. Block 0 runs first.
func (p *Blocks) Begin(blocks, runs int) {
	log := min(max(bits.Len(uint(runs))+1, 6), 17)
	p.shift = 64 - log
	p.After4 = zeros(p.After4, 1<<log)
	p.After1 = zeros(p.After1, blocks)
	p.last = [4]int32{}
}

// LastFourHash returns the index of the last four blocks in after4.
func (p *Blocks) LastFourHash() uint64 {
	h := uint64(p.last[0])<<32 | uint64(p.last[1])
	h = h*0x9E3779B97F4A7C15 ^ (uint64(p.last[2])<<32 | uint64(p.last[3]))
	return h * 0xD6E8FEB86659FD93 >> p.shift
}

// Update records that block b ran next; place is lastFourHash before b.
func (p *Blocks) Update(b int32, place uint64) {
	p.After4[place] = b + 1
	p.After1[p.last[0]] = b + 1
	p.last = [4]int32{b, p.last[0], p.last[1], p.last[2]}
}

// Recent holds the last addresses of data references, most recent first.
type Recent [Addrs]uint64

// Slot guesses the addresses of one slot.
type Slot struct {
	Last, step, Stride uint64 // the stride is a step that occurred twice in a row
	From               Recent // distance from each recent address to the last one of the slot
	seen               bool
	Code               uint8 // of the last guess; for the writer
}

// Base returns the address to which the distance of a miss is relative.
func (s *Slot) Base(r *Recent) uint64 {
	if s.seen {
		return s.Last
	}
	return r[0]
}

// Update records that the slot referred to addr.
func (s *Slot) Update(addr uint64, r *Recent) {
	step := addr - s.Last
	if step == s.step {
		s.Stride = step
	}
	s.Last, s.step, s.seen = addr, step, true
	for i := range r {
		s.From[i] = addr - r[i]
	}
	*r = Recent{addr, r[0], r[1], r[2]}
}

// CodeOf returns the code of a correct guess, or guessMiss. It prefers the last code of the
// slot.
func (s *Slot) CodeOf(addr uint64, r *Recent) uint8 {
	if s.right(s.Code, addr, r) {
		return s.Code
	}
	for code := range uint8(Miss) {
		if s.right(code, addr, r) {
			return code
		}
	}
	return Miss
}

func (s *Slot) right(code uint8, addr uint64, r *Recent) bool {
	if code == ByStride {
		return s.Last+s.Stride == addr
	}
	i := (code - ByRecent) % Addrs
	return r[i]+s.From[i] == addr
}

// zeros returns n zeros, in the memory of s if it suffices.
func zeros(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	clear(s[:n])
	return s[:n]
}
