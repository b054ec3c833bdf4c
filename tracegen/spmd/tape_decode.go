package spmd

import (
	"unsafe"

	"spoor/tracegen/spmd/internal/space"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// maxRefBytes is the size of the largest reference that is recorded. A larger access (a copy) is several
// references.
const maxRefBytes = 1 << 15

// open creates the tape that instrumented code of the rank writes to.
func (rec *recorder) open(words int, s *space.Space, allocated bool) {
	rec.space = s
	var place func(unsafe.Pointer, uint64)
	if allocated {
		place = func(p unsafe.Pointer, bytes uint64) { s.Allocated(int(rec.refs.Proc), p, bytes) }
	}
	rec.tape = tape.NewTape(words, rec.decode, place)
}

// sync decodes the tape, so that instr is the number of executed instructions.
func (rec *recorder) sync() {
	rec.collectDebt()
	rec.tape.Drain()
	rec.instr += rec.payDebt(rec.tape.N)
	rec.tape.N = 0
}

// collectDebt adds a negative count of the tape to the debt.
func (rec *recorder) collectDebt() {
	if n := int64(rec.tape.N); n < 0 {
		rec.debt += uint64(-n)
		rec.tape.N = 0
	}
}

// payDebt subtracts the debt from n instructions and returns the rest. A block of code may have a negative count,
// if a block before it counts too many. An event between the two must not move before earlier rows.
func (rec *recorder) payDebt(n uint64) uint64 {
	paid := min(rec.debt, n)
	rec.debt -= paid
	return n - paid
}

// executed returns the number of instructions so far.
func (rec *recorder) executed() uint64 {
	rec.sync()
	return rec.instr + rec.worked
}

// decode records the words of a tape. Nearly all words are references to placed or to unknown memory, which
// decodeFast handles. decodeOne handles all others.
func (rec *recorder) decode(words []uint64) {
	rec.splitGap(rec.instr)
	rec.collectDebt()
	for rec.debt > 0 && len(words) > 0 {
		words = words[rec.decodeOne(words):]
	}
	for len(words) > 0 {
		words = words[rec.decodeFast(words):]
		switch {
		case rec.n+maxParts > len(rec.refs.Addr):
			rec.makeRoom()
		case len(words) > 0:
			words = words[rec.decodeOne(words):]
		}
	}
	rec.flushEarly()
}

const (
	maxParts  = 2       // rows of a word that decodeFast handles
	shortWork = 1 << 10 // instructions that decodeFast adds: a tape of them is far from maxGap
)

// decodeFast records words whose pages are in the cache of recent spans. It stops at the first other word or when
// the batch is full, and returns the number of words recorded. The code relies on the order of trace operations: a
// store follows a load.
func (rec *recorder) decodeFast(words []uint64) int {
	near := &rec.space.Addresses.Recent
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
		s := &near[space.Slot(addr/space.PageSize)]
		if parts <= 0 || addr-s.Lo >= s.Bytes {
			break
		}
		gap += tape.Instr(w)
		if s.Base == space.Unmapped {
			dropped++
			continue
		}
		at, op := addr-s.Lo+s.Base, trace.Load+trace.Op(tape.Store(w))
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

// decodeOne records the first of words, of any kind, and returns the number of words that it takes.
//
//go:noinline
func (rec *recorder) decodeOne(words []uint64) int {
	ref, n := tape.Next(words)
	rec.instr += rec.payDebt(ref.Instr)
	if ref.Size == 0 {
		rec.splitGap(rec.instr)
		return n
	}
	op := trace.Load
	if ref.Store {
		op = trace.Store
	}
	if addr, ok := rec.space.Addresses.Translate(ref.Addr); ok {
		rec.addParts(addr, ref, op)
	} else {
		rec.dropped++
	}
	return n
}

// addParts records a reference as one row for each of its parts, and for each maxRefBytes bytes of a part.
func (rec *recorder) addParts(addr uint64, ref tape.Ref, op trace.Op) {
	for bytes := ref.Size * uint64(ref.Parts); bytes > 0; {
		size := min(ref.Size, bytes, maxRefBytes)
		rec.addRow(addr, uint16(size), op)
		addr += size
		bytes -= size
	}
}
