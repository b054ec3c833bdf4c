package symbols

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// batchRows bounds the rows that a Writer keeps.
const batchRows = 1 << 15

// Writer writes the symbols of a trace. Its memory does not depend on the number of rows.
type Writer struct {
	table *store.TableWriter
	rows  []Row
}

// Create starts the symbols of the trace with this prefix.
func Create(prefix string) (*Writer, error) {
	t, err := store.CreateTable(prefix+Suffix, tableOf(nil, nil))
	return &Writer{table: t}, err
}

// Add appends a row.
func (w *Writer) Add(r Row) error {
	w.rows = append(w.rows, r)
	if len(w.rows) < batchRows {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	err := w.table.Append(tableOf(w.rows, nil))
	w.rows = w.rows[:0]
	return err
}

// Close completes the file. The digest is that of the trace, so that symbols of another recording are recognised.
func (w *Writer) Close(digest string, meta ...trace.Arg) error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.table.Close(tableName, append([]trace.Arg{{Key: traceFact, Value: digest}}, meta...))
}

// Abort removes the file, unless Close has succeeded.
func (w *Writer) Abort() { w.table.Abort() }

// File is the symbols of a trace.
type File struct{ table store.TableSource }

// ErrOther is the error of symbols that are not of the trace beside them.
var ErrOther = errors.New("the symbols are of another recording")

// Open opens the symbols of the trace t with this prefix. Without symbols the error is fs.ErrNotExist, also where the prefix is
// the name of one file of the trace.
func Open(prefix string, t *store.Trace) (*File, error) {
	path := prefix + Suffix
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	table, err := store.OpenTable(path)
	if err != nil {
		return nil, err
	}
	if name := table.Head().Name; name != tableName {
		return nil, fmt.Errorf("reading %s: it is a %s table, and not symbols", path, name)
	}
	if table.Head().Fact(traceFact) != t.SHA256() {
		return nil, fmt.Errorf("reading %s: %w; remove it, or record again", path, ErrOther)
	}
	return &File{table}, nil
}

// Rows yields all rows in the order of the file. A row is valid until the next one.
func (f *File) Rows() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for t, err := range f.table.Batches() {
			var rows []Row
			if err == nil {
				rows, err = rowsOf(t)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range rows {
				if !yield(&rows[i], nil) {
					return
				}
			}
		}
	}
}
