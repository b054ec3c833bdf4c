package store

import (
	"bytes"
	"slices"
	"unsafe"

	"spoor/traces/trace"
)

// readEvents holds the events of a batch as columns, as they come from a file. Many batches may be in memory at the same
// time. Most columns of most programs have the same value in all rows, and take no memory.
type readEvents struct {
	parts  []batchInfo // of its processors
	count  int
	instr  column[uint32]
	refs   column[uint64]
	kind   column[trace.Kind]
	narrow [narrowCols]column[int32]
	wide   [wideCols]column[int64]
	needs  readNeeds
}

// readNeeds is a column of type list<int64> that may be null.
type readNeeds struct {
	starts column[int32] // start of each row's list in values, and the number of values
	bitmap []byte
	values []int64
	nulls  int
}

// Len is the number of events.
func (b *readEvents) Len() int { return b.count }

// decode reads the columns of b from d.
func (b *readEvents) decode(d *decoder, hasTime bool) {
	b.count = d.rows
	b.setParts(d, get(d, scratch[int32](d, d.rows), d.rows))
	b.instr.read(d)
	b.countInstructions(d)
	b.refs.read(d)
	b.kind.read(d)
	for i := range b.narrow {
		b.narrow[i].read(d)
	}
	for i := range b.wide {
		if i != colTime || hasTime {
			b.wide[i].read(d)
		} else {
			b.wide[i].fill(0)
		}
	}
	b.needs.decode(d)
}

// setParts finds the processors of the rows.
func (b *readEvents) setParts(d *decoder, procs []int32) {
	b.parts = b.parts[:0]
	if d.err == nil && len(procs) == 0 {
		d.fail("it has no rows")
	}
	if allEqual(procs) {
		b.parts = append(b.parts, batchInfo{proc: procs[0], rows: uint64(len(procs))})
		return
	}
	for i, p := range procs {
		switch last := len(b.parts) - 1; {
		case i > 0 && p == b.parts[last].proc:
			b.parts[last].rows++
		case i > 0 && p < b.parts[last].proc:
			d.fail("its processors are not in order: %d follows %d", p, b.parts[last].proc)
			return
		default:
			b.parts = append(b.parts, batchInfo{proc: p, rows: 1})
		}
	}
}

// countInstructions sets the instructions of the processors.
func (b *readEvents) countInstructions(d *decoder) {
	if d.err != nil {
		return
	}
	at := 0
	for i := range b.parts {
		part := &b.parts[i]
		for range part.rows {
			part.instr += uint64(b.instr.at(at))
			at++
		}
	}
}

func (n *readNeeds) decode(d *decoder) {
	length, nulls := d.node()
	if d.err == nil && (length != d.rows || nulls < 0 || nulls > d.rows) {
		d.fail("a column has %d values and %d nulls in a batch of %d rows", length, nulls, d.rows)
	}
	n.nulls = nulls
	n.bitmap = fillTo(n.bitmap, (d.rows+7)/8, 0xff)
	if nulls == 0 {
		d.skipValidity()
	} else {
		d.buffer(n.bitmap)
	}
	starts := scratch[int32](d, d.rows+1)
	d.buffer(rawBytes(starts))
	fromLittle(starts)
	n.starts.set(starts)
	values := 0
	if len(d.nodes) > 0 {
		values = d.nodes[0].length
	}
	if values < 0 || values > maxNeeds {
		d.fail("its needs have %d values", values)
		values = 0
	}
	n.values = get(d, n.values, values)
	if d.err == nil {
		n.check(d)
	}
}

// check checks that offsets and bitmap are consistent.
func (n *readNeeds) check(d *decoder) {
	valid := 0
	for i := range d.rows {
		from, to := n.starts.at(i), n.starts.at(i+1)
		if from > to || (n.isNull(i) && from != to) {
			d.fail("its needs have offsets out of order")
			return
		}
		if !n.isNull(i) {
			valid++
		}
	}
	if n.starts.at(0) != 0 || int(n.starts.at(d.rows)) != len(n.values) || valid != d.rows-n.nulls {
		d.fail("its needs have wrong offsets or a wrong number of nulls")
	}
}

func (n *readNeeds) isNull(i int) bool { return n.bitmap[i/8]>>(i%8)&1 == 0 }

// list returns the needs of row i: nil if they are null, and only then.
func (n *readNeeds) list(i int) []int64 {
	if n.isNull(i) {
		return nil
	}
	if from, to := n.starts.at(i), n.starts.at(i+1); from < to {
		return n.values[from:to:to]
	}
	return []int64{}
}

// rows fills dst with the events of b from row from up to row to. Their needs share memory with b.
func (b *readEvents) rows(dst []trace.Event, from, to int) []trace.Event {
	dst = slices.Grow(dst[:0], to-from)
	for i := from; i < to; i++ {
		dst = append(dst, trace.Event{
			Instr: b.instr.at(i), Refs: b.refs.at(i), Kind: b.kind.at(i),
			Peer: b.narrow[colPeer].at(i), Tag: b.narrow[colTag].at(i),
			Group: b.narrow[colGroup].at(i), Request: b.narrow[colRequest].at(i),
			Bytes: b.wide[colBytes].at(i), Addr: b.wide[colAddr].at(i), Count: b.wide[colCount].at(i),
			Block: b.wide[colBlock].at(i), Stride: b.wide[colStride].at(i),
			Work: b.wide[colWork].at(i), Time: b.wide[colTime].at(i), Needs: b.needs.list(i),
		})
	}
	return dst
}

// column is a column of numbers. If all are equal, it stores only one.
type column[T number] struct {
	rows []T
	mask int // for the number of a row: 0 if all are equal, else -1
}

// at returns the number in row i.
func (c *column[T]) at(i int) T { return c.rows[i&c.mask] }

// read reads the next column, of plain numbers.
func (c *column[T]) read(d *decoder) { c.set(get(d, scratch[T](d, d.rows), d.rows)) }

// set stores a copy of rows.
func (c *column[T]) set(rows []T) {
	if allEqual(rows) {
		c.fill(rows[0])
		return
	}
	c.rows, c.mask = resize(c.rows, len(rows)), -1
	copy(c.rows, rows)
}

// fill sets all rows to one number.
func (c *column[T]) fill(all T) { c.rows, c.mask = append(c.rows[:0], all), 0 }

// allEqual reports whether s has numbers and all of them are equal.
func allEqual[T number](s []T) bool {
	return len(s) > 0 && bytes.Equal(rawBytes(s[1:]), rawBytes(s[:len(s)-1]))
}

// scratch returns memory of the decoder for n numbers. It is valid until the next call.
func scratch[T number](d *decoder, n int) []T {
	var v T
	size := int(unsafe.Sizeof(v))
	d.scratch = resize(d.scratch, ((n+decodeSlack)*size+7)/8)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.scratch))), len(d.scratch)*8/size)[:n]
}
