package store

import (
	"bytes"

	"spoor/traces/trace"
)

// refsSlot is a decoded batch of references.
type refsSlot struct {
	trace.Refs
	proc  trace.Proc // of procs
	instr uint64     // sum of Instr
	legal bool       // sizes and operations are those of a batch that passed the check

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

// decodePlain reads the columns of s from d. It reads a column only once if it is the same in all batches.
func (s *refsSlot) decodePlain(d *decoder, hasPC bool) {
	if s.procs.read(d) {
		s.proc = oneProc(d, s.procs.values)
	}
	s.Proc = s.proc // the consumer of an earlier batch may have changed it
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
		s.procs.packed = nil // the batch may have several processors
	}
}

// cachedColumn is a column of a slot. It is not decompressed again if the next batch in the slot has the same
// compressed bytes. That is common: constant columns and columns with a short period take few bytes, and the
// same ones in every batch.
type cachedColumn[T number] struct {
	values []T
	packed []byte // the compressed bytes of values, or empty if there were more than fewBytes
}

// fewBytes is more than the compressed size of a constant column.
const fewBytes = 1 << 10

// read reads a column, and reports whether it differs from the previous one of the slot.
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

// oneProc returns the processor of a batch. All rows must have the same one.
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
		d.fail("it mixes rows of several processors; the first is %d", first)
	}
	return trace.Proc(first)
}
