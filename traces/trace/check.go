package trace

import (
	"fmt"
	"math"
)

// SyntaxError is bad input with its place. Line counts from 1 in text; Record and
// Offset place it in binary input when Line is 0.
type SyntaxError struct {
	File   string
	Line   int
	Record int64
	Offset int64
	Msg    string
}

// Error is "file:line: message" or "file: record N, offset X: message".
func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s: record %d, offset %d: %s", e.File, e.Record, e.Offset, e.Msg)
}

// Invalid is the first row of a batch that breaks an invariant.
type Invalid struct {
	Proc Proc
	Row  int // within the batch
	Msg  string
}

func (e *Invalid) Error() string {
	return fmt.Sprintf("processor %d, row %d of the batch: %s", e.Proc, e.Row, e.Msg)
}

// CheckRefs holds a batch to the invariants of references: a processor that
// exists, columns of one length, legal operations, sizes from 1, and no access
// that wraps around the address space.
func CheckRefs(h Header, b *Refs) error {
	if err := checkProc(h, b.Proc); err != nil {
		return err
	}
	n := len(b.Addr)
	if len(b.Instr) != n || len(b.Size) != n || len(b.Op) != n || (b.PC != nil && len(b.PC) != n) {
		return &Invalid{b.Proc, 0, fmt.Sprintf("columns of unequal length (instr %d, addr %d, size %d, op %d, pc %d)",
			len(b.Instr), n, len(b.Size), len(b.Op), len(b.PC))}
	}
	if h.HasPC != (b.PC != nil) && n > 0 {
		return &Invalid{b.Proc, 0, "the header and the batch disagree on the pc column"}
	}
	if plainlyLegal(b) {
		return nil
	}
	op, size := b.Op[:n], b.Size[:n]
	for i, a := range b.Addr {
		if op[i]-1 >= endOp-1 || size[i] == 0 || a > math.MaxUint64-uint64(size[i])+1 {
			return &Invalid{b.Proc, i, refProblem(a, size[i], op[i])}
		}
	}
	return nil
}

// CheckAddrs is [CheckRefs] of a batch whose operations and sizes are those of one that has passed it, and whose columns are of one length.
func CheckAddrs(h Header, b *Refs) error {
	if inLowerHalf(b.Addr) {
		return checkProc(h, b.Proc)
	}
	return CheckRefs(h, b)
}

// inLowerHalf reports whether all addresses are in the lower half of the address space.
func inLowerHalf(addr []uint64) bool {
	var all uint64
	for ; len(addr) >= 4; addr = addr[4:] {
		all |= addr[0] | addr[1] | addr[2] | addr[3]
	}
	for _, a := range addr {
		all |= a
	}
	return int64(all) >= 0
}

// plainlyLegal reports whether all rows are legal because their operations and
// sizes are and their addresses are in the lower half of the address space. It has
// no branch in a row: all references pass here, when written and when read.
func plainlyLegal(b *Refs) bool {
	op, size := b.Op[:len(b.Addr)], b.Size[:len(b.Addr)]
	var bad uint32
	var addrs uint64
	for i, a := range b.Addr {
		addrs |= a
		// The differences are negative for the operations 0 and from endOp on, and for size 0.
		bad |= (uint32(endOp-2) - uint32(op[i]-1)) | (uint32(size[i]) - 1)
	}
	return int32(bad) >= 0 && int64(addrs) >= 0
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

// CheckEvents holds a batch to the invariants of events; last is the Refs of the
// processor's previous event (0 at first) and total its number of references, or
// math.MaxUint64 when it is not known yet.
func CheckEvents(h Header, b *Events, last, total uint64) error {
	if err := checkProc(h, b.Proc); err != nil {
		return err
	}
	for i := range b.Rows {
		e := &b.Rows[i]
		if msg := eventProblem(e, last, total); msg != "" {
			return &Invalid{b.Proc, i, msg}
		}
		last = e.Refs
	}
	return nil
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
		return &Invalid{p, 0, fmt.Sprintf("no such processor: the trace has %d", h.Procs)}
	}
	return nil
}
