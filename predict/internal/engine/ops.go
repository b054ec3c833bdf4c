package engine

import (
	"math"

	"spoor/traces/unit"
)

// Ops is a sequence of operations in a compact form. Operations are the most numerous objects of a run, and reading
// them takes longer than most of their simulation. So a common operation takes half the memory of an Op.
type Ops struct {
	all  []packedOp
	wide []Op // operations that do not fit packedOp
}

// packedOp is an operation without the fields that most operations do not use.
type packedOp struct {
	peer    int32
	tag     int32
	request int32 // for a wide operation, its index in wide
	bytes   uint32
	work    uint32 // picoseconds, up to 4 ms
	group   int16
	kind    Kind
}

// isWide is the kind of a packedOp that refers to wide.
const isWide Kind = 0

// Pack returns the operations as Ops.
func Pack(ops ...Op) (o Ops) {
	for i := range ops {
		o.Add(&ops[i])
	}
	return o
}

// Add appends an operation.
func (o *Ops) Add(op *Op) {
	if op.Kind == isWide || op.IgnoreClosed || op.Sensitive || op.Extra != 0 || uint64(op.Bytes) > math.MaxUint32 || uint64(op.Work) > math.MaxUint32 ||
		int32(int16(op.Group)) != op.Group {
		o.AddOpen(op)
		return
	}
	o.all = append(o.all, packedOp{op.Peer, op.Tag, op.Request, uint32(op.Bytes), uint32(op.Work), int16(op.Group), op.Kind})
}

// AddOpen appends an operation that the caller may still change until it has ended: see Last.
func (o *Ops) AddOpen(op *Op) {
	o.all = append(o.all, packedOp{request: int32(len(o.wide)), kind: isWide})
	o.wide = append(o.wide, *op)
}

// Last returns the operation that AddOpen added last.
func (o *Ops) Last() *Op { return &o.wide[len(o.wide)-1] }

// Len returns the number of operations.
func (o *Ops) Len() int { return len(o.all) }

// At returns the i-th operation.
func (o *Ops) At(i int) (op Op) {
	p := &o.all[i]
	if p.kind == isWide {
		return o.wide[p.request]
	}
	p.into(&op)
	return op
}

// Slice returns the operations from one index to before another.
func (o *Ops) Slice(from, to int) Ops { return Ops{o.all[from:to], o.wide} }

// Reset removes all operations and keeps their memory.
func (o *Ops) Reset() { o.all, o.wide = o.all[:0], o.wide[:0] }

// isCommon reports whether the operation is packed and of a kind that the fast path handles.
func (p *packedOp) isCommon() bool { return p.kind-1 < Wait }

// append appends the operations of more.
func (o *Ops) append(more *Ops) {
	from := len(o.all)
	o.all = append(o.all, more.all...)
	for i := range o.all[from:] {
		if p := &o.all[from+i]; p.kind == isWide {
			o.wide = append(o.wide, more.wide[p.request])
			p.request = int32(len(o.wide) - 1)
		}
	}
}

// into unpacks an operation that is not wide. It writes field by field, because copying a value that was just built
// waits for its parts.
func (p *packedOp) into(op *Op) {
	op.Work, op.Extra, op.Bytes = unit.Picos(p.work), 0, int64(p.bytes)
	op.Peer, op.Tag, op.Group, op.Request = p.peer, p.tag, int32(p.group), p.request
	op.Kind, op.IgnoreClosed, op.Sensitive = p.kind, false, false
}
