package engine

import (
	"math"

	"spoor/traces/unit"
)

// Ops is operations one after the other, as they are kept: there are more of them than of anything else, and reading them takes longer than
// most of what is done for them. So one that is as most are takes half the memory of an Op.
type Ops struct {
	all  []packedOp
	wide []Op // those that are not as most are
}

// packed is an operation without what most have none of.
type packedOp struct {
	peer    int32
	tag     int32
	request int32 // of one that is wide, its number among those
	bytes   uint32
	work    uint32 // picoseconds: up to 4 ms
	group   int16
	kind    Kind
}

// isWide is the kind of an operation that is not packed.
const isWide Kind = 0

// Pack is some operations.
func Pack(ops ...Op) (o Ops) {
	for i := range ops {
		o.Add(&ops[i])
	}
	return o
}

// Add puts an operation behind the others.
func (o *Ops) Add(op *Op) {
	if op.Kind == isWide || op.IgnoreClosed || op.Sensitive || op.Extra != 0 || uint64(op.Bytes) > math.MaxUint32 || uint64(op.Work) > math.MaxUint32 ||
		int32(int16(op.Group)) != op.Group {
		o.AddOpen(op)
		return
	}
	o.all = append(o.all, packedOp{op.Peer, op.Tag, op.Request, uint32(op.Bytes), uint32(op.Work), int16(op.Group), op.Kind})
}

// AddOpen puts an operation behind the others that may still be changed, until it has ended: see Last.
func (o *Ops) AddOpen(op *Op) {
	o.all = append(o.all, packedOp{request: int32(len(o.wide)), kind: isWide})
	o.wide = append(o.wide, *op)
}

// Last is the one that was added by AddOpen last.
func (o *Ops) Last() *Op { return &o.wide[len(o.wide)-1] }

// Len is how many there are.
func (o *Ops) Len() int { return len(o.all) }

// At is the i-th.
func (o *Ops) At(i int) (op Op) {
	p := &o.all[i]
	if p.kind == isWide {
		return o.wide[p.request]
	}
	p.into(&op)
	return op
}

// Slice is those from one to before another.
func (o *Ops) Slice(from, to int) Ops { return Ops{o.all[from:to], o.wide} }

// Reset drops all, and keeps their memory.
func (o *Ops) Reset() { o.all, o.wide = o.all[:0], o.wide[:0] }

// plain is whether it is one of those that most programs consist of, and packed.
func (p *packedOp) isCommon() bool { return p.kind-1 < Wait }

// append puts others behind those that there are.
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

// into has op be what is packed, unless that is wide. Field by field: what is copied as one after it was built waits for its parts.
func (p *packedOp) into(op *Op) {
	op.Work, op.Extra, op.Bytes = unit.Picos(p.work), 0, int64(p.bytes)
	op.Peer, op.Tag, op.Group, op.Request = p.peer, p.tag, int32(p.group), p.request
	op.Kind, op.IgnoreClosed, op.Sensitive = p.kind, false, false
}
