package store

import (
	"slices"

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

// eventsBatch holds events of one processor as columns, before they are written, or of several that were joined.
type eventsBatch struct {
	proc   trace.Proc
	joined []batchInfo // entries of the processors; none: only proc
	procs  []int32     // scratch: the proc column
	instr  []uint32
	refs   []uint64
	kind   []trace.Kind
	narrow [narrowCols][]int32
	wide   [wideCols][]int64 // one without elements is 0 in all rows; most programs never use some columns
	needs  needsColumn
}

// needsColumn is a column of type list<int64> that may be null.
type needsColumn struct {
	ends   []int32 // end of each row's list in values
	null   []bool
	values []int64
	nulls  int
	bitmap []byte  // scratch
	starts []int32 // scratch: Arrow's offsets
}

// Len is the number of events.
func (b *eventsBatch) Len() int { return len(b.instr) }

func (b *eventsBatch) weight() int          { return b.Len() + len(b.needs.values) }
func (b *eventsBatch) setProc(p trace.Proc) { b.proc = p }
func (b *eventsBatch) capacity() int        { return cap(b.instr) + cap(b.needs.values) }

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
	rows := b.Len()
	b.joined = append(b.parts(), o.parts()...)
	b.instr, b.refs, b.kind = append(b.instr, o.instr...), append(b.refs, o.refs...), append(b.kind, o.kind...)
	for i := range b.narrow {
		b.narrow[i] = append(b.narrow[i], o.narrow[i]...)
	}
	for i := range b.wide {
		if len(b.wide[i])+len(o.wide[i]) > 0 {
			b.wide[i] = append(zeroTo(b.wide[i], rows), o.wide[i]...)
			b.wide[i] = zeroTo(b.wide[i], b.Len())
		}
	}
	n, m := &b.needs, &o.needs
	before := int32(len(n.values))
	for _, end := range m.ends {
		n.ends = append(n.ends, before+end)
	}
	n.null, n.values, n.nulls = append(n.null, m.null...), append(n.values, m.values...), n.nulls+m.nulls
	return true
}

func (b *eventsBatch) reset() {
	b.joined = b.joined[:0]
	b.instr, b.refs, b.kind = b.instr[:0], b.refs[:0], b.kind[:0]
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

// zeroTo lengthens s to n elements by zeros.
func zeroTo(s []int64, n int) []int64 {
	at := len(s)
	s = extend(s, n-at)
	clear(s[at:])
	return s
}

// extend lengthens s by n elements, whose values are undefined. Its memory doubles, because append copies large slices more often.
func extend[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		s = slices.Grow(s, max(n, len(s)))
	}
	return s[:len(s)+n]
}

// encode puts the columns of b into e and returns the number of their rows.
func (b *eventsBatch) encode(e *encoder, hasTime bool) int {
	b.procs = b.procs[:0]
	for _, part := range b.parts() {
		for range part.rows {
			b.procs = append(b.procs, part.proc)
		}
	}
	put(e, b.procs)
	put(e, b.instr)
	put(e, b.refs)
	put(e, b.kind)
	for _, c := range b.narrow {
		put(e, c)
	}
	for i, c := range b.wide {
		if len(c) == 0 {
			e.zeros = zeroTo(e.zeros, max(len(e.zeros), b.Len()))
			c = e.zeros[:b.Len()]
		}
		if i != colTime || hasTime {
			put(e, c)
		}
	}
	b.needs.encode(e)
	return b.Len()
}

func (n *needsColumn) encode(e *encoder) {
	rows := len(n.ends)
	n.bitmap = fillTo(n.bitmap, (rows+7)/8, 0)
	n.starts = append(append(n.starts[:0], 0), n.ends...)
	for i, null := range n.null {
		if !null {
			n.bitmap[i/8] |= 1 << (i % 8)
		}
	}
	validity := n.bitmap
	if n.nulls == 0 {
		validity = nil
	}
	e.column(rows, n.nulls)
	e.buffer(validity, 1)
	putBuffer(e, n.starts)
	put(e, n.values)
}
