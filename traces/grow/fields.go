package grow

import "spoor/traces/trace"

// field is a number of an event that formulas give.
type field uint8

const (
	fieldBytes field = iota
	fieldTag
	fieldGroup
	fieldCount
	fieldInstr // from here on, a field may be that of the nearest recorded rank
	fieldWork
	fieldAddr
	fieldBlock
	fieldStride
	endField
)

var fieldNames = [...]string{"bytes", "tag", "group", "count", "instructions", "work", "address", "block", "stride"}

// String returns the name in messages.
func (f field) String() string { return fieldNames[f] }

// computation reports whether f is an amount of computation, which grows with the number of ranks.
func (f field) computation() bool { return f == fieldInstr || f == fieldWork }

// of returns the value of the field.
func (f field) of(e *trace.Event) int64 {
	switch f {
	case fieldBytes:
		return e.Bytes
	case fieldTag:
		return int64(e.Tag)
	case fieldGroup:
		return int64(e.Group)
	case fieldCount:
		return e.Count
	case fieldInstr:
		return int64(e.Instr)
	case fieldWork:
		return e.Work
	case fieldAddr:
		return e.Addr
	case fieldBlock:
		return e.Block
	}
	return e.Stride
}

// set changes the field. It returns false if the value is not legal.
func (f field) set(e *trace.Event, v int64) bool {
	switch f {
	case fieldBytes:
		e.Bytes = v
	case fieldTag:
		e.Tag = int32(v)
		return v == int64(e.Tag) && v >= int64(trace.None)
	case fieldGroup:
		e.Group = int32(v)
		return v == int64(e.Group) && v >= int64(trace.None)
	case fieldCount:
		e.Count = v
	case fieldInstr:
		e.Instr = uint32(v)
		return v == int64(e.Instr)
	case fieldWork:
		e.Work = v
	case fieldAddr:
		e.Addr = v
		return true
	case fieldBlock:
		e.Block = v
	case fieldStride:
		e.Stride = v
		return true
	}
	return v >= 0
}
