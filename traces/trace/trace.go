// Package trace is the vocabulary of all stages: memory references and events as
// columns, what a trace says of itself, and the invariants every trace obeys.
//
// A trace is two streams per processor, both in program order. References are
// loads, stores and fetches of memory; events are everything else a processor
// does: messages, barriers, locks. The column Instr counts the instructions a
// processor executed since its previous row of the same stream, the one that
// makes the row included, so that sums of Instr are positions in the
// program; an event also says how many references precede it.
//
// # Positions
//
// The position of a reference is the sum of Instr of the references of its
// processor up to it, itself included; that of an event likewise, over events.
// Both are counts of instructions of one processor, so an event that r references
// precede is not before the r-th reference and not after the next one.
//
// What a column cannot hold goes into Compute events. Between events, a Compute
// without Work is a stop on the way: its Instr is a part of the distance, its
// Refs the references so far. Between references more than 2^32-1 instructions
// apart, a Compute whose Work is in instructions (WorkInstr) carries the excess:
// its Work is in no Instr, and it moves the positions of all later references and
// events of the processor on by that amount, as any burst of computation does. A
// recorder may instead leave the Instr of such a reference at 2^32-1, and the
// events alone have the position. Instructions after the last reference are the
// Instr of a closing Compute.
//
// Order between processors is not stored: an analysis that needs one merges by
// instructions executed.
package trace

import (
	"iter"
	"math/bits"
)

// Proc is a virtual processor: a thread or a rank, from 0.
type Proc int32

// Interleaved stands for all processors merged into one stream.
const Interleaved Proc = -1

// Op says what a reference does to memory.
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

// Data reports whether o is a load or a store: what data caches see.
func (o Op) Data() bool { return o == Load || o == Store }

// CountData is how many of valid operations are loads and stores.
func CountData(ops []Op) (n int) {
	at := 0
	for ; at+8 <= len(ops); at += 8 { // eight in one number: of loads and stores just one of the two lowest bits is set, and not the next one
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

// String is the name that files and commands use.
func (o Op) String() string { return name(opNames[:], int(o)) }

// Refs is a batch of memory references of one processor, as columns of equal
// length (PC may be nil). The producer owns it: it is valid until the next
// iteration or call.
type Refs struct {
	Proc  Proc
	Instr []uint32 // instructions since this processor's previous reference, its own included
	Addr  []uint64 // byte address
	Size  []uint16 // bytes, from 1
	Op    []Op
	PC    []uint64 // address of the instruction, or nil
}

// Len is the number of references.
func (r *Refs) Len() int { return len(r.Addr) }

// Slice is the references from i up to j, sharing memory with r.
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

// Reset empties r, keeping its memory.
func (r *Refs) Reset() {
	r.Instr, r.Addr, r.Size, r.Op = r.Instr[:0], r.Addr[:0], r.Size[:0], r.Op[:0]
	if r.PC != nil {
		r.PC = r.PC[:0]
	}
}

// A Source is a trace that can be read any number of times. Batches and events
// of one processor come in program order; without arguments, every processor's
// come, one processor's after the other's. Iteration ends at the first error.
type Source interface {
	Header() Header
	Refs(procs ...Proc) iter.Seq2[*Refs, error]
	Events(procs ...Proc) iter.Seq2[*Events, error]
}

// A CheckedSource is a Source whose batches of references have all passed [CheckRefs]: nobody need do that again.
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
