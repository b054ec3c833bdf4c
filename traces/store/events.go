package store

import (
	"slices"
	"unsafe"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// eventsFields returns the columns of an events file.
func eventsFields(hasTime bool, work trace.WorkUnit) []arrowmeta.Field {
	bytes := []arrowmeta.Pair{{Key: unitKey, Value: "B"}}
	fields := []arrowmeta.Field{
		{Name: "proc", Type: arrowmeta.TInt32},
		{Name: "instr", Type: arrowmeta.TUint32, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "instr"}}},
		{Name: "refs", Type: arrowmeta.TUint64, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "refs"}}},
		{Name: "kind", Type: arrowmeta.TUint8, Meta: []arrowmeta.Pair{{Key: enumKey, Value: enumNames(trace.Kinds)}}},
		{Name: "peer", Type: arrowmeta.TInt32}, {Name: "tag", Type: arrowmeta.TInt32},
		{Name: "group", Type: arrowmeta.TInt32}, {Name: "request", Type: arrowmeta.TInt32},
		{Name: "bytes", Type: arrowmeta.TInt64, Meta: bytes}, {Name: "addr", Type: arrowmeta.TInt64, Meta: bytes},
		{Name: "count", Type: arrowmeta.TInt64}, {Name: "block", Type: arrowmeta.TInt64, Meta: bytes},
		{Name: "stride", Type: arrowmeta.TInt64, Meta: bytes},
		{Name: "work", Type: arrowmeta.TInt64, Meta: unitPairs(string(work))},
	}
	if hasTime {
		fields = append(fields, arrowmeta.Field{Name: "time", Type: arrowmeta.TInt64, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "ps"}}})
	}
	return append(fields, arrowmeta.Field{Name: "needs", Type: arrowmeta.TInt64s, Nullable: true})
}

func unitPairs(unit string) []arrowmeta.Pair {
	if unit == "" {
		return nil
	}
	return []arrowmeta.Pair{{Key: unitKey, Value: unit}}
}

// The columns of eventsBatch, in the order of the file.
const (
	colPeer = iota
	colTag
	colGroup
	colRequest
	narrowCols
)
const (
	colBytes = iota
	colAddr
	colCount
	colBlock
	colStride
	colWork
	colTime
	wideCols
)

// eventsBatch holds events of one processor as columns, before they are written, or of several that were joined. A column other than
// kind has no elements while all its rows have the usual value: most programs never use some columns.
type eventsBatch struct {
	proc   trace.Proc
	joined []batchInfo // entries of the processors; none: only proc
	procs  []int32     // scratch: the proc column
	kind   []trace.Kind
	instr  []uint32            // usually 0
	refs   []uint64            // usually 0
	narrow [narrowCols][]int32 // usually none
	wide   [wideCols][]int64   // usually 0
	needs  needsColumn
}

// Len is the number of events.
func (b *eventsBatch) Len() int { return len(b.kind) }

func (b *eventsBatch) weight() int          { return b.Len() + len(b.needs.values) }
func (b *eventsBatch) setProc(p trace.Proc) { b.proc = p }
func (b *eventsBatch) capacity() int        { return cap(b.kind) + cap(b.needs.values) }

// expect makes room for slightly more rows than another batch has.
func (b *eventsBatch) expect(o *eventsBatch) {
	b.kind, b.instr, b.refs = alike(b.kind, o.kind), alike(b.instr, o.instr), alike(b.refs, o.refs)
	for i := range b.narrow {
		b.narrow[i] = alike(b.narrow[i], o.narrow[i])
	}
	for i := range b.wide {
		b.wide[i] = alike(b.wide[i], o.wide[i])
	}
	n, m := &b.needs, &o.needs
	n.ends, n.null, n.values = alike(n.ends, m.ends), alike(n.null, m.null), alike(n.values, m.values)
}

// alike makes room in s for slightly more elements than o has.
func alike[T any](s, o []T) []T { return slices.Grow(s, len(o)+len(o)/16) }

// parts returns the entries of the processors.
func (b *eventsBatch) parts() []batchInfo {
	if len(b.joined) > 0 {
		return slices.Clone(b.joined)
	}
	return []batchInfo{{int32(b.proc), uint64(b.Len()), sum(b.instr)}}
}

