package store

import "spoor/traces/trace"

// needsColumn is a column of type list<int64> that may be null. While all rows are null, it has no elements.
type needsColumn struct {
	ends   []int32 // end of each row's list in values
	null   []bool
	values []int64
	nulls  int
	bitmap []byte  // scratch
	starts []int32 // scratch: Arrow's offsets
}

// upTo gives the column elements for all of so many rows, which are null unless it has elements for them.
func (n *needsColumn) upTo(rows int) {
	at := len(n.ends)
	n.ends, n.null = upTo(n.ends, rows, int32(len(n.values))), extend(n.null, rows-at)
	for i := range n.null[at:] {
		n.null[at+i] = true
	}
	n.nulls += rows - at
}

// add appends the needs of events from row at on. some reports whether one of them is not null.
func (n *needsColumn) add(rows []trace.Event, at int, some bool) {
	if !some && len(n.ends) == 0 {
		return
	}
	n.upTo(at)
	n.null, n.ends = extend(n.null, len(rows)), extend(n.ends, len(rows))
	null, ends := n.null[at:][:len(rows)], n.ends[at:][:len(rows)]
	for i := range rows {
		needs := rows[i].Needs
		null[i] = needs == nil
		switch {
		case needs == nil:
			n.nulls++
		case len(needs) == 1:
			n.values = append(n.values, needs[0])
		default:
			n.values = attach(n.values, needs)
		}
		ends[i] = int32(len(n.values))
	}
}

// join appends column o, of more rows, to n of so many rows.
func (n *needsColumn) join(o *needsColumn, rows, more int) {
	if len(n.ends)+len(o.ends) == 0 {
		return
	}
	n.upTo(rows)
	o.upTo(more)
	before := int32(len(n.values))
	n.ends = extend(n.ends, more)
	for i, end := range o.ends {
		n.ends[rows+i] = before + end
	}
	n.null, n.values, n.nulls = attach(n.null, o.null), attach(n.values, o.values), n.nulls+o.nulls
}

func (n *needsColumn) encode(e *encoder, rows int) {
	if len(n.ends) == 0 {
		e.column(rows, rows)
		e.buffer(e.zeros.get((rows+7)/8), 1)
		e.buffer(e.zeros.get(4*(rows+1)), 4)
		put(e, n.values)
		return
	}
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
