package trace

import (
	"fmt"
	"math"
)

// SyntaxError reports malformed input and its position. In text, Line counts from 1.
// In binary input, Line is 0, and Record and Offset give the position.
type SyntaxError struct {
	File   string
	Line   int
	Record int64
	Offset int64
	Msg    string
}

// Error returns "file:line: message" or "file: record N, offset X: message".
func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s: record %d, offset %d: %s", e.File, e.Record, e.Offset, e.Msg)
}

// BatchError reports the first row of a batch that breaks an invariant.
type BatchError struct {
	Proc Proc
	Row  int // within the batch
	Msg  string
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("processor %d, row %d of the batch: %s", e.Proc, e.Row, e.Msg)
}

// CheckRefs checks a batch against the invariants of references:
//
//   - its processor exists;
//   - its columns have one length, and there is a PC column if the header says so;
//   - every operation is legal and every size is at least 1;
//   - no access wraps around the address space.
func CheckRefs(h Header, b *Refs) error {
	if err := checkProc(h, b.Proc); err != nil {
		return err
	}
	n := len(b.Addr)
	if len(b.Instr) != n || len(b.Size) != n || len(b.Op) != n || (b.PC != nil && len(b.PC) != n) {
		return &BatchError{b.Proc, 0, fmt.Sprintf("columns of unequal length (instr %d, addr %d, size %d, op %d, pc %d)",
			len(b.Instr), n, len(b.Size), len(b.Op), len(b.PC))}
	}
	if h.HasPC != (b.PC != nil) && n > 0 {
		return &BatchError{b.Proc, 0, "the header and the batch disagree on the pc column"}
	}
	if plainlyLegal(b) {
		return nil
	}
	op, size := b.Op[:n], b.Size[:n]
	for i, a := range b.Addr {
		if op[i]-1 >= endOp-1 || size[i] == 0 || a > math.MaxUint64-uint64(size[i])+1 {
			return &BatchError{b.Proc, i, refProblem(a, size[i], op[i])}
		}
	}
	return nil
}

// CheckAddrs is a faster [CheckRefs]. The operations and sizes of b must be those of
// a batch that has passed CheckRefs, and its columns must have one length.
func CheckAddrs(h Header, b *Refs) error {
	if inLowerHalf(b.Addr) {
		return checkProc(h, b.Proc)
	}
	return CheckRefs(h, b)
}

// inLowerHalf reports whether all addresses are in the lower half of the address space.
func inLowerHalf(addr []uint64) bool {
	return int64(anyOf(addr)) >= 0
}

// plainlyLegal reports whether all operations and sizes are legal and all addresses
// are in the lower half of the address space. Then all rows are legal. It has no
// branch per row, because every reference is checked when it is written and when it
// is read.
func plainlyLegal(b *Refs) bool {
	if !inLowerHalf(b.Addr) {
		return false
	}
	op, size := b.Op[:len(b.Addr)], b.Size[:len(b.Addr)]
	var bad uint64
	at := 0
	for ; at+8 <= len(op); at += 8 { // eight operations in one number, and eight sizes in two
		ops, sizes := opsOf((*[8]Op)(op[at:])), (*[8]uint16)(size[at:])
		bad |= (ops | (ops&(7*everyByte) + (8-uint64(endOp))*everyByte)) & (0xF8 * everyByte) // an operation >= endOp
		bad |= (ops - everyByte) &^ ops & (everyByte << 7)                                    // an operation 0
		bad |= zeros((*[4]uint16)(sizes[:4])) | zeros((*[4]uint16)(sizes[4:]))
	}
	for ; at < len(op); at++ {
		if !op[at].Valid() || size[at] == 0 {
			return false
		}
	}
	return bad == 0
}

const (
	everyByte = 0x0101010101010101
	everyWord = 0x0001000100010001
)

// opsOf packs eight operations into the bytes of a number.
func opsOf(op *[8]Op) uint64 {
	return uint64(op[0]) | uint64(op[1])<<8 | uint64(op[2])<<16 | uint64(op[3])<<24 |
		uint64(op[4])<<32 | uint64(op[5])<<40 | uint64(op[6])<<48 | uint64(op[7])<<56
}

// zeros returns a number other than 0 if any of the sizes is 0.
func zeros(size *[4]uint16) uint64 {
	x := uint64(size[0]) | uint64(size[1])<<16 | uint64(size[2])<<32 | uint64(size[3])<<48
	return (x - everyWord) &^ x & (everyWord << 15)
}

func refProblem(addr uint64, size uint16, op Op) string {
	switch {
	case !op.Valid():
		return fmt.Sprintf("unknown operation %d", uint8(op))
	case size == 0:
		return "access of 0 bytes"
	default:
		return fmt.Sprintf("access of %d bytes at %#x wraps around the address space", size, addr)
	}
}

// CheckEvents checks a batch against the invariants of events. The argument last is
// the Refs of the processor's previous event, 0 at first. The argument total is the
// processor's number of references, or math.MaxUint64 if it is not known yet.
func CheckEvents(h Header, b *Events, last, total uint64) error {
	if err := checkProc(h, b.Proc); err != nil {
		return err
	}
	if plainEvents(b.Rows, last, total) {
		return nil
	}
	for i := range b.Rows {
		e := &b.Rows[i]
		if msg := eventProblem(e, last, total); msg != "" {
			return &BatchError{b.Proc, i, msg}
		}
		last = e.Refs
	}
	return nil
}

// plainEvents reports whether all events are legal. It has no branch for each event.
func plainEvents(rows []Event, last, total uint64) bool {
	var bad int64 // negative if some event is illegal
	for i := range rows {
		e := &rows[i]
		bad |= int64(uint64(endKind-1)-uint64(e.Kind)) | (int64(e.Kind) - 1)
		bad |= e.Bytes | e.Count | e.Block | e.Work | int64((e.Peer+1)|(e.Tag+1)|(e.Group+1)|(e.Request+1))
		bad |= int64(e.Refs-last) | int64(e.Refs)
		last = e.Refs
	}
	return bad >= 0 && last <= total
}

func eventProblem(e *Event, last, total uint64) string {
	switch {
	case !e.Kind.Valid():
		return fmt.Sprintf("unknown kind of event %d", uint8(e.Kind))
	case e.Refs < last:
		return fmt.Sprintf("%s after %d references follows an event after %d", e.Kind, e.Refs, last)
	case e.Refs > total:
		return fmt.Sprintf("%s after %d references, but the processor has %d", e.Kind, e.Refs, total)
	case e.Peer < None || e.Tag < None || e.Group < None || e.Request < None:
		return fmt.Sprintf("%s with peer, tag, group or request below -1", e.Kind)
	case e.Bytes < 0 || e.Count < 0 || e.Block < 0 || e.Work < 0:
		return fmt.Sprintf("%s with a negative size or amount of work", e.Kind)
	}
	return ""
}

func checkProc(h Header, p Proc) error {
	if p < 0 || int(p) >= h.Procs {
		return &BatchError{p, 0, fmt.Sprintf("no such processor: the trace has %d", h.Procs)}
	}
	return nil
}
