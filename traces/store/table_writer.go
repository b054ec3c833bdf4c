package store

import (
	"bufio"
	"errors"
	"slices"

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
		e := tableEncoders.Get().(*encoder)
		defer tableEncoders.Put(e)
		err = w.out.rows(e, t)
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

// rows writes the rows of t in batches.
func (c *container) rows(e *encoder, t *Table) error {
	for from, rows := 0, t.Rows(); from < rows; {
		to := batchEnd(t, from, rows)
		e.begin()
		for _, column := range t.Columns {
			encodeColumn(e, column.Data, from, to)
		}
		msg, meta := e.finish(to - from)
		if err := c.batch(msg, meta, batchInfo{rows: uint64(to - from)}); err != nil {
			return err
		}
		from = to
	}
	return nil
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
