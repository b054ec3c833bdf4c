package store

import "spoor/traces/trace"

// addedRows is the number of events that are added at a time, so that the processor's cache holds them for all columns.
const addedRows = 1 << 8

// add appends events.
func (b *eventsBatch) add(rows []trace.Event) {
	for len(rows) > 0 {
		n := min(len(rows), addedRows)
		b.addSome(rows[:n])
		rows = rows[n:]
	}
}

// unusual has the bits in which some event differs from the usual values.
type unusual struct {
	instr  uint32
	refs   uint64
	narrow [narrowCols]int32
	wide   [wideCols]int64
	needs  bool
}

func (b *eventsBatch) addSome(rows []trace.Event) {
	at, n := b.Len(), len(rows)
	b.kind = extend(b.kind, n)
	u := unusualOf(rows, b.kind[at:])
	if u.instr != 0 || len(b.instr) > 0 {
		b.instr = extend(upTo(b.instr, at, 0), n)
		for i, to := 0, b.instr[at:]; i < n; i++ {
			to[i] = rows[i].Instr
		}
	}
	if u.refs != 0 || len(b.refs) > 0 {
		b.refs = extend(upTo(b.refs, at, 0), n)
		for i, to := 0, b.refs[at:]; i < n; i++ {
			to[i] = rows[i].Refs
		}
	}
	for c := range b.narrow {
		if u.narrow[c] != 0 || len(b.narrow[c]) > 0 {
			b.narrow[c] = extend(upTo(b.narrow[c], at, trace.None), n)
			fillNarrow(b.narrow[c][at:][:n], rows, c)
		}
	}
	for c := range b.wide {
		if u.wide[c] != 0 || len(b.wide[c]) > 0 {
			b.wide[c] = extend(upTo(b.wide[c], at, 0), n)
			fillWide(b.wide[c][at:][:n], rows, c)
		}
	}
	b.needs.add(rows, at, u.needs)
}

// unusualOf compares events with the usual values, and copies their kinds.
func unusualOf(rows []trace.Event, kinds []trace.Kind) (u unusual) {
	var all trace.Event // bitwise or; of numbers that are usually none, plus 1
	kinds = kinds[:len(rows)]
	for i := range rows {
		e := &rows[i]
		kinds[i] = e.Kind
		all.Instr |= e.Instr
		all.Refs |= e.Refs
		all.Peer |= e.Peer - trace.None
		all.Tag |= e.Tag - trace.None
		all.Group |= e.Group - trace.None
		all.Request |= e.Request - trace.None
		all.Bytes |= e.Bytes
		all.Addr |= e.Addr
		all.Count |= e.Count
		all.Block |= e.Block
		all.Stride |= e.Stride
		all.Work |= e.Work
		all.Time |= e.Time
		u.needs = u.needs || e.Needs != nil
	}
	u.instr, u.refs = all.Instr, all.Refs
	u.narrow = [narrowCols]int32{all.Peer, all.Tag, all.Group, all.Request}
	u.wide = [wideCols]int64{all.Bytes, all.Addr, all.Count, all.Block, all.Stride, all.Work, all.Time}
	return u
}

// fillNarrow copies the values of a narrow column.
func fillNarrow(to []int32, rows []trace.Event, column int) {
	switch column {
	case colPeer:
		for i := range to {
			to[i] = rows[i].Peer
		}
	case colTag:
		for i := range to {
			to[i] = rows[i].Tag
		}
	case colGroup:
		for i := range to {
			to[i] = rows[i].Group
		}
	default:
		for i := range to {
			to[i] = rows[i].Request
		}
	}
}

// fillWide copies the values of a wide column. The most frequent ones have a loop of their own.
func fillWide(to []int64, rows []trace.Event, column int) {
	switch column {
	case colBytes:
		for i := range to {
			to[i] = rows[i].Bytes
		}
	case colWork:
		for i := range to {
			to[i] = rows[i].Work
		}
	case colTime:
		for i := range to {
			to[i] = rows[i].Time
		}
	default:
		for i := range to {
			to[i] = layoutValue(&rows[i], column)
		}
	}
}

// layoutValue returns the value of a column of the layout of buffers.
func layoutValue(e *trace.Event, column int) int64 {
	switch column {
	case colAddr:
		return e.Addr
	case colCount:
		return e.Count
	case colBlock:
		return e.Block
	}
	return e.Stride
}
