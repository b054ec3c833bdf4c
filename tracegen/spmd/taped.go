package spmd

import (
	"unsafe"

	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// pieceBytes is the largest reference that is recorded; what touches more memory
// at once (a copy) is several.
const pieceBytes = 1 << 15

// open gives the recorder the tape that instrumented code of its rank writes to.
func (rec *recorder) open(words int, s *space) {
	rec.space = s
	rec.tape = tape.New(words, rec.take, func(p unsafe.Pointer, bytes uint64) {
		s.allocated(int(rec.refs.Proc), p, bytes)
	})
}

// sync takes in what instrumented code wrote, so that instr is what was executed.
func (rec *recorder) sync() {
	rec.tape.Drain()
	rec.instr += rec.tape.N
	rec.tape.N = 0
}

// executed is the instructions so far.
func (rec *recorder) executed() uint64 {
	rec.sync()
	return rec.instr + rec.worked
}

// take records the words of a tape. Those of placed memory, nearly all, are rows
// as they are; other takes care of the others.
func (rec *recorder) take(words []uint64) {
	rec.settle(rec.instr)
	for len(words) > 0 {
		words = words[rec.simple(words):]
		switch {
		case rec.n == len(rec.refs.Addr):
			rec.flushRefs()
		case len(words) > 0:
			words = words[rec.other(words):]
		}
	}
}

// simple records words up to one that is more than one reference to placed
// memory, or until the batch is full, and says how many they are. A store is the
// operation after a load.
func (rec *recorder) simple(words []uint64) int {
	near := &rec.space.atlas.near
	addrs := rec.refs.Addr
	instrs, sizes, ops := rec.refs.Instr[:len(addrs)], rec.refs.Size[:len(addrs)], rec.refs.Op[:len(addrs)]
	n, gap, sum := rec.n, rec.instr-rec.atRef, rec.instr
	for i, w := range words {
		size, addr := tape.Simple(w)
		s := &near[addr/pageSize%nearSpans]
		if size == 0 || addr-s.lo >= s.bytes || n >= len(addrs) {
			words = words[:i]
			break
		}
		instr := tape.Instr(w)
		sum += instr
		addrs[n], instrs[n], sizes[n], ops[n] = addr-s.lo+s.base, uint32(gap+instr), size, trace.Load+trace.Op(tape.Store(w))
		gap = 0
		n++
	}
	if n > rec.n {
		rec.n, rec.instr, rec.atRef = n, sum, sum
	}
	return len(words)
}

// other records the first of words whatever it is, and says how many it takes.
//
//go:noinline
func (rec *recorder) other(words []uint64) int {
	ref, n := tape.Next(words)
	rec.instr += ref.Instr
	if ref.Size == 0 {
		rec.settle(rec.instr)
		return n
	}
	op := trace.Load
	if ref.Store {
		op = trace.Store
	}
	if addr, ok := rec.virtual(ref.Addr); ok {
		rec.pieces(addr, ref, op)
	}
	return n
}

// virtual is where a heap address lies in the virtual address space; false means
// that it is not to be recorded.
func (rec *recorder) virtual(heap uint64) (uint64, bool) {
	addr, ok := rec.space.atlas.translate(heap)
	if !ok && rec.unplaced {
		return rec.space.atlas.anyway(heap), true
	}
	return addr, ok
}

// pieces records a reference as one row for each of its parts, and for each
// pieceBytes bytes of them.
func (rec *recorder) pieces(addr uint64, ref tape.Ref, op trace.Op) {
	for bytes := ref.Size * uint64(ref.Parts); bytes > 0; {
		size := min(ref.Size, bytes, pieceBytes)
		rec.put(addr, uint16(size), op)
		addr += size
		bytes -= size
	}
}
