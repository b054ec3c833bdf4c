package store

import "spoor/traces/trace"

// add appends events.
func (b *eventsBatch) add(rows []trace.Event) {
	at, n := b.Len(), len(rows)
	b.instr, b.refs, b.kind = extend(b.instr, n), extend(b.refs, n), extend(b.kind, n)
	for i := range b.narrow {
		b.narrow[i] = extend(b.narrow[i], n)
	}
	b.addNarrow(rows, at)
	b.addWide(rows, at)
	b.needs.add(rows)
}

// addNarrow fills the columns of fewer bytes from row at on.
func (b *eventsBatch) addNarrow(rows []trace.Event, at int) {
	n := len(rows)
	instr, refs, kind := b.instr[at:][:n], b.refs[at:][:n], b.kind[at:][:n]
	peer, tag, group, request := b.narrow[colPeer][at:][:n], b.narrow[colTag][at:][:n], b.narrow[colGroup][at:][:n], b.narrow[colRequest][at:][:n]
	for i := range rows {
		e := &rows[i]
		instr[i], refs[i], kind[i] = e.Instr, e.Refs, e.Kind
		peer[i], tag[i], group[i], request[i] = e.Peer, e.Tag, e.Group, e.Request
	}
}

// addWide fills those wide columns that have a value, from row at on.
func (b *eventsBatch) addWide(rows []trace.Event, at int) {
	var all trace.Event // bitwise or
	for i := range rows {
		e := &rows[i]
		all.Bytes |= e.Bytes
		all.Addr |= e.Addr
		all.Count |= e.Count
		all.Block |= e.Block
		all.Stride |= e.Stride
		all.Work |= e.Work
		all.Time |= e.Time
	}
	for c := range b.wide {
		if wideValue(&all, c) != 0 || len(b.wide[c]) > 0 {
			b.wide[c] = extend(zeroTo(b.wide[c], at), len(rows))
			fillWide(b.wide[c][at:][:len(rows)], rows, c)
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
			to[i] = wideValue(&rows[i], column)
		}
	}
}

// wideValue returns the value of a wide column.
func wideValue(e *trace.Event, column int) int64 {
	switch column {
	case colBytes:
		return e.Bytes
	case colAddr:
		return e.Addr
	case colCount:
		return e.Count
	case colBlock:
		return e.Block
	case colStride:
		return e.Stride
	case colWork:
		return e.Work
	}
	return e.Time
}

// add appends the needs of events.
func (n *needsColumn) add(rows []trace.Event) {
	at := len(n.null)
	n.null, n.ends = extend(n.null, len(rows)), extend(n.ends, len(rows))
	null, ends := n.null[at:], n.ends[at:][:len(rows)]
	for i := range rows {
		needs := rows[i].Needs
		null[i] = needs == nil
		if needs == nil {
			n.nulls++
		} else if len(needs) == 1 {
			n.values = append(n.values, needs[0])
		} else {
			n.values = append(n.values, needs...)
		}
		ends[i] = int32(len(n.values))
	}
}