// join appends the events of another processor, with a greater number, or returns false if they would be too many.
func (b *eventsBatch) join(o *eventsBatch) bool {
	if b.Len()+o.Len() > batchRows || len(b.needs.values)+len(o.needs.values) > needsPerBatch {
		return false
	}
	rows, more := b.Len(), o.Len()
	b.joined = append(b.parts(), o.parts()...)
	b.kind = attach(b.kind, o.kind)
	b.instr, b.refs = joinColumns(b.instr, o.instr, rows, more, 0), joinColumns(b.refs, o.refs, rows, more, 0)
	for i := range b.narrow {
		b.narrow[i] = joinColumns(b.narrow[i], o.narrow[i], rows, more, trace.None)
	}
	for i := range b.wide {
		b.wide[i] = joinColumns(b.wide[i], o.wide[i], rows, more, 0)
	}
	b.needs.join(&o.needs, rows, more)
	return true
}

// joinColumns appends column o, of more rows, to column s of so many rows.
func joinColumns[T number](s, o []T, rows, more int, usual T) []T {
	if len(s)+len(o) == 0 {
		return s
	}
	return upTo(attach(upTo(s, rows, usual), o), rows+more, usual)
}

func (b *eventsBatch) reset() {
	b.joined = b.joined[:0]
	b.kind, b.instr, b.refs = b.kind[:0], b.instr[:0], b.refs[:0]
	for i := range b.narrow {
		b.narrow[i] = b.narrow[i][:0]
	}
	for i := range b.wide {
		b.wide[i] = b.wide[i][:0]
	}
	n := &b.needs
	n.ends, n.null, n.values, n.nulls = n.ends[:0], n.null[:0], n.values[:0], 0
}

// fits returns how many of rows come before the batch is full: it has most rows, or needs enough, or its weight grew by more than
// room. It also returns their weight.
func (b *eventsBatch) fits(rows []trace.Event, most, room int) (n, weight int) {
	needs := len(b.needs.values)
	rows = rows[:min(len(rows), most-b.Len())]
	for n < len(rows) && needs < needsPerBatch && weight <= room {
		needs += len(rows[n].Needs)
		weight += 1 + len(rows[n].Needs)
		n++
	}
	return n, weight
}

// upTo lengthens s to n elements by the usual value.
func upTo[T number](s []T, n int, usual T) []T {
	at := len(s)
	s = extend(s, n-at)
	for i := range s[at:] {
		s[at+i] = usual
	}
	return s
}

// extend lengthens s by n elements, whose values are undefined. Its memory doubles, because append copies large slices more often.
func extend[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		s = slices.Grow(s, max(n, len(s)))
	}
	return s[:len(s)+n]
}

// attach is append with the growth of extend.
func attach[T any](s, o []T) []T {
	at := len(s)
	s = extend(s, len(o))
	copy(s[at:], o)
	return s
}

// encode puts the columns of b into e and returns the number of their rows.
func (b *eventsBatch) encode(e *encoder, hasTime bool) int {
	b.procs = b.procs[:0]
	for _, part := range b.parts() {
		b.procs = upTo(b.procs, len(b.procs)+int(part.rows), part.proc)
	}
	rows := b.Len()
	put(e, b.procs)
	putUsual(e, b.instr, rows, &e.zeros)
	putUsual(e, b.refs, rows, &e.zeros)
	put(e, b.kind)
	for _, c := range b.narrow {
		putUsual(e, c, rows, &e.nones)
	}
	for i, c := range b.wide {
		if i != colTime || hasTime {
			putUsual(e, c, rows, &e.zeros)
		}
	}
	b.needs.encode(e, rows)
	return rows
}

// putUsual adds a column of so many rows. If it has no elements, its bytes are those of usual.
func putUsual[T number](e *encoder, s []T, rows int, usual *usualBytes) {
	if len(s) > 0 {
		put(e, s)
		return
	}
	var v T
	width := int(unsafe.Sizeof(v))
	e.column(rows, 0)
	e.buffer(nil, 1)
	e.buffer(usual.get(rows*width), width)
}

// usualBytes are equal bytes.
type usualBytes struct {
	value byte
	all   []byte
}

// get returns n of them.
func (u *usualBytes) get(n int) []byte {
	if n > len(u.all) {
		u.all = fillTo(u.all, n, u.value)
	}
	return u.all[:n]
}
