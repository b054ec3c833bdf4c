package store

import (
	"errors"
	"iter"
)

// TableSource is a table that is read in parts.
type TableSource interface {
	// Head has all facts and columns, and rows or none.
	Head() *Table
	// Batches is all rows in their order, in tables with all facts and columns, each of which is valid until the next. The error, if
	// there is one, ends it.
	Batches() iter.Seq2[*Table, error]
}

// Head is t.
func (t *Table) Head() *Table { return t }

// Batches is t alone.
func (t *Table) Batches() iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) { yield(t, nil) }
}

// TableFile is a table in a file that may be larger than memory.
type TableFile struct {
	path string
	head *Table
}

var _, _ TableSource = (*Table)(nil), (*TableFile)(nil)

// OpenTable reads what the table at path is called, its facts and columns, and finds out whether any of it is damaged. The file is
// not kept open: it must stay as it is.
func OpenTable(path string) (*TableFile, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	t, err := newTable(f)
	if err != nil {
		return nil, readError(path, err)
	}
	var buf []byte
	for i := range f.blocks {
		if buf, err = f.read(buf, i); err != nil {
			return nil, f.batchError(i, err)
		}
	}
	return &TableFile{path, t}, nil
}

// Head has no rows.
func (t *TableFile) Head() *Table { return t.head }

// Batches reads the file once more, in the memory of one batch.
func (t *TableFile) Batches() iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		f, err := openFile(t.path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.close()
		part, err := newTable(f)
		if err != nil {
			yield(nil, readError(t.path, err))
			return
		}
		err = eachBatch(f, func(d *decoder) (more bool, err error) {
			part.clear()
			size := 0
			if err := decodeColumns(d, part, &size); err != nil {
				return false, err
			}
			return yield(part, nil), nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// clear takes the rows out of t and keeps their memory.
func (t *Table) clear() {
	for i := range t.Columns {
		c := &t.Columns[i]
		switch data := c.Data.(type) {
		case []int32:
			c.Data = data[:0]
		case []int64:
			c.Data = data[:0]
		case []uint64:
			c.Data = data[:0]
		case []float64:
			c.Data = data[:0]
		case []string:
			c.Data = data[:0]
		}
	}
}

// eachBatch decodes the batches of a table's file, until use wants no more.
func eachBatch(f *file, use func(*decoder) (more bool, err error)) error {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	for i := range f.blocks {
		more := true
		err := d.load(f, i)
		if err == nil && (uint64(d.rows) != f.blocks[i].rows || f.blocks[i].proc != 0 || f.blocks[i].instr != 0) {
			err = errors.New("the footer's index and the batch disagree")
		}
		if err == nil {
			more, err = use(d)
		}
		if err != nil {
			return f.batchError(i, err)
		}
		if !more {
			return nil
		}
	}
	return nil
}
