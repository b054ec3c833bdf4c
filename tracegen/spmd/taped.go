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
func (rec *recorder) open(words int, s *space, allocated bool) {
	rec.space = s
	var place func(unsafe.Pointer, uint64)
	if allocated {
		place = func(p unsafe.Pointer, bytes uint64) { s.allocated(int(rec.refs.Proc), p, bytes) }
	}
	rec.tape = tape.New(words, rec.take, place)
}

// sync takes in what instrumented code wrote, so that instr is what was executed.
func (rec *recorder) sync() {
	rec.borrow()
	rec.tape.Drain()
	rec.instr += rec.repaid(rec.tape.N)
	rec.tape.N = 0
}

// borrow notes what the tape counts less than nothing.
func (rec *recorder) borrow() {
	if n := int64(rec.tape.N); n < 0 {
		rec.debt += uint64(-n)
		rec.tape.N = 0
	}
}

// repaid is what is left of n instructions when debts are paid. Blocks of code may
// count less than nothing, where one that they follow counts too much; an event
// between them must not come before what precedes it.
func (rec *recorder) repaid(n uint64) uint64 {
	paid := min(rec.debt, n)
	rec.debt -= paid
	return n - paid
}

// executed is the instructions so far.
func (rec *recorder) executed() uint64 {
	rec.sync()
	return rec.instr + rec.worked
}

// take records the words of a tape. Nearly all are of placed memory, or of none, as
// simple knows it; other takes care of the others.
func (rec *recorder) take(words []uint64) {
	rec.settle(rec.instr)
	rec.borrow()
	for rec.debt > 0 && len(words) > 0 {
		words = words[rec.other(words):]
	}
	for len(words) > 0 {
		words = words[rec.simple(words):]
		switch {
		case rec.n+maxParts > len(rec.refs.Addr):
			rec.makeRoom()
		case len(words) > 0:
			words = words[rec.other(words):]
		}
	}
	rec.flushEarly()
}

const (
	maxParts  = 2       // rows of a word that simple knows
	shortWork = 1 << 10 // instructions that simple adds: a tape of them is far from longWithoutEnd
)

// simple records words up to one that takes more than a look at what is known of
// the pages used of late, or until the batch is full, and says how many they are.
// A store is the operation after a load.
func (rec *recorder) simple(words []uint64) int {
	near := &rec.space.atlas.near
	addrs := rec.refs.Addr
	instrs, sizes, ops := rec.refs.Instr[:len(addrs)], rec.refs.Size[:len(addrs)], rec.refs.Op[:len(addrs)]
	n, gap, i, dropped := rec.n, uint64(0), 0, uint64(0)
	last := rec.instr - rec.atRef
	for ; i < len(words) && n+maxParts <= len(addrs); i++ {
		w := words[i]
		addr, size, parts := tape.Simple(w)
		if parts == 0 && addr < shortWork {
			gap += addr
			continue
		}
		s := &near[slot(addr/pageSize)]
		if parts <= 0 || addr-s.lo >= s.bytes {
			break
		}
		gap += tape.Instr(w)
		if s.base == nowhere {
			dropped++
			continue
		}
		at, op := addr-s.lo+s.base, trace.Load+trace.Op(tape.Store(w))
		addrs[n], instrs[n], sizes[n], ops[n] = at, uint32(last+gap), size, op
		rec.instr += gap
		last, gap = 0, 0
		n++
		if parts == maxParts {
			addrs[n], instrs[n], sizes[n], ops[n] = at+uint64(size), 0, size, op
			n++
		}
	}
	if n > rec.n {
		rec.n, rec.atRef = n, rec.instr
	}
	rec.instr += gap
	rec.dropped += dropped
	return i
}

// other records the first of words whatever it is, and says how many it takes.
//
//go:noinline
func (rec *recorder) other(words []uint64) int {
	ref, n := tape.Next(words)
	rec.instr += rec.repaid(ref.Instr)
	if ref.Size == 0 {
		rec.settle(rec.instr)
		return n
	}
	op := trace.Load
	if ref.Store {
		op = trace.Store
	}
	if addr, ok := rec.space.atlas.translate(ref.Addr); ok {
		rec.pieces(addr, ref, op)
	} else {
		rec.dropped++
	}
	return n
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
