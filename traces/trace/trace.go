// Package trace defines the trace that all stages exchange: memory references and
// events as columns, the header, and the invariants that every trace obeys.
//
// A trace has two streams per processor, both in program order:
//
//   - references: loads, stores, instruction fetches, prefetches and flushes;
//   - events: everything else, such as messages, barriers, locks and computation.
//
// The column Instr counts the instructions that a processor executed since its
// previous row of the same stream. It includes the instruction of the row itself.
// Sums of Instr are therefore positions in the program. An event also has the
// number of references that precede it.
//
// # Positions
//
// The position of a reference is the sum of Instr over the references of its
// processor, up to and including the reference. The position of an event is the
// same sum over events. Both count instructions of one processor. If r references
// precede an event, the event is not before the r-th reference and not after the
// next one.
//
// Compute events extend the range of Instr:
//
//   - Two events may be further apart than Instr can hold. Then a Compute without
//     Work, called a stop, lies between them. Its Instr is a part of the distance,
//     and its Refs are the references so far.
//   - Two references may be more than 2^32-1 instructions apart. Then a Compute
//     whose Work is in instructions (WorkInstr) carries the excess. Its Work is in
//     no Instr. Like every burst of computation, it moves all later references and
//     events of the processor on by its Work.
//   - Alternatively, a recorder leaves the Instr of such a reference at 2^32-1.
//     Then only the events have the exact position.
//   - A closing Compute has the instructions after the last reference as its Instr.
//
// A trace does not store the order between processors. An analysis that needs an
// order merges the processors by instructions executed.
package trace

import (
	"iter"
	"math/bits"
	"unsafe"
)

// Proc is a virtual processor: a thread or a rank, from 0.
type Proc int32

// Interleaved stands for all processors merged into one stream.
const Interleaved Proc = -1

// Op is the operation of a reference.
type Op uint8

// The operations. The zero Op is not legal.
const (
	Load Op = 1 + iota
	Store
	Ifetch
	Prefetch
	Flush
	endOp
)

var opNames = [...]string{Load: "load", Store: "store", Ifetch: "ifetch", Prefetch: "prefetch", Flush: "flush"}

// Ops lists the legal operations in order.
var Ops = []Op{Load, Store, Ifetch, Prefetch, Flush}

// Valid reports whether o is one of Ops.
func (o Op) Valid() bool { return o-1 < endOp-1 }

// Data reports whether o is a load or a store.
func (o Op) Data() bool { return o == Load || o == Store }

// Moves reports whether o moves a line without using it: a prefetch or a flush.
func (o Op) Moves() bool { return o >= Prefetch }

// An OpSet is a set of operations.
type OpSet uint8

// SetOf returns the set of the given operations.
func SetOf(ops ...Op) (s OpSet) {
	for _, o := range ops {
		s |= 1 << o
	}
	return s
}

// The references that analyses of lines can look at.
var (
	DataOps  = SetOf(Load, Store)
	FetchOps = SetOf(Ifetch)
)

// WithMoves returns the set with the operations that move lines which its references use: flushes, and prefetches if
// it has loads or stores.
func (s OpSet) WithMoves() OpSet {
	if s&DataOps != 0 {
		s |= SetOf(Prefetch)
	}
	return s | SetOf(Flush)
}

// Has reports whether the set contains o.
func (s OpSet) Has(o Op) bool { return s>>(o&7)&1 != 0 }

// Count returns the number of ops, which must be valid, that the set contains.
func (s OpSet) Count(ops []Op) (n int) {
	if s == DataOps {
		return CountData(ops)
	}
	for _, o := range ops {
		n += int(s >> (o & 7) & 1)
	}
	return n
}

// CountData returns the number of loads and stores in ops, which must be valid.
func CountData(ops []Op) (n int) {
	at := 0
	// Eight operations in one number. A load or a store has exactly one of the two lowest bits set, and not the third.
	for ; at+8 <= len(ops); at += 8 {
		x := opsOf((*[8]Op)(ops[at:]))
		n += bits.OnesCount64((x ^ x>>1) &^ (x >> 2) & everyByte)
	}
	for _, o := range ops[at:] {
		if o.Data() {
			n++
		}
	}
	return n
}

