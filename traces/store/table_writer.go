package store

import (
	"bufio"
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

// TableWriter writes a table that may be larger than memory. The file appears when Close succeeds. A TableWriter is not safe
// for concurrent use.
type TableWriter struct {
	path   string
	fields []arrowmeta.Field
	f      *outfile.PartialFile
	buf    *bufio.Writer
	out    container
	gone   bool // the file has its final name or was removed
}

// CreateTable starts the file of a table with the name and columns of head, which has no rows.
func CreateTable(path string, head *Table) (*TableWriter, error) {
	s, err := tableSchema(head)
	if err != nil {
		return nil, outfile.WriteError(path, err)
	}
	f, err := outfile.CreatePartial(path, outfile.PartialSuffix)
	if err != nil {
		return nil, err
	}
	w := &TableWriter{path: path, fields: s.Fields, f: f, buf: bufio.NewWriter(f)}
	w.out.w = w.buf
	if err := w.out.begin(schemaMessage(s)); err != nil {
		w.Abort()
		return nil, outfile.WriteError(path, err)
	}
	return w, nil
}

// Append writes the rows of t, which has the columns of the table.
func (w *TableWriter) Append(t *Table) error {
	s, err := tableSchema(t)
	if err == nil && !arrowmeta.SameFields(s.Fields, w.fields) {
		err = errors.New("rows have other columns than the table")
	}
	if err == nil {
		err = w.out.rows(t)
	}
	if err != nil {
		return outfile.WriteError(w.path, err)
	}
	return nil
}

// Close completes the file with the final facts of head, and gives it its name. After an error it leaves no file.
func (w *TableWriter) Close(name string, meta []trace.Arg) error {
	if w.gone {
		return errClosed
	}
	defer w.Abort()
	s, err := tableSchema(&Table{Name: name, Meta: slices.Clone(meta)})
	if err != nil {
		return outfile.WriteError(w.path, err)
	}
	s.Fields = w.fields
	if _, err = w.out.end(s); err == nil {
		err = w.buf.Flush()
	}
	if err == nil {
		err = w.f.Sync()
	}
	if err == nil {
		err = w.f.Close()
	}
	if err == nil {
		err = w.f.Rename()
	}
	if err != nil {
		return outfile.WriteError(w.path, err)
	}
	w.gone = true
	w.f.Release()
	return nil
}

// Abort removes the file, unless Close has succeeded. The caller should defer it.
func (w *TableWriter) Abort() {
	if w.gone {
		return
	}
	w.gone = true
	w.f.Close()
	_ = w.f.Remove()
	w.f.Release()
}

// rows writes the rows of t in batches. It encodes as many batches at a time as there are cores.
func (c *container) rows(t *Table) error {
	some := make([]tableBatch, runtime.GOMAXPROCS(0))
	for from, rows := 0, t.Rows(); from < rows; {
		var encoding sync.WaitGroup
		n := 0
		for ; n < len(some) && from < rows; n++ {
			b := &some[n]
			*b = tableBatch{from: from, to: batchEnd(t, from, rows), encoder: tableEncoders.Get().(*encoder)}
			if from = b.to; n == 0 && from == rows {
				b.encode(t) // most tables have one batch
				continue
			}
			encoding.Go(func() { b.encode(t) })
		}
		encoding.Wait()
		var err error
		for i := range some[:n] {
			err = cmp.Or(err, some[i].write(c))
			tableEncoders.Put(some[i].encoder)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tableBatch is a batch of rows of a table.
type tableBatch struct {
	from, to int
	encoder  *encoder // owns msg
	msg      []byte
	meta     int
}

func (b *tableBatch) encode(t *Table) {
	b.encoder.begin()
	for _, column := range t.Columns {
		encodeColumn(b.encoder, column.Data, b.from, b.to)
	}
	b.msg, b.meta = b.encoder.finish(b.to - b.from)
}

// write writes the encoded batch.
func (b *tableBatch) write(c *container) error {
	return c.batch(b.msg, b.meta, batchInfo{rows: uint64(b.to - b.from)})
}

// batchEnd returns the end of the batch that begins at row from.
func batchEnd(t *Table, from, rows int) int {
	to := min(rows, from+batchRows)
	for _, c := range t.Columns {
		texts, ok := c.Data.([]string)
		if !ok {
			continue
		}
		size := 0
		for i := from; i < to; i++ {
			if size += len(texts[i]); size > maxText {
				to = i
			}
		}
	}
	return to
}

func encodeColumn(e *encoder, data any, from, to int) {
	switch d := data.(type) {
	case []int32:
		put(e, d[from:to])
	case []int64:
		put(e, d[from:to])
	case []uint64:
		put(e, d[from:to])
	case []float64:
		put(e, d[from:to])
	case []string:
		size := 0
		for _, s := range d[from:to] {
			size += len(s)
		}
		e.text, e.offsets = slices.Grow(e.text[:0], size), append(slices.Grow(e.offsets[:0], to-from+1), 0)
		for _, s := range d[from:to] {
			e.text = append(e.text, s...)
			e.offsets = append(e.offsets, int32(len(e.text)))
		}
		e.column(to-from, 0)
		e.buffer(nil, 1)
		putBuffer(e, e.offsets)
		e.buffer(e.text, 1)
	}
}
