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
	near := &rec.space.atlas.near
	for i := 0; i < len(words); {
		w := words[i]
		size, addr := tape.Simple(w)
		s := &near[addr/pageSize%nearSpans]
		if size == 0 || addr-s.lo >= s.bytes {
			i += rec.other(words[i:])
			continue
		}
		i++
		n := rec.n
		if n >= len(rec.refs.Addr) {
			rec.flushRefs()
			n = 0
		}
		rec.instr += tape.Instr(w)
		b := &rec.refs
		b.Addr[n], b.Instr[n], b.Size[n], b.Op[n] = addr-s.lo+s.base, uint32(rec.instr-rec.atRef), size, opOf[tape.Store(w)]
		rec.atRef = rec.instr
		rec.n = n + 1
	}
}

// opOf is the operation of a word by its bit for stores.
var opOf = [2]trace.Op{trace.Load, trace.Store}

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
	if addr, ok := rec.virtual(ref.Addr); ok {
		op := trace.Load
		if ref.Store {
			op = trace.Store
		}
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
