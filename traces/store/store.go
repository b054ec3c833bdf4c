// Package store reads and writes the files that stages talk through: the two
// kinds of trace file and tables, all of them plain Arrow IPC files with zstd
// bodies, a checksum over every byte, and no clock, host or path in them.
package store

import (
	"errors"
	"iter"

	"spoor/traces/trace"
)

// The endings of the two files of a trace.
const (
	RefsSuffix   = ".refs.arrow"
	EventsSuffix = ".events.arrow"
)

// Writer writes PREFIX.refs.arrow and PREFIX.events.arrow. Both appear when Close
// succeeds; until then they are PREFIX.refs.arrow.partial and so on. It is not
// safe for concurrent use; it compresses on other goroutines, and the bytes
// depend on the order of the calls alone.
type Writer struct{}

// Create starts the files of a trace. h may be preliminary but for HasPC and
// HasTime, which fix the columns.
func Create(prefix string, h trace.Header) (*Writer, error) { return nil, errors.New("stub") }

// Refs appends references of one processor. It keeps nothing of b.
func (w *Writer) Refs(b *trace.Refs) error { return errors.New("stub") }

// Events appends events of one processor. It keeps nothing of b.
func (w *Writer) Events(b *trace.Events) error { return errors.New("stub") }

// Close completes both files under the final header and makes them appear.
func (w *Writer) Close(h trace.Header) error { return errors.New("stub") }

// Abort removes what was written, unless Close has succeeded: defer it.
func (w *Writer) Abort() {}

// Trace is an open trace; it implements trace.Source. Iterations are independent
// of each other and may run on several goroutines at once.
type Trace struct{}

var _ trace.Source = (*Trace)(nil)

// Open opens the trace at path: PREFIX (both files, or the one that exists), or
// one file by its name.
func Open(path string) (*Trace, error) { return nil, errors.New("stub") }

// Header is what the trace says of itself.
func (t *Trace) Header() trace.Header { return trace.Header{} }

// SHA256 identifies the content of the trace, in hexadecimal.
func (t *Trace) SHA256() string { return "" }

// Totals counts what processor p did, from the footers.
func (t *Trace) Totals(p trace.Proc) trace.Totals { return trace.Totals{} }

// Refs yields the references of procs (all, without arguments), one processor's
// after the other's, each processor's in program order.
func (t *Trace) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(func(*trace.Refs, error) bool) {}
}

// Events yields the events of procs (all, without arguments) likewise.
func (t *Trace) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(func(*trace.Events, error) bool) {}
}

// Close releases the files.
func (t *Trace) Close() error { return nil }

// WriteTable writes t to path, whole or not at all.
func WriteTable(path string, t *Table) error { return errors.New("stub") }

// ReadTable reads the table at path.
func ReadTable(path string) (*Table, error) { return nil, errors.New("stub") }

// Recovered says what Recover saved.
type Recovered struct {
	Rows, Batches uint64
	Lost          string // why the rest could not be read
}

// Recover copies every complete, undamaged batch at the start of a cut or
// unfinished trace file into a new file at out.
func Recover(path, out string) (Recovered, error) { return Recovered{}, errors.New("stub") }
