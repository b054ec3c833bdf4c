package store

import (
	"errors"
	"iter"
)

// TableSource is a table that can be read in batches.
type TableSource interface {
	// Head returns a table with all facts and columns. It may have no rows.
	Head() *Table
	// Batches yields all rows in order, in tables with all facts and columns. A table is valid until the next one. An error
	// ends the iteration.
	Batches() iter.Seq2[*Table, error]
}

// Head returns t.
func (t *Table) Head() *Table { return t }

// Batches yields only t.
func (t *Table) Batches() iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) { yield(t, nil) }
}

// tableFile is a table in a file that may be larger than memory.
type tableFile struct {
	path string
	head *Table
}

var _, _ TableSource = (*Table)(nil), (*tableFile)(nil)

// OpenTable reads the name, facts and columns of the table at path, and checks the digests of the whole file. It closes the
// file; the file must not change while the source is used.
func OpenTable(path string) (TableSource, error) {
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
	return &tableFile{path, t}, nil
}

// ReadHead reads the name, facts and columns of the table at path. It does not read the rows, nor check their digests.
func ReadHead(path string) (*Table, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	t, err := newTable(f)
	if err != nil {
		return nil, readError(path, err)
	}
	return t, nil
}

// Head returns the table without rows.
func (t *tableFile) Head() *Table { return t.head }

// Batches reads the file again. It needs memory for one batch.
func (t *tableFile) Batches() iter.Seq2[*Table, error] {
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

// clear removes the rows of t and keeps their memory.
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

// eachBatch decodes the batches of a table's file, until use returns false for more.
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
