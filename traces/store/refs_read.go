package store

import (
	"bytes"

	"spoor/traces/trace"
)

// refsSlot is a decoded batch of references.
type refsSlot struct {
	trace.Refs
	instr uint64 // sum of Instr
	legal bool   // sizes and operations are those of a batch that has been checked

	procs  cachedColumn[int32]
	instrs cachedColumn[uint32]
	sizes  cachedColumn[uint16]
	ops    cachedColumn[trace.Op]
}

// decode reads s from d, whose columns may be those of the archive profile.
func (s *refsSlot) decode(d *decoder, archive, hasPC bool) {
	if !archive {
		s.decodePlain(d, hasPC)
		return
	}
	if d.archive == nil {
		d.archive = new(unarchiver)
	}
	d.archive.decode(d, &s.Refs, hasPC)
	s.legal = false
	s.instr = sum(s.Instr)
}

// decodePlain reads the columns of s from d. Those that are often the same in all batches need be read once.
func (s *refsSlot) decodePlain(d *decoder, hasPC bool) {
	if s.procs.read(d) {
		s.Proc = oneProc(d, s.procs.values)
	}
	if s.instrs.read(d) {
		s.instr = sum(s.instrs.values)
	}
	s.Addr = get(d, s.Addr, d.rows)
	newSizes, newOps := s.sizes.read(d), s.ops.read(d)
	s.legal = s.legal && !newSizes && !newOps
	if hasPC {
		s.PC = get(d, s.PC, d.rows)
		if s.PC == nil {
			s.PC = []uint64{}
		}
	}
	s.Instr, s.Size, s.Op = s.instrs.values, s.sizes.values, s.ops.values
	if d.err != nil {
		s.procs.packed = nil // may be of several processors
	}
}

// cachedColumn is a column in a slot that stays as it is if the next batch there has the same one: a constant
// one, or one of a short period, is the same few bytes in every batch, compressed.
type cachedColumn[T number] struct {
	values []T
	packed []byte // which values were read from, if they are few
}

// fewBytes is more than a constant column of a batch takes.
const fewBytes = 1 << 10

// read reads a column, and reports whether it is not the one that the slot had.
func (k *cachedColumn[T]) read(d *decoder) (changed bool) {
	d.noNulls(d.rows)
	packed := d.packed()
	if len(k.packed) > 0 && len(k.values) == d.rows && bytes.Equal(packed, k.packed) {
		return false
	}
	k.values = resize(k.values, d.rows+decodeSlack)[:d.rows]
	d.unpack(rawBytes(k.values), packed)
	fromLittle(k.values)
	k.packed = k.packed[:0]
	if d.err == nil && len(packed) <= fewBytes {
		k.packed = append(k.packed, packed...)
	}
	return true
}

// oneProc is the processor that all rows of a batch belong to.
func oneProc(d *decoder, procs []int32) trace.Proc {
	if d.err != nil {
		return 0
	}
	if len(procs) == 0 {
		d.fail("it has no rows")
		return 0
	}
	first := procs[0]
	if n := len(procs) - 1; !bytes.Equal(rawBytes(procs[1:]), rawBytes(procs[:n])) {
		d.fail("rows of processors are mixed, the first is of %d", first)
	}
	return trace.Proc(first)
}
