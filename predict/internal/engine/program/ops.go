package program

import (
	"math"

	"spoor/traces/unit"
)

// Ops is a sequence of operations in a compact form. Operations are the most numerous objects of a run, and reading
// them takes longer than most of their simulation. So a common operation takes half the memory of an Op.
type Ops struct {
	All  []Packed
	Wide []Op // operations that do not fit Packed
}

// Packed is an operation without the fields that most operations do not use.
type Packed struct {
	Peer    int32
	Tag     int32
	Request int32 // for a wide operation, its index in wide
	Bytes   uint32
	Work    uint32 // picoseconds, up to 4 ms
	Group   int16
	Kind    Kind
}

// IsWide is the kind of a Packed that refers to wide.
const IsWide Kind = 0

// Pack returns the operations as Ops.
func Pack(ops ...Op) (o Ops) {
	for i := range ops {
		o.Add(&ops[i])
	}
	return o
}

// Add appends an operation.
func (o *Ops) Add(op *Op) {
	if op.Kind == IsWide || op.IgnoreClosed || op.Sensitive || op.Extra != 0 || uint64(op.Bytes) > math.MaxUint32 || uint64(op.Work) > math.MaxUint32 ||
		int32(int16(op.Group)) != op.Group {
		o.AddOpen(op)
		return
	}
	o.All = append(o.All, Packed{op.Peer, op.Tag, op.Request, uint32(op.Bytes), uint32(op.Work), int16(op.Group), op.Kind})
}

// AddOpen appends an operation that the caller may still change until it has ended: see Last.
func (o *Ops) AddOpen(op *Op) {
	o.All = append(o.All, Packed{Request: int32(len(o.Wide)), Kind: IsWide})
	o.Wide = append(o.Wide, *op)
}

// Last returns the operation that AddOpen added last.
func (o *Ops) Last() *Op { return &o.Wide[len(o.Wide)-1] }

// Len returns the number of operations.
func (o *Ops) Len() int { return len(o.All) }

// At returns the i-th operation.
func (o *Ops) At(i int) (op Op) {
	p := &o.All[i]
	if p.Kind == IsWide {
		return o.Wide[p.Request]
	}
	p.Into(&op)
	return op
}

// Slice returns the operations from one index to before another.
func (o *Ops) Slice(from, to int) Ops { return Ops{o.All[from:to], o.Wide} }

// Reset removes all operations and keeps their memory.
func (o *Ops) Reset() { o.All, o.Wide = o.All[:0], o.Wide[:0] }

// IsCommon reports whether the operation is packed and of a kind that the fast path handles.
func (p *Packed) IsCommon() bool { return p.Kind-1 < Wait }

// Append appends the operations of more.
func (o *Ops) Append(more *Ops) {
	from := len(o.All)
	o.All = append(o.All, more.All...)
	for i := range o.All[from:] {
		if p := &o.All[from+i]; p.Kind == IsWide {
			o.Wide = append(o.Wide, more.Wide[p.Request])
			p.Request = int32(len(o.Wide) - 1)
		}
	}
}

// Into unpacks an operation that is not wide. It writes field by field, because copying a value that was just built
// waits for its parts.
func (p *Packed) Into(op *Op) {
	op.Work, op.Extra, op.Bytes = unit.Picos(p.Work), 0, int64(p.Bytes)
	op.Peer, op.Tag, op.Group, op.Request = p.Peer, p.Tag, int32(p.Group), p.Request
	op.Kind, op.IgnoreClosed, op.Sensitive = p.Kind, false, false
}