// AnyMoves reports whether ops, which must be valid, have a prefetch or a flush.
func AnyMoves(ops []Op) bool {
	words := wordsOf(ops)
	all := anyOf(words)
	for _, o := range ops[8*len(words):] {
		all |= uint64(o)
	}
	return all>>2&everyByte != 0 // of valid operations, those from Prefetch on have this bit
}

// OnlyData reports whether all ops, which must be valid, are loads and stores.
func OnlyData(ops []Op) bool {
	words := wordsOf(ops)
	var others uint64
	for _, x := range words {
		others |= x&(x>>1) | x>>2
	}
	if others&everyByte != 0 {
		return false
	}
	for _, o := range ops[8*len(words):] {
		if !o.Data() {
			return false
		}
	}
	return true
}

// AnySize reports whether a size is at least the given power of two, up to 2^15.
func AnySize(sizes []uint16, least uint16) bool {
	words := wordsOf(sizes)
	all := anyOf(words)
	rest := uint16(all | all>>16 | all>>32 | all>>48)
	for _, n := range sizes[4*len(words):] {
		rest |= n
	}
	return rest >= least
}

// wordsOf returns the memory of a column as words, without the last few bytes.
func wordsOf[T Op | uint16](column []T) []uint64 {
	var one T
	n := len(column) * int(unsafe.Sizeof(one)) / 8
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&column[0])), n)
}

// anyOf returns the bits that any of the words has.
func anyOf(words []uint64) (all uint64) {
	at := 0
	for ; at+8 <= len(words); at += 8 {
		w := (*[8]uint64)(words[at:])
		all |= (w[0] | w[1]) | (w[2] | w[3]) | ((w[4] | w[5]) | (w[6] | w[7]))
	}
	for _, w := range words[at:] {
		all |= w
	}
	return all
}

// String returns the name that files and commands use.
func (o Op) String() string { return name(opNames[:], int(o)) }

// Refs is a batch of memory references of one processor. Its columns have equal
// length, except that PC may be nil. The producer owns the batch: it is valid until
// the next iteration or call.
type Refs struct {
	Proc  Proc
	Instr []uint32 // instructions since the processor's previous reference, including this one's
	Addr  []uint64 // byte address
	Size  []uint16 // bytes, from 1
	Op    []Op
	PC    []uint64 // address of the instruction, or nil
}

// Len returns the number of references.
func (r *Refs) Len() int { return len(r.Addr) }

// Slice returns the references from i up to j. They share memory with r.
func (r *Refs) Slice(i, j int) Refs {
	s := Refs{Proc: r.Proc, Instr: r.Instr[i:j], Addr: r.Addr[i:j], Size: r.Size[i:j], Op: r.Op[i:j]}
	if r.PC != nil {
		s.PC = r.PC[i:j]
	}
	return s
}

// Append adds one reference, with no PC.
func (r *Refs) Append(instr uint32, addr uint64, size uint16, op Op) {
	r.Instr = append(r.Instr, instr)
	r.Addr = append(r.Addr, addr)
	r.Size = append(r.Size, size)
	r.Op = append(r.Op, op)
}

// Reset empties r and keeps its memory.
func (r *Refs) Reset() {
	r.Instr, r.Addr, r.Size, r.Op = r.Instr[:0], r.Addr[:0], r.Size[:0], r.Op[:0]
	if r.PC != nil {
		r.PC = r.PC[:0]
	}
}

// A Source is a trace that can be read any number of times. Refs and Events yield
// the batches of the given processors, or of all processors without arguments, one
// processor after the other. The rows of one processor come in program order. An
// iteration ends at the first error.
type Source interface {
	Header() Header
	Refs(procs ...Proc) iter.Seq2[*Refs, error]
	Events(procs ...Proc) iter.Seq2[*Events, error]
}

// A CheckedSource is a Source that has checked all its batches of references with
// [CheckRefs]. Its users need not check them again.
type CheckedSource interface {
	Source
	RefsAreChecked()
}

func name(names []string, i int) string {
	if i <= 0 || i >= len(names) {
		return "invalid"
	}
	return names[i]
}
